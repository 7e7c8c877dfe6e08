// The command that a run proposes at its end can be pasted, and asks for something that can be measured.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readHeadline } from '../../lib/cell/headline.js';
import { flagText, shellWord } from '../../lib/format/flag-text.js';
import { trafficText } from '../../lib/record/saved-traffic.js';
import { findingsIn } from '../../lib/report/findings/index.js';
import { nextCommand } from '../../lib/report/text/next-command.js';
import { buildResults, changeRatio, measuredOf } from '../fixtures/build-results.js';
import { makeTraffic } from '../fixtures/make-traffic.js';
import { resolved } from '../fixtures/resolved.js';

/** @import { Results } from '../../lib/types/index.js' */

/** @param {[number, number]} ends @param {Partial<Results>} [more] @returns {Results} of two rows, whose ratio has these ends */
function resultsWith([low, high], more = {}) {
  const results = buildResults({ series: ['pipe/json', 'unix/json'] });
  changeRatio(measuredOf(results)[1], { estimate: Math.sqrt(low * high), low, high });
  return { ...results, ...more };
}

const CLEAR = resultsWith([1.2, 1.4]);

/** @param {object} options @param {Results} [results] @returns {Results} of a run with these options */
const askedFor = (options, results = CLEAR) => ({ ...results, options: { ...results.options, ...options } });

/** @param {Record<string, unknown>} options @param {number} payloadBytes   of its cell @param {Record<string, unknown>} [config] @param {Results} [results] */
function proposed(options, payloadBytes, config = {}, results = CLEAR) {
  const asked = {
    config,
    chosen: new Set(Object.keys(config)),
    reachTexts: {},
  };
  const measured = askedFor({ payloadBytes: [payloadBytes], ...options }, results);
  return nextCommand(/** @type {any} */ (asked), measured, 'r.json', 'linux');
}

