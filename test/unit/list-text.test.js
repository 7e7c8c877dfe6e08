import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listText } from '../../lib/cli/list.js';

/** @param {string} name @param {Record<string, any>} [traits] @param {Record<string, any>} [rest] */
const transport = (name, traits = {}, rest = {}) => ({
  name,
  summary: `what ${name} is`,
  unavailable: null,
  carries: ['text'],
  serialises: [],
  settings: {},
  traits: {
    class: 'socket',
    direction: 'duplex',
    reach: 'host',
    broker: null,
    guarantee: 'at most once',
    greatestMessageBytes: Infinity,
    order: 'kept',
    loss: 'impossible',
    isSpinning: false,
    ...traits,
  },
  ...rest,
});
/** @param {string} kind @param {any} entry @returns {string[]} the lines below its name */
const detailsOf = (kind, entry) => {
  const lines = listText({ [kind]: [entry] }, Infinity).split('\n');
  const at = lines.findIndex((line) => line.startsWith(`  ${entry.name}  `));
  return lines
    .slice(at + 1)
    .filter((line) => line !== '')
    .map((line) => line.trim());
};
/** @param {Record<string, any>} setting */
const withSetting = (setting) => ({
  name: 'paced',
  summary: 'sends evenly',
  settings: { each: { summary: 'between two', ...setting } },
});

/** @type {[kind: string, entry: any, line: string | RegExp, place?: number][]} */
const DETAILS = [
  [
    'transports',
    transport('redis', { broker: 'redis', greatestMessageBytes: 65_507 }),
    'duplex, reaches the host, needs redis, messages up to 65,507 bytes',
  ],
  ['transports', transport('udp', { order: 'free' }), 'at most once; messages may overtake each other', 1],
  [
    'transports',
    transport('udp', { order: 'free', loss: 'possible' }),
    'at most once; messages may overtake each other; messages may get lost',
    1,
  ],
  ['transports', transport('ring', { isSpinning: true }), /^at most once; .*core/, 1],
  ['transports', transport('own', {}, { carries: ['text', 'bytes'] }), 'carries text and bytes', 2],
  ['transports', transport('own', {}, { carries: ['value'] }), 'carries value', 2],
  [
    'transports',
    transport('own', {}, { carries: ['text', 'value'], serialises: ['json'] }),
    'carries text; serialises itself: json',
    2,
  ],
  [
    'transports',
    transport('own', {}, { carries: ['value'], serialises: ['json', 'v8'] }),
    'serialises itself: json, v8',
    2,
  ],
  [
    'transports',
    transport('tcp', {}, { settings: { noDelay: { summary: 'at once', default: true } } }),
    ':noDelay=true|false  at once (default: true)',
    3,
  ],
  ['scenarios', withSetting({ default: 'tick', choices: ['direct', 'tick'] }), /^:each=direct\|tick /],
  ['scenarios', withSetting({ default: 'db' }), ':each=name  between two (default: db)'],
  ['scenarios', withSetting({ default: 3 }), /^:each=number /],
  ['scenarios', withSetting({ default: 3, min: 1, unit: 'ms' }), /^:each=1\.\. ms /],
  ['scenarios', withSetting({ default: 3, max: 9 }), /^:each=\.\.9 /],
  ['scenarios', withSetting({ default: '1+2', min: 1, max: 9, isList: true }), /^:each=1\.\.9\+\.\.\. /],
  [
    'codecs',
    { name: 'cbor', summary: '', unavailable: 'npm install cbor-x', produces: 'bytes' },
    'not available here: npm install cbor-x',
  ],
  [
    'codecs',
    { name: 'cbor', summary: '', unavailable: 'npm install cbor-x', produces: 'bytes' },
    'produces bytes',
    1,
  ],
  [
    'runtimes',
    { name: 'bun', summary: '', unavailable: null, found: [{ version: '1.2.3', path: '/a\x1b[1m' }] },
    '1.2.3 at /a',
  ],
  [
    'runtimes',
    { name: 'deno', summary: '', unavailable: 'no deno', found: [] },
    'not available here: no deno',
  ],
  ['presets', { name: 'cold', summary: '', options: { workers: '1x1', codec: 'json' } }, '--codec json', 1],
];

describe('listText', () => {
  it('shows transports by class, with details behind the longest name', () => {
    const transports = [
      transport('fifo', { class: 'pipe' }),
      transport('unix'),
      transport('abstract', { reach: 'network' }),
    ];
    assert.deepEqual(listText({ transports }, Infinity).split('\n'), [
      'transports',
      ' Pipes (--transport pipes)',
      '  fifo      what fifo is',
      '              duplex, reaches the host',
      '              at most once',
      '              carries text',
      ' Sockets (--transport sockets)',
      '  unix      what unix is',
      '              duplex, reaches the host',
      '              at most once',
      '              carries text',
      '  abstract  what abstract is',
      '              duplex, reaches the network',
      '              at most once',
      '              carries text',
      '',
    ]);
  });

  it('shows a line for each name of all kinds, and where details are', () => {
    const settings = { flush: { summary: 'when', default: 'tick' } };
    const listed = {
      transports: [
        transport('unix', {}, { settings }),
        transport('zeromq', { class: 'brokerless' }, { unavailable: 'npm install zeromq' }),
      ],
      scenarios: [withSetting({ default: 1 })],
      reports: [{ name: 'html', summary: 'a page' }],
    };
    assert.deepEqual(listText(listed, Infinity).split('\n'), [
      'transports',
      ' Sockets (--transport sockets)',
      '  unix    what unix is',
      ' Brokerless (--transport brokerless)',
      '  zeromq  what zeromq is',
      '            not available here: npm install zeromq',
      '',
      'scenarios',
      '  paced  sends evenly',
      '',
      'reports',
      '  html  a page',
      '',
      'npx ipc-bench list transports shows what each guarantees, and its settings.',
      '',
    ]);
  });

  it('wraps details at the width of the terminal, and gives them 30 columns in a narrower one', () => {
    const unavailable = 'a '.repeat(60).trim();
    for (const [columns, room] of [
      [100, 90],
      [41, 31],
      [40, 30],
      [10, 30],
    ]) {
      const lines = listText({ transports: [transport('fifo', {}, { unavailable })] }, columns).split('\n');
      const details = lines.filter((line) => line.startsWith(' '.repeat(10))).map((line) => line.trim());
      assert.ok(Math.max(...details.map(({ length }) => length)) <= room, String(columns));
      assert.ok(details.join(' ').startsWith(`not available here: ${unavailable} duplex`));
      const [first, second] = details;
      assert.ok(first.length + 1 + second.split(' ')[0].length > room, 'greedily');
    }
  });

  for (const [kind, entry, line, place = 0] of DETAILS)
    it(`shows ${line} for one of the ${kind}`, () => {
      const detail = detailsOf(kind, entry)[place];
      if (line instanceof RegExp) assert.match(detail, line);
      else assert.equal(detail, line);
    });
});
