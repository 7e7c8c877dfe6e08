// Invalid bytes in the formats of all codecs of this package, for the codec suite. They are made from seeds, so that each run
// and each codec gets the same.

import { seededRandom } from '../../lib/statistics/random.js';
import { garbageTexts, NESTING } from './codec-garbage.js';

const RECORD = '40';
const POLLUTION = 'a95f5f70726f746f5f5f81a8706f6c6c75746564c3'; // "__proto__": { "polluted": true }
const MSGPACK = [
  ...['c0', 'c1', 'c2', 'ca7fc00000', 'cb7ff8000000000000', 'cfffffffffffffffff', 'd3ffffffffffffffff'],
  ...['ddffffffff', 'dfffffffff', 'c6ffffffff', 'dbffffffff', 'c9ffffffff00', 'dcffff', 'deffff'], // wrong lengths
  ...['d4ff00', 'd6ffffffffff', 'd7ffffffffffffffffff', 'c70cffffffffffffffffffffffffff'], // time stamps
  ...['d40000', 'd46900', 'd67000000001', 'c70478a22a2a', 'c7046200000040', 'c70542ffffffffff', 'd57400ff'],
  `81${POLLUTION}`,
  `8382a26964${POLLUTION}01a77061796c6f6164a178`,
  '83a2696401a77061796c6f6164a178', // a map that announces one entry too many
  'd4724092a170a17101a178', // redefines a record that the other end may share
  'd4724091a2696401',
];
const CBOR_RECORD = 'd9e00082';
const CBOR = [
  ...['9affffffff', 'baffffffff', '5affffffff', '7affffffff', '7bffffffffffffffff', '9bffffffffffffffff'], // wrong lengths
  ...['9f', 'bf', '5f', '7f', 'ff', 'f97e00', 'fa7fc00000', 'fb7ff8000000000000', '1bffffffffffffffff'],
  ...[
    'c11a7fffffff',
    'c249ffffffffffffffffff',
    'd81c80',
    'd81d00',
    'd833840000',
    'd9df69',
    'd9dffe',
    'd9dff9',
  ],
  ...['d9010480', 'd90102', 'd840', 'da40000000', 'd90100', 'd9d9f7', 'f6', 'f7', 'e0', '3a7fffffff'],
  'a1695f5f70726f746f5f5fa168706f6c6c75746564f5', // { "__proto__": { "polluted": true } }
  'd9dfff8419e0008261696170016178', // redefines a record that the other end may share
];
const PROTOBUF = [
  ...['0801', '08011200', '1200', '1201780801', '0d01000000120178', '080112017808011200', '0802080112017a'],
  ...[
    '0a017812017a',
    '08ffffffffffffffffff01120178',
    '08ffffffffffffffffffff01',
    '0880808080808080808000120178',
  ],
  ...[
    '080112ffffffff07',
    '080112ffffffffffffffffff01',
    '08011202c328',
    '08011201ff',
    '1b1c',
    '1b',
    '1c',
    '07',
    '0e',
  ],
];
const AVRO = [
  '0200',
  '02027a',
  '0001',
  '03',
  '02feffffff0f',
  '0203',
  '02ffffffffffffffffff01',
  `02${'ff'.repeat(40)}`,
];
const FLATBUFFERS = [
  ...['04000000', '00000000', 'fcffffff', 'ffffff7f', '00000080', '0400000004000000', '04000000fcffffff'],
  ...[
    '0c000000080008000400000008000000',
    '0c0000000800ffff0400ffff08000000',
    '0c000000ffff0800040000000800000001000000',
  ],
].flatMap((head) => [
  head,
  `${head}${'00'.repeat(32)}`,
  `${head}${'ff'.repeat(32)}`,
  `${head}${'04000000'.repeat(16)}`,
]);
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
    ...CBOR,
    ...CBOR.flatMap((value) => [
      `${CBOR_RECORD}${value}`,
      `${CBOR_RECORD}${value}6178`,
      `${CBOR_RECORD}01${value}`,
    ]),
    ...PROTOBUF,
    ...AVRO,
    ...FLATBUFFERS,
    ...V8,
    ...['1b', '0b', '13', 'ff', '80', '9f', 'bf', 'd9e00082', 'd833', '04000000'].map((value) =>
      value.repeat(NESTING),
    ),
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
