import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { findServer, serverProgram } from '../../lib/channels/brokers/broker-transport.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import {
  BrokerPool,
  isPrivate,
  LaunchBrokers,
  listBrokerPids,
  recordBroker,
} from '../../lib/run/brokers/broker-pool.js';
import { buildResults } from '../fixtures/build-results.js';
import { withPath } from '../fixtures/with-path.js';

/** @import { BrokerStart } from '../../lib/types/index.js' */

/** @param {string[]} [dependsOn] */
function countingBroker(dependsOn) {
  /** @type {BrokerStart[]} */
  const places = [];
  /** @type {((cause: string) => void)[]} */
  const deaths = [];
  let closed = 0;
  return {
    name: 'counting',
    ...(dependsOn && { dependsOn }),
    whyUnavailable: async () => null,
    /** @param {BrokerStart} start */
    async start(start) {
      places.push(start);
      const died = new Promise((resolve) => deaths.push(resolve));
      const close = async () => {
        closed += 1;
      };
      return { url: `counting://${places.length}`, pid: 1, version: '1', config: {}, died, close };
    },
    places,
    deaths,
    closed: () => closed,
  };
}

describe('the brokers of a run', () => {
  let scratchPath = '';
  beforeEach(() => {
    scratchPath = mkdtempSync(join(tmpdir(), 'ibk-'));
  });
  afterEach(() => rmSync(scratchPath, { recursive: true }));

  it('starts a broker for each combination of settings and CPUs', async () => {
    const broker = countingBroker();
    const pool = new BrokerPool(scratchPath);
    await pool.acquire(broker, { net: 'unix', depth: 1 }, null);
    await pool.acquire(broker, { net: 'unix', depth: 1 }, null);
    await pool.acquire(broker, { net: 'unix', depth: 2 }, null);
    await pool.acquire(broker, { net: 'unix', depth: 2 }, [0]);
    assert.equal(broker.places.length, 3);
    await pool.close();
    assert.equal(broker.closed(), 3);
  });

  it('shares a broker between cells that differ in irrelevant settings', async () => {
    const broker = countingBroker(['net']);
    const pool = new BrokerPool(scratchPath);
    const first = await pool.acquire(broker, { net: 'unix', depth: 1 }, null);
    assert.equal(await pool.acquire(broker, { net: 'unix', depth: 2 }, null), first);
    assert.notEqual(await pool.acquire(broker, { net: 'tcp', depth: 1 }, null), first);
    const careless = countingBroker([]);
    await pool.acquire(careless, { guarantee: 'none' }, null);
    await pool.acquire(careless, { guarantee: 'durable' }, null);
    assert.deepEqual([broker.places.length, careless.places.length], [2, 1]);
    await pool.close();
  });

  it('replaces a dead broker, and aborts brokers with the run', async () => {
    const abort = new AbortController();
    const broker = countingBroker([]);
    const pool = new BrokerPool(scratchPath, { signal: abort.signal });
    const first = await pool.acquire(broker, {}, null);
    broker.deaths[0]('it was killed');
    await first.died;
    assert.notEqual((await pool.acquire(broker, {}, null)).url, first.url);
    assert.equal(broker.places[1].signal?.aborted, false);
    abort.abort();
    assert.equal(broker.places[1].signal?.aborted, true);
    assert.notEqual(broker.places[0].scratchDir, broker.places[1].scratchDir);
    await pool.close();
  });

  it('records a broker that died between two launches once, and names it below the table', async () => {
    const broker = countingBroker([]);
    const pool = new BrokerPool(scratchPath);
    const results = buildResults();
    const run = { options: { brokerUrls: {} }, environment: results.environment, brokers: pool };
    const prepared = /** @type {any} */ ({
      transport: { broker },
      spec: { settings: {} },
      transportToMaster: null,
    });
    const launch = () => new LaunchBrokers(run, new AbortController().signal).open(prepared, null);
    await launch();
    assert.equal(results.environment.brokers.counting.deaths, undefined);
    broker.deaths[0]('it was killed by SIGKILL');
    await new Promise((resolve) => setImmediate(resolve));
    for (let launches = 0; launches < 3; launches += 1) await launch();
    await pool.close();
    const read = parseResults(resultsText(results), 'noted');
    assert.deepEqual(read.environment.brokers.counting.deaths, ['it was killed by SIGKILL']);
    const note = 'The private counting died (it was killed by SIGKILL) and was restarted.';
    for (const notes of [makeNotes(read), makeNotes(read, { isBrief: true })])
      assert.ok(notes.includes(note), notes.join('\n'));
  });

  it('describes a broker of the user once', async () => {
    let asked = 0;
    const broker = {
      ...countingBroker(),
      describe: async () => {
        asked += 1;
        return { version: '7.2.4', config: { save: '' } };
      },
    };
    const { environment } = buildResults();
    environment.brokers = {};
    const url = 'redis://10.0.0.9:6379';
    const run = { options: { brokerUrls: { counting: url } }, environment, brokers: null };
    const opened = (/** @type {object} */ transport) =>
      new LaunchBrokers(/** @type {any} */ (run), new AbortController().signal).open(
        /** @type {any} */ ({
          transport: { broker, ...transport },
          spec: { settings: {} },
          transportToMaster: null,
          privateBrokers: 0,
        }),
        null,
      );
    const withNet = { settings: { net: { values: ['tcp', 'unix'] } } };
    assert.deepEqual(await opened(withNet), [{ brokerUrl: url, broker: null }]);
    await opened({});
    assert.deepEqual(environment.brokers, {
      counting: { version: '7.2.4', config: { net: 'tcp', save: '' }, origin: 'url' },
    });
    assert.equal(asked, 1);
    environment.brokers = {};
    await opened({});
    assert.deepEqual(environment.brokers.counting.config, { save: '' }, 'without a setting of its own');
    assert.equal(isPrivate(run.options, /** @type {any} */ (broker)), false);
    assert.equal(isPrivate({ brokerUrls: {} }, /** @type {any} */ (broker)), true);
    assert.equal(isPrivate(run.options, undefined), false);
  });

  it('uses a broker that cannot be described', async () => {
    const broker = {
      ...countingBroker(),
      describe: async () => {
        throw new Error('NOAUTH');
      },
    };
    const { environment } = buildResults();
    environment.brokers = {};
    const run = /** @type {any} */ ({
      options: { brokerUrls: { counting: 'u' } },
      environment,
      brokers: null,
    });
    const prepared = /** @type {any} */ ({
      transport: { broker },
      spec: { settings: {} },
      transportToMaster: null,
    });
    const hops = await new LaunchBrokers(run, new AbortController().signal).open(prepared, null);
    assert.deepEqual([hops[0].brokerUrl, environment.brokers], ['u', {}]);
    assert.equal(listBrokerPids(hops), null, 'the use of a broker of the user is unknown');
    assert.deepEqual(listBrokerPids([{ brokerUrl: 'u', broker: /** @type {any} */ ({ pid: 7 }) }]), [7]);
    assert.deepEqual(listBrokerPids([{ brokerUrl: null, broker: null }]), []);
  });

  it('aborts the start of a broker when the pool closes', async () => {
    /** @type {(value?: unknown) => void} */
    let tellStarting = () => {};
    const isStarting = new Promise((resolve) => {
      tellStarting = resolve;
    });
    const slow = {
      ...countingBroker(),
      start: (/** @type {BrokerStart} */ { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          tellStarting();
        }),
    };
    const pool = new BrokerPool(scratchPath);
    const refused = assert.rejects(pool.acquire(slow, {}, null), /its run is over/);
    await isStarting;
    await pool.close();
    await refused;
  });

  it('records each value of a setting of a broker once, in an order independent of launches', () => {
    for (const values of [
      ['no', 'no / yes', 'yes'],
      ['yes', 'no', 'yes'],
    ]) {
      /** @type {import('../../lib/types/index.js').Environment['brokers']} */
      const brokers = {};
      for (const save of values)
        recordBroker(brokers, { name: 'redis', version: '7', config: { save, port: '0' } });
      assert.deepEqual(brokers, {
        redis: { version: '7', config: { save: 'no / yes', port: '0' }, origin: 'private' },
      });
    }
  });

  it('fails with the folder and the remedy if the disk is full', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const broker = { ...countingBroker(), start: () => Promise.reject(full) };
    await assert.rejects(new BrokerPool(scratchPath).acquire(broker, {}, null), {
      code: 'SCRATCH_UNUSABLE',
      message: /^the private counting cannot keep its files in .* \(ENOSPC: .*: set (?:TMPDIR|TEMP) /,
    });
  });
});

describe('the server of a broker', () => {
  it('is the first of its programs that exists, and its remedy is named if there is none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ibs-'));
    const path = join(folder, 'other-server');
    writeFileSync(path, '', { mode: 0o700 });
    await withPath(folder, async () => {
      for (const [name, reason] of [
        ['other-server', null],
        ['third-server', 'install it'],
      ]) {
        const find = () => findServer('no-server', String(name));
        const { whyUnavailable } = serverProgram({ find, missing: 'install it', start: assert.fail });
        assert.equal(await whyUnavailable({}), reason);
      }
      assert.equal(findServer('no-server', 'other-server'), path);
    });
    rmSync(folder, { recursive: true });
  });
});