describe('the next command', () => {
  it('is a sweep over payloads where one was measured', () => {
    assert.match(proposed({}, 1_000), /: npx ipc-bench --payload '10\.\.100k\*10'$/);
  });

  it('finishes what is open before it varies something else', () => {
    const series = ['pipe/json', 'unix/json'];
    const disturbed = buildResults({ series, flag: () => ['crowded'] });
    const slo = { percentile: /** @type {const} */ ('p99'), us: 10 };
    const limited = { ratesPerSecond: [8_000], arrivals: 'constant', slo };
    const exceeded = buildResults({ series: ['pipe'], rates: [8_000], slo });
    const config = { transport: 'unix', rate: '8k', slo: 'p99<10us', lock: 'ignore', measure: '2s' };
    const unclearOf = (/** @type {number} */ unclear, /** @type {number} */ compared) => {
      const others = ['unix/json', 'tcp/json', 'zeromq/json', 'fifo/json'].slice(0, compared);
      const results = buildResults({ series: ['pipe/json', ...others] });
      for (const [index, row] of measuredOf(results).slice(1).entries())
        changeRatio(
          row,
          index < unclear ? { estimate: 1, low: 0.9, high: 1.1 } : { estimate: 2, low: 1.9, high: 2.1 },
        );
      return results;
    };
    /** @type {[Results, RegExp, Record<string, unknown>?][]} */
    const cases = [
      [resultsWith([0.9, 1.2]), /: npx ipc-bench --launches 12$/],
      [unclearOf(2, 2), /: npx ipc-bench --launches 12$/],
      [unclearOf(2, 4), /: npx ipc-bench --launches 12$/],
      [unclearOf(1, 3), / --payload /],
      [resultsWith([0.9, 1.2], { stopRule: /** @type {any} */ ({ endedBy: 'settled' }) }), / --payload /],
      [buildResults({ series, launches: 1 }), /: npx ipc-bench$/],
      [buildResults({ series, fail: ({ transport }) => (transport === 'unix' ? 'no' : null) }), / doctor$/],
      [disturbed, / doctor$/],
      [buildResults({ series, flag: () => ['cold'] }), /: npx ipc-bench --warmup 5s$/],
      [buildResults({ series, flag: () => ['cold', 'crowded'] }), /: npx ipc-bench --warmup 5s$/],
      [resultsWith([1.2, 1.4], { status: 'interrupted' }), /: npx ipc-bench --resume r\.json$/],
      [exceeded, / --sweep .*--transport unix --measure 2s$/, { open: limited }],
    ];
    for (const [results, next, options = {}] of cases)
      assert.match(proposed(options, 1_000, 'open' in options ? config : {}, results), next);
  });

  it('removes the first of several doubts', () => {
    const series = ['pipe/json', 'unix/json', 'tcp/json', 'zeromq/json'];
    const flagging = (/** @type {Record<number, string[]>} */ flags, recipe = {}) => {
      const results = buildResults({ series, ...recipe });
      for (const [index, outcome] of measuredOf(results).entries())
        outcome.flags = (flags[index] ?? []).map((code) => ({ code }));
      return results;
    };
    const disturbing = (/** @type {string[]} */ ...codes) => ['crowded', ...codes];
    const both = disturbing('cold');
    /** @param {number} us @param {Record<number, string[]>} flags @param {number} [launches] */
    const limitedTo = (us, flags, launches = 6) => {
      const slo = { percentile: /** @type {const} */ ('p99'), us };
      const recipe = { series: series.slice(0, 2), shapes: ['1x32'], rates: [2_000], slo, launches };
      const results = flagging(flags, recipe);
      return askedFor({ open: { ratesPerSecond: [2_000], arrivals: 'constant', slo } }, results);
    };
    const withoutInterval = buildResults({ series, payloads: [10, 1_000] });
    readHeadline(measuredOf(withoutInterval)[1]).level = null;
    const p99 = Number(measuredOf(limitedTo(1, {}))[0].open?.responseUs.perLaunch.p99?.estimate);
    /** @type {[Results, string, number?][]} */
    const cases = [
      [{ ...flagging({}), outcomes: [] }, 'doctor', 1],
      [flagging({ 0: both, 1: both, 2: disturbing(), 3: disturbing() }), 'doctor'],
      [flagging({ 0: both, 1: both, 2: both, 3: disturbing() }), 'cold'],
      [withoutInterval, 'more-launches'],
      [flagging({ 2: ['cold'] }), 'cold'],
      [flagging({ 1: ['lost'] }), 'lost'],
      [flagging({ 1: ['lost'], 2: ['cold'] }), 'cold'],
      [limitedTo(p99, {}), 'launches-for-limit'],
      [limitedTo(p99, { 0: ['lost'], 1: ['lost'] }), 'lost'],
      [limitedTo(1, {}), 'find-rate'],
      [limitedTo(1, { 0: ['lost'] }), 'find-rate'],
    ];
    for (const [results, remedy, launches = 6] of cases) {
      const next = findingsIn(results).at(-1);
      assert.deepEqual([next?.kind, next?.remedy, next?.numbers.launches], ['next', remedy, launches]);
    }
  });

  it('is none where a scenario or a file decides what is carried', () => {
    for (const command of [proposed({}, 2_560), proposed({ messageFile: {} }, 1_000)])
      assert.match(command, /: npx ipc-bench report r\.json --markdown -$/);
  });

  it('reaches the same hosts, without what is secret or in the environment', () => {
    const secret = { IPC_BENCH_SECRET: 'x'.repeat(32) };
    const onHosts = { 'master-on': 'a', 'workers-on': 'b', transport: 'tcp', quick: true };
    const commandFor = (
      /** @type {object} */ argv,
      /** @type {Record<string, string>} */ environment = {},
    ) => {
      const asked = resolved({ ...onHosts, ...argv }, environment);
      return nextCommand(asked, askedFor(asked.options), 'r.json', 'linux');
    };
    const hosts = '--master-on a --workers-on b';
    assert.equal(
      commandFor({ agents: 'redis://me:hunter2@h:1' }, secret).split(': ').at(-1),
      `npx ipc-bench --transport tcp --agents 'redis://***@h:1' ${hosts}`,
    );
    const left = { IPC_BENCH_AGENTS: 'redis://h', ...secret };
    assert.equal(commandFor({}, left).split(': ').at(-1), `npx ipc-bench --transport tcp ${hosts}`);
    const broker = { 'broker-url': 'redis=redis://me:hunter2@localhost:1,nats=nats://localhost:2' };
    assert.match(
      commandFor(broker, left),
      / --broker-url 'redis=redis:\/\/\*\*\*@localhost:1,nats=nats:\/\/localhost:2'/,
    );
    assert.doesNotMatch(
      commandFor({}, { ...left, IPC_BENCH_BROKER_URL: 'redis=unix://:x@/r.sock' }),
      /broker-url/,
    );
  });

  it('asks for the same load', () => {
    const command = proposed({ quick: true }, 1_000, { rate: '1k', arrivals: 'poisson' });
    assert.match(command, /: npx ipc-bench --rate 1k --arrivals poisson$/);
  });

  it('asks for the recorded load', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'next-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const traffic = join(folder, 'traffic.json');
    writeFileSync(traffic, trafficText(makeTraffic({ requests: 300, sendUs: 5 })));
    const asked = resolved({ traffic, codec: 'json', quick: true, rate: 'recorded' });
    const command = nextCommand(asked, askedFor(asked.options), 'r.json', 'linux');
    const rate = asked.options.open?.ratesPerSecond[0];
    assert.equal(
      command.split(': ').at(-1),
      `npx ipc-bench --traffic ${shellWord(traffic, 'linux')} --rate ${rate} --arrivals recorded --codec json`,
    );
    const next = resolved({ traffic, codec: 'json', rate: String(rate), arrivals: 'recorded' });
    assert.deepEqual([next.options.open, next.options.shapes], [asked.options.open, asked.options.shapes]);
  });

  it('has no comment behind it, which interactive zsh takes for arguments', () => {
    for (const options of [{}, { quick: true }, { messageFile: {} }])
      assert.match(proposed(options, 1_000), /^[a-z ]+: npx ipc-bench[^#]*$/);
  });

  it('has the path of the results as one word', () => {
    const asked = { config: {}, chosen: new Set(), reachTexts: {} };
    const command = nextCommand(
      /** @type {any} */ (asked),
      askedFor({ payloadBytes: [] }),
      'my run/r.json',
      'linux',
    );
    assert.match(command, / 'my run\/r\.json' /);
  });

  it('has a path with blanks as one word', () => {
    const command = proposed({ quick: true }, 1_000, {
      'message-file': "my file's.json",
      codec: ['json', 'v8'],
    });
    assert.match(command, /: npx ipc-bench --message-file 'my file'\\''s\.json' --codec json,v8$/);
  });
});

describe('a value in a command line', () => {
  it('is quoted where bash, zsh or fish would take it for more than itself', () => {
    const values = ['10..100k*10', '=x', '~/x', '%self', '^x', '{a,b}', 'a#b', 'x?', '[a]', '!!', 'ü', ''];
    for (const value of values) assert.equal(flagText('title', value, 'linux'), `--title '${value}'`);
    for (const value of ['unix:flush=tick', '1.5', '/a-b/c_d.json', 'node@22', './x', '10%'])
      assert.equal(flagText('title', value, 'linux'), `--title ${value}`);
  });

  it('has no quote and no backslash between quotes, where fish has escapes', () => {
    assert.equal(flagText('payload', [1, 500], 'linux'), "--payload '1, 500'"); // 1,500 is refused
    assert.equal(flagText('title', "a'b\\c", 'linux'), "--title 'a'\\''b'\\\\'c'");
  });

  it('is quoted on Windows where PowerShell or cmd.exe would take it for more than itself', () => {
    const quoted = [
      '10..100k*10',
      'json,v8',
      '%PATH%',
      'C:\\work dir\\r.json',
      '@x',
      '{a}',
      'a&b',
      'a;b',
      'ü',
      '',
    ];
    for (const value of quoted) assert.equal(flagText('title', value, 'win32'), `--title "${value}"`);
    for (const value of ['unix:flush=tick', 'C:\\runs\\r.json', '.\\mine.js', '\\\\host\\r.json', 'node@22'])
      assert.equal(flagText('title', value, 'win32'), `--title ${value}`);
    assert.equal(flagText('title', "it's $5", 'win32'), "--title 'it''s $5'");
  });

  it('is not taken for the next option', () => {
    assert.equal(flagText('title', '-x y', 'linux'), "--title='-x y'");
  });
});
