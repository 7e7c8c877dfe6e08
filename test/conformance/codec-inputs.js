// Inputs of the codec suite: payloads that are difficult to escape and measure, and ids at the limits of their type.

// The limits of lengths of one, two and three bytes, and more than a pool or pipe holds in one piece.
export const PAYLOAD_BYTES = [1, 3, 65_535, 65_536, 65_537, 1_048_576, 16_777_216];

// The limits of integers in compact formats, and of the type itself.
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
  '\u007f\u0080\u00ff\u0100', // the last of ASCII and of one byte, and the next ones
  '\u07ff\u0800\uffff', // the limits of two and three bytes of UTF-8
  '\u{10000}\u{10ffff}😀',
  '\u2028\u2029',
  '\ufeff',
  `\ufeff\ufeff${'é'.repeat(100)}`, // a byte order mark is content here
  '\ufffd',
];

// Values that codecs may carry besides texts; a codec without a schema for one says so.
export const VALUES = {
  'lists of records': [
    [
      { id: 1, price: 0.1, isActive: true, name: 'é😀"\\', parent: null },
      { id: -5, price: 1e21, isActive: false, name: '', parent: 7 },
    ],
    [],
  ],
  'objects in objects and lists': [
    { at: { x: 1, y: -1.5 }, tags: ['a', ''], orders: [{ sum: 1 }, { sum: 2 }] },
    { at: { x: 2 ** 31 - 1, y: 2 ** 53 - 1 }, tags: [], orders: [] },
  ],
  'lists of numbers, texts and booleans': [
    {
      whole: [1, -(2 ** 31) + 1],
      parts: [0.5, 5e-324],
      texts: ['ä', '', 'y'.repeat(1_000)],
      are: [true, false],
    },
    { whole: [], parts: [1e-9], texts: [], are: [] },
  ],
  'fields that may be null': [
    { is: true, may: null, name: null },
    { is: false, may: true, name: 'x' },
    { is: true, may: false, name: '' },
  ],
  'objects whose fields differ': [{ a: 1 }, { b: 'x' }, { b: null, a: -0 }, {}],
  'objects of more layouts than records are shared': Array.from({ length: 40 }, (_, index) => ({
    [`field${index}`]: index,
  })),
  'objects with names of any kind': [{ 'a b': 1, ключ: 'x', constructor: 2 }],
  'objects with fields of several kinds': [{ a: 1 }, { a: 'x' }, { a: [1, 'x', null, { b: [[]] }] }],
};

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
