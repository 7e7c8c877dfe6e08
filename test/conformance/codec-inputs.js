// What the codec suite feeds: payloads that trip escaping and length arithmetic, and wires that nobody should send.
// Made from seeds, so that every run and every codec gets the same.

import { seededRandom } from '../../lib/statistics/random.js';

// M-43: the borders of one, two and three bytes of length, and what no pool or pipe holds in one piece.
export const PAYLOAD_BYTES = [1, 3, 65_535, 65_536, 65_537, 1_048_576, 16_777_216];

// The borders of the integers of compact formats, and of the type itself.
export const IDS = [1, 23, 63, 64, 127, 128, 255, 256, 65_535, 65_536, 2 ** 30 - 1, 2 ** 30, 2 ** 31 - 1];

const BORDERS = [15, 16, 31, 32, 63, 64, 65, 127, 128, 140, 255, 256, 4_095, 4_096];

const TRICKY = [
  '\0',
  'a\0b',
  '\n',
  'two\nlines\r\n',
  '"',
  '\'"`',
  '\\',
  '\\u0000\\n',
  ' ',
  ' 1 2 ',
  '7 3 abc',
  '{"id":2,"payload":"x"}',
  '__proto__',
  '\u007f\u0080\u00ff\u0100', // the last of ASCII, of what one byte holds, and their neighbours
  '\u07ff\u0800\uffff', // the borders of two and three bytes of UTF-8
  '\u{10000}\u{10ffff}😀',
  '\u2028\u2029',
  '\ufeff',
  `\ufeff\ufeff${'é'.repeat(100)}`, // what looks like a byte order mark is content here
  '\ufffd',
];

/** @returns {string[]} well-formed texts of up to some thousand characters */
export function trickyPayloads() {
  const atBorders = BORDERS.flatMap((units) => [
    'x'.repeat(units),
    'é'.repeat(units),
    `${'x'.repeat(units - 1)}😀`,
  ]);
  return ['', ...TRICKY, ...TRICKY.map((text) => text.repeat(70)), ...atBorders];
}

/**
 * @param {() => number} random
 * @returns {string} up to 200 code points from all planes, without lone surrogates
 */
export function randomPayload(random) {
  const ends = [0x20, 0x80, 0x100, 0xd800, 0x11_0000 - 0x800];
  const end = ends[Math.floor(random() * ends.length)];
  const codePoints = Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * end));
  return String.fromCodePoint(...codePoints.map((code) => (code < 0xd800 ? code : code + 0x800)));
}

const GREETINGS = [
  'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
  '*1\r\n$4\r\nPING\r\n',
  'INFO {"server_id":"x"}\r\n',
  'SSH-2.0-OpenSSH_9.2\r\n',
];

const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1.5',
  '2147483648',
  '9007199254740992',
  '1e309',
  '-1e309',
  '"1"',
  'null',
  '[1]',
];
const MESSAGES = [
  ...NUMBERS.map((id) => `{"id":${id},"payload":"x"}`),
  '{"id":{"valueOf":1},"payload":"x"}',
  '{"id":1}',
  '{"payload":"x"}',
  '{"id":1,"payload":null}',
  '{"id":1,"payload":2}',
  '{"id":1,"payload":["x"]}',
  '{"id":1,"payload":{"length":1}}',
  '{"id":1,"payload":"x",}',
  '{"id":1,"payload":"x"}}',
  '{"id":1,"id":0,"payload":"x"}',
  "{'id':1,'payload':'x'}",
  '{"__proto__":{"id":1,"payload":"x","polluted":true}}',
  '{"id":1,"payload":"x","__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}},"id":0,"payload":"x"}',
];
const NESTING = 100_000;

