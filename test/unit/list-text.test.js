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
/** @param {Record<string, any[]>} listed @param {number} [columns] */
const linesOf = (listed, columns = Infinity) => listText(listed, columns).split('\n');
/** @param {any} entry @param {string} [kind] @returns {string[]} what is said of it below its name, where its kind is asked for alone */
const detailsOf = (entry, kind = 'transports') => {
  const lines = linesOf({ [kind]: [entry] });
  const at = lines.findIndex((line) => line.startsWith(`  ${entry.name}  `));
  return lines
    .slice(at + 1)
    .filter((line) => line !== '')
    .map((line) => line.trim());
};
/** @param {Record<string, any>} setting @returns {string} */
const settingText = (setting) =>
  detailsOf(
    {
      name: 'paced',
      summary: 'sends evenly',
      settings: { each: { summary: 'between two', ...setting } },
    },
    'scenarios',
  )[0];

describe('the list of one kind', () => {
  it('has each transport under the heading of its class, with the word for --transport, and its details indented behind the longest name', () => {
    const listed = {
      transports: [
        transport('fifo', { class: 'pipe' }),
        transport('unix'),
        transport('abstract', { reach: 'network' }),
      ],
    };
    assert.deepEqual(linesOf(listed), [
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

  it('wraps details at the width of the terminal, and gives them 30 columns in a narrower one', () => {
    const why = 'a '.repeat(60).trim();
    const listed = { transports: [transport('fifo', {}, { unavailable: why })] };
    for (const [columns, room] of [
      [100, 90],
      [41, 31],
      [40, 30],
      [39, 30],
      [10, 30],
    ]) {
      const details = linesOf(listed, columns).filter((line) => line.startsWith(' '.repeat(10)));
      const widths = details.map((line) => line.trim().length);
      assert.ok(Math.max(...widths) <= room, `${columns}: ${widths}`);
      const said = details.map((line) => line.trim()).join(' ');
      assert.ok(said.startsWith(`not available here: ${why} duplex`), said);
      // Greedy: the first word of the next line had no room.
      const [first, second] = details.map((line) => line.trim());
      assert.ok(first.length + 1 + second.split(' ')[0].length > room, `${columns}: ${first}`);
    }
  });

  it('tells of a transport its broker and the greatest message where there are such', () => {
    const [reach] = detailsOf(transport('redis', { broker: 'redis', greatestMessageBytes: 65_507 }));
    assert.equal(reach, 'duplex, reaches the host, needs redis, messages up to 65,507 bytes');
  });

  it('tells of a transport what its messages must be ready for', () => {
    for (const [traits, said] of /** @type {[Record<string, any>, string][]} */ ([
      [{ order: 'free' }, 'at most once; messages may overtake each other'],
      [{ loss: 'possible' }, 'at most once; messages may get lost'],
      [
        { order: 'free', loss: 'possible' },
        'at most once; messages may overtake each other; messages may get lost',
      ],
    ]))
      assert.equal(detailsOf(transport('udp', traits))[1], said);
    assert.match(detailsOf(transport('ring', { isSpinning: true }))[1], /^at most once; .*core/);
  });

  it('tells what a transport carries, without the values that it serialises by itself', () => {
    for (const [carries, serialises, said] of /** @type {[string[], string[], string][]} */ ([
      [['text', 'bytes'], [], 'carries text and bytes'],
      [['value'], [], 'carries value'],
      [['text', 'value'], ['json'], 'carries text; serialises itself: json'],
      [['value'], ['json', 'v8'], 'serialises itself: json, v8'],
    ]))
      assert.equal(detailsOf(transport('own', {}, { carries, serialises }))[2], said);
  });

  it('tells the settings of transports and scenarios, each with its values, its unit and its default', () => {
    assert.deepEqual(
      detailsOf(transport('tcp', {}, { settings: { noDelay: { summary: 'at once', default: true } } })).slice(
        3,
      ),
      [':noDelay=true|false  at once (default: true)'],
    );
    for (const [setting, said] of /** @type {[Record<string, any>, string][]} */ ([
      [{ default: 'tick', choices: ['direct', 'tick'] }, ':each=direct|tick  between two (default: tick)'],
      [{ default: 'db' }, ':each=name  between two (default: db)'],
      [{ default: 3 }, ':each=number  between two (default: 3)'],
      [{ default: 3, min: 1, unit: 'ms' }, ':each=1.. ms  between two (default: 3)'],
      [{ default: 3, max: 9 }, ':each=..9  between two (default: 3)'],
      [{ default: 3, min: 0, max: 9 }, ':each=0..9  between two (default: 3)'],
      [{ default: '1+2', min: 1, max: 9, isList: true }, ':each=1..9+...  between two (default: 1+2)'],
    ]))
      assert.equal(settingText(setting), said);
  });

  it('tells of codecs what they produce, of runtimes where they are, and of presets what they stand for', () => {
    const codec = { name: 'cbor', summary: 'a codec', unavailable: 'npm install cbor-x', produces: 'bytes' };
    assert.deepEqual(detailsOf(codec, 'codecs'), [
      'not available here: npm install cbor-x',
      'produces bytes',
    ]);
    const found = [
      { version: '1.2.3', path: '/opt/a\x1b[1mb' },
      { version: '1.3.0', path: '/opt/c' },
    ];
    const runtime = { name: 'bun', summary: 'a runtime', unavailable: null, found };
    const [one, other, ...rest] = detailsOf(runtime, 'runtimes');
    assert.ok(one.startsWith('1.2.3 at /opt/a') && !one.includes('\x1b'), JSON.stringify(one));
    assert.deepEqual([other, rest], ['1.3.0 at /opt/c', []]);
    assert.deepEqual(
      detailsOf({ name: 'deno', summary: 'a runtime', unavailable: 'no deno', found: [] }, 'runtimes'),
      ['not available here: no deno'],
    );
    const preset = { name: 'cold', summary: 'a preset', options: { workers: '1x1', codec: 'json' } };
    assert.deepEqual(detailsOf(preset, 'presets'), ['--workers 1x1', '--codec json']);
    assert.deepEqual(detailsOf({ name: 'html', summary: 'a report' }, 'reports'), []);
  });
});

describe('the list of all kinds', () => {
  it('has a line for each, why a transport is not to be had, and where more is told', () => {
    const listed = {
      transports: [
        transport('unix', {}, { settings: { flush: { summary: 'when', default: 'tick' } } }),
        transport('zeromq', { class: 'brokerless' }, { unavailable: 'npm install zeromq' }),
      ],
      scenarios: [
        { name: 'paced', summary: 'evenly', settings: { rate: { summary: 'how often', default: 1 } } },
      ],
    };
    const lines = linesOf(listed);
    const more = lines.splice(-2);
    assert.deepEqual(lines, [
      'transports',
      ' Sockets (--transport sockets)',
      '  unix    what unix is',
      ' Brokerless (--transport brokerless)',
      '  zeromq  what zeromq is',
      '            not available here: npm install zeromq',
      '',
      'scenarios',
      '  paced  evenly',
      '',
    ]);
    assert.match(more[0], /ipc-bench list transports/);
    assert.equal(more[1], '');
    assert.doesNotMatch(listText({ transports: listed.transports }, 80), /ipc-bench list/);
  });
});
