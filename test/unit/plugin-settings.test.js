// Which values the settings of the built-in transports and scenarios take: what users write, and what older results files hold.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkedSettings } from '../../lib/cell/settings.js';
import { parseScenarios } from '../../lib/options/axis-values.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadScenarios, loadTransports } from '../../lib/plugins/plugins.js';

/** @import { Setting } from '../../lib/types/index.js' */

const BUFFER = '0; 0 to 1073741823 bytes';
const RING = {
  ringBytes: '1048576; 16384|65536|262144|1048576|4194304|16777216 bytes',
  spinUs: '5; 0 to 1000000 us',
};
const HTTP = { connections: '128; 1 to 65536', pipelining: '1; 1 to 10000' };
const AT_ONCE = '1; 1 to 1000 tasks';
const WAITING = '0; 0 to 1000000 tasks';
const HANDLE = '0; 0 to 1000000 µs';

/** @type {Record<string, Record<string, string>>} */
const NUMBERS_OF_TRANSPORTS = {
  command: { atOnce: '8; 1 to 1000 processes' },
  http: HTTP,
  https: HTTP,
  http2: { windowBytes: '65535; 65535 to 2147483647 bytes' },
  mqtt: { qos: '0; 0|1|2', inflight: '20; 1 to 65535 messages' },
  piscina: { concurrent: AT_ONCE, maxQueue: WAITING },
  tinypool: { concurrent: AT_ONCE, maxQueue: WAITING },
  workerpool: { maxQueue: WAITING },
  rabbitmq: { prefetch: '300; 0 to 65535' },
  'redis-list': { batch: '1; 1 to 10000 elements' },
  'redis-streams': {
    count: '0; 0 to 10000 entries',
    claimAfter: '2000; 1 to 3600000 ms',
    claimEvery: '500; 1 to 3600000 ms',
  },
  'shared-memory': RING,
  'threads-shared': RING,
  tcp: { sndbuf: BUFFER, rcvbuf: BUFFER },
  udp: { sndbuf: BUFFER, rcvbuf: BUFFER },
  unix: { sndbuf: BUFFER },
};
/** @type {Record<string, Record<string, string>>} */
const NUMBERS_OF_SCENARIOS = {
  'first-answer': { idle: '1+10+100+1000; 1 to 10000 ms' },
  queue: { prefetch: '0; 0 to 65535 jobs', handle: HANDLE, kill: '0; 0 to 10000 workers' },
  records: { records: '100; 1 to 10000' },
  stream: { handle: HANDLE },
  task: { work: HANDLE, result: '0; 0 to 1000000000 bytes' },
};

/** @param {Setting} setting */
const isNumeric = ({ default: usual, isList }) => typeof usual === 'number' || isList === true;

/** @param {Setting} setting */
function inWords({ default: usual, min, max, choices, unit = '' }) {
  const values = choices === undefined ? `${min} to ${max}` : choices.join('|');
  return `${usual}; ${values} ${unit}`.trim();
}

/** @param {Map<string, any>} loaded */
function numbersOf(loaded) {
  const found = [...loaded.values()].map(({ plugin: { name, settings = {} } }) => {
    const numeric = Object.entries(settings).filter(([, setting]) => isNumeric(setting));
    return [name.split(':')[0], Object.fromEntries(numeric.map(([key, setting]) => [key, inWords(setting)]))];
  });
  return Object.fromEntries(found.filter(([, numeric]) => Object.keys(numeric).length > 0));
}

describe('settings that are numbers', () => {
  it('declares these defaults and limits of numeric settings of transports', async () => {
    assert.deepEqual(numbersOf(await loadTransports(builtinNames('transport'))), NUMBERS_OF_TRANSPORTS);
  });

  it('declares these defaults and limits of numeric settings of scenarios', async () => {
    assert.deepEqual(numbersOf(await loadScenarios(builtinNames('scenario'))), NUMBERS_OF_SCENARIOS);
  });

  const source = /** @type {const} */ ({ label: '--scenario', code: 'BAD_ARGUMENT' });
  /** @param {string} written */
  const namesOf = async (written) => [...(await loadScenarios(parseScenarios([written], source))).keys()];

  it('takes the units of sizes and times, and makes one name of all spellings', async () => {
    assert.deepEqual(await namesOf('task:result=200k,work=2ms'), ['task:work=2000,result=200000']);
    assert.deepEqual(await namesOf('task:work=2000µs,result=200kB'), ['task:work=2000,result=200000']);
    assert.deepEqual(await namesOf('task:result=1k,64KiB'), [
      'task:work=0,result=1000',
      'task:work=0,result=65536',
    ]);
    assert.deepEqual(await namesOf('first-answer:idle=10+1s'), ['first-answer:idle=10+1000']);
  });

  it('takes units where only some numbers are possible', async () => {
    const [{ plugin }] = (await loadTransports(['shared-memory'])).values();
    assert.deepEqual(checkedSettings(plugin, { ringBytes: '64KiB' }), { ringBytes: 65536 });
    assert.throws(() => checkedSettings(plugin, { ringBytes: '65k' }), { code: 'BAD_ARGUMENT' });
  });

  it('refuses numbers that are malformed, fractional or out of range, and suggests what was meant', async () => {
    for (const [written, message] of /** @type {const} */ ([
      ['task:work=abc', /task:work: "abc"/],
      ['task:work=2h', /"2h" has an unknown unit/],
      ['task:result=2G', /from 0 to 1,000,000,000 bytes$/],
      ['task:result=1.5', /"1\.5" is not a whole number of bytes/],
      ['task:work=1e3', /Did you mean 1000\?$/],
    ]))
      await assert.rejects(namesOf(written), { code: 'BAD_ARGUMENT', message });
  });
});
