// Invalid texts and values for the codec suite; codec-garbage-bytes.js has bytes.

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
export const NESTING = 100_000;

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
