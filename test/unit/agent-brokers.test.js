// The private brokers that an agent keeps for a run, with a fake server: when they are started, how long they are kept, and what a launch
// gets to know of them.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { AgentBrokers } from '../../lib/hosts/handle-command.js';
import { countPrivate, withBrokers, withHops } from '../../lib/run/brokers/broker-pool.js';
import { explainedByDeath } from '../../lib/run/launch.js';

/** @import { LaunchSpec } from '../../lib/launch/launch-spec.js' */
/** @import { BrokerStart, RunningBroker } from '../../lib/types/index.js' */

const ADDRESS = '10.0.0.1';
/** @type {import('../../lib/run/launch.js').FailedEnd} */
const FAILED = {
  kind: 'failed',
  code: 'TRANSPORT',
  message: 'no answer',
  phase: 'measure',
  integrity: null,
  stderr: [],
};
/** @type {{ place: BrokerStart, isClosed: boolean, die: (cause: string) => void }[]} */
let servers = [];

/** Called by the module below. @param {BrokerStart} options @returns {Promise<RunningBroker>} */
async function start(options) {
  /** @type {(cause: string) => void} */
  let die = () => {};
  const died = new Promise((resolve) => {
    die = resolve;
  });
  const server = { place: options, isClosed: false, die };
  servers.push(server);
  const close = async () => {
    server.isClosed = true;
  };
  return { url: `s://${servers.length}`, pid: 100 + servers.length, version: '7', config: {}, died, close };
}
Object.assign(globalThis, { startTestServer: start });
const BROKERED = `data:text/javascript,export default { broker: { name: 'server', start: (place) => globalThis.startTestServer(place) } }`;
const PLAIN = 'data:text/javascript,export default {}';

const signal = new AbortController().signal;
/** @param {object} [fields] @returns {LaunchSpec} */
const launchOf = (fields) =>
  /** @type {any} */ ({ transportUrl: BROKERED, settings: {}, brokerUrl: null, toMaster: null, ...fields });
const isAlive = () => servers.map(({ isClosed }) => !isClosed);

describe('the private brokers of an agent', () => {
  /** @type {AgentBrokers} */
  let brokers;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    servers = [];
    brokers = new AgentBrokers(ADDRESS);
  });
  afterEach(async () => {
    await brokers.close();
    mock.timers.reset();
  });
  /** @param {string} run @param {LaunchSpec} [launch] @param {number[][]} [cpus] */
  const serve = (run, launch = launchOf(), cpus = []) => brokers.serve(run, launch, { cpus, signal });

  it('starts brokers at the address of the agent, on their CPUs of the launch', async () => {
    const { hops, served } = await serve('r1', undefined, [[3]]);
    assert.deepEqual([servers[0].place.bindAddress, servers[0].place.cpus], [ADDRESS, [3]]);
    assert.deepEqual(served, {
      noted: { server: { version: '7', config: {}, origin: 'private' } },
      brokers: [{ name: 'server', pid: 101, cpus: [3] }],
    });
    const spec = launchOf({ launchId: 'l1' });
    const here = withHops(spec, hops);
    assert.deepEqual([here.brokerUrl, here.broker], ['s://1', served.brokers[0]]);
    const there = withBrokers(spec, served);
    assert.deepEqual([there.brokerUrl, there.broker], [null, served.brokers[0]], 'its URL stays there');
  });

  it('starts a broker for each hop of a relay, and none if a URL is given or none is needed', async () => {
    const toMaster = { transportUrl: BROKERED, settings: {}, brokerUrl: null, broker: null };
    const relay = launchOf({ toMaster });
    assert.equal(await countPrivate(relay), 2);
    const { served } = await serve('r1', relay, [[1], [2]]);
    assert.deepEqual(
      served.brokers.map((broker) => broker && [broker.name, broker.cpus]),
      [
        ['server', [1]],
        ['server-to-master', [2]],
      ],
    );
    assert.equal(await countPrivate(launchOf({ transportUrl: PLAIN, toMaster })), 1);
    assert.equal(await countPrivate(launchOf({ brokerUrl: 's://own' })), 0);
    const given = await serve('r1', launchOf({ brokerUrl: 's://own' }));
    assert.deepEqual(given.hops, [{ brokerUrl: 's://own', broker: null }]);
    assert.equal(servers.length, 2);
  });

  it('keeps brokers between launches, restarts dead ones, and closes them when no launch follows', async () => {
    const first = await serve('r1');
    await brokers.rest(false);
    mock.timers.tick(1_900);
    assert.deepEqual((await serve('r1')).hops[0].brokerUrl, first.hops[0].brokerUrl);
    mock.timers.tick(10_000);
    assert.deepEqual(isAlive(), [true], 'however long a launch takes');
    servers[0].die('it was killed');
    await Promise.resolve();
    const explained = explainedByDeath(FAILED, first.hops);
    const failed = await Promise.race([explained, new Promise((resolve) => setImmediate(resolve, 'later'))]);
    assert.deepEqual(failed, {
      ...FAILED,
      code: 'BROKER',
      message: 'server died: it was killed; no answer',
    });
    await serve('r1');
    assert.equal(servers.length, 2);
    await brokers.rest(false);
    mock.timers.tick(2_000);
    await brokers.close();
    assert.deepEqual(isAlive().at(-1), false);
    assert.equal(existsSync(servers[1].place.scratchDir), false);
  });

  it('closes brokers at once after an aborted launch, and when another run begins', async () => {
    await serve('r1');
    await brokers.rest(true);
    assert.deepEqual(isAlive(), [false]);
    await serve('r1');
    await brokers.rest(false);
    await serve('r2');
    assert.deepEqual(isAlive(), [false, false, true]);
  });
});