/** @returns {string[]} */
export function garbageTexts() {
  const others = [
    '',
    ' ',
    '\0',
    'null',
    'true',
    '1',
    '"x"',
    '[]',
    '{}',
    '[1,"x"]',
    'NaN',
    '\ufeff',
    '\ud800',
  ];
  const long = ['[', '{"id":', '9', ' ', '1 '].map((text) => text.repeat(NESTING));
  return [...GREETINGS, ...MESSAGES, `\ufeff${MESSAGES[0]}`, ...others, ...long];
}

const RECORD = '40';
const POLLUTION = 'a95f5f70726f746f5f5f81a8706f6c6c75746564c3'; // "__proto__": { "polluted": true }
const MSGPACK = [
  ...['c0', 'c1', 'c2', 'ca7fc00000', 'cb7ff8000000000000', 'cfffffffffffffffff', 'd3ffffffffffffffff'],
  ...['ddffffffff', 'dfffffffff', 'c6ffffffff', 'dbffffffff', 'c9ffffffff00', 'dcffff', 'deffff'], // lengths that lie
  ...['d4ff00', 'd6ffffffffff', 'd7ffffffffffffffffff', 'c70cffffffffffffffffffffffffff'], // time stamps
  ...['d40000', 'd46900', 'd67000000001', 'c70478a22a2a', 'c7046200000040', 'c70542ffffffffff', 'd57400ff'],
  `81${POLLUTION}`,
  `8382a26964${POLLUTION}01a77061796c6f6164a178`,
  '83a2696401a77061796c6f6164a178', // a map that announces one entry too many
  'd4724092a170a17101a178', // redefines what the other end may use as its shared record
  'd4724091a2696401',
];
const V8 = [
  ...['', '41ffffffff0f', '61ffffffff0f', '42ffffffff0f', '22ffffffff0f', '63ffffffff0f', '5affffffff0f'],
  ...[
    '5c',
    '5c0affffffff0f',
    '5222032a2a2a00',
    '7500',
    '57',
    '7204',
    `6f22095f5f70726f746f5f5f6f2208706f6c6c75746564547b017b01`,
  ],
].map((hex) => `ff0f${hex}`);

/** @returns {Uint8Array[]} */
export function garbageBytes() {
  const hex = [
    ...[
      '00',
      'ff',
      '0000000000000000',
      '0100000000000000',
      '01000000ffffffff',
      'ffffffffffffffff',
      '01000000ffffff7f',
    ],
    '16030100f4010000f00303', // the start of a TLS hello
    ...MSGPACK,
    ...MSGPACK.flatMap((value) => [`${RECORD}${value}`, `${RECORD}${value}a178`, `${RECORD}01${value}`]),
    ...V8,
    ...['91', '8161', '81a2696481', '40', 'd47240919191'].map((value) => value.repeat(NESTING)),
    ...['4101', '6f220161', '3b'].map((value) => `ff0f${value.repeat(NESTING)}`),
  ];
  const random = seededRandom(22);
  const noise = Array.from({ length: 500 }, () =>
    Uint8Array.from({ length: Math.floor(random() * 64) }, () => random() * 256),
  );
  const texts = garbageTexts().map((text) => Buffer.from(text));
  return [...hex.map((digits) => Buffer.from(digits, 'hex')), ...texts, ...noise];
}

/** @returns {unknown[]} */
export function garbageValues() {
  const ids = [0, -1, 1.5, 2 ** 31, Number.NaN, Infinity, '1', 1n, null, [1], { valueOf: () => 1 }];
  const payloads = [undefined, null, 1, ['x'], { length: 1 }, Symbol.iterator];
  const polluting = JSON.parse('{"id":0,"payload":"x","__proto__":{"polluted":true}}');
  return [
    ...[undefined, null, 0, '', 'x', true, [], {}, () => {}, polluting],
    ...ids.map((id) => ({ id, payload: 'x' })),
    ...payloads.map((payload) => ({ id: 1, payload })),
  ];
}

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array[]} copies of it, each with another bit changed
 */
export function bitFlips(bytes) {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const flipped = Uint8Array.from(bytes);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    return flipped;
  });
}
