// The portable spec of a launch: it contains nothing of one host, and a host checks what it receives.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { persistenceConfig } from '../../lib/channels/brokers/redis-server.js';
import { Agent } from '../../lib/hosts/handle-command.js';
import { Installation } from '../../lib/hosts/installation.js';
import { allCpus, assignedCpus, planOpenPart } from '../../lib/launch/launch-spec.js';
import { localise, makePortable } from '../../lib/launch/portable-spec.js';
import { OpenLoad } from '../../lib/measure/open-load.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';

const PLUGINS = { transport: 'redis-list', codec: 'json', scenario: 'relay', toMaster: 'tcp' };
const installation = new Installation();
const plugins = await installation.load(PLUGINS);
const there = {
  plugins,
  scratchDir: '/there',
  bindAddress: '10.0.0.2',
  messageFileOf: (/** @type {any} */ file) => ({ ...file, path: '/there/messages' }),
};
/** @type {any} as the host has it where the run was started */
const spec = {
  launchId: 'l1',
  token: 't',
  cell: { workers: 1 },
  seed: 1,
  brokerUrl: null,
  broker: null,
  transportUrl: 'file:///here/transports/redis-list.js',
  codecUrl: 'file:///here/json.js',
  scenarioUrl: 'file:///here/scenarios/relay.js',
  scratchDir: '/here/l1',
  bindAddress: '127.0.0.1',
  profileDir: '/here/profiles',
  network: { beforeWorkers: ['/here/nsenter'] },
  cpus: { master: [7] },
  programs: { worker: { command: '/here/bun', args: [] } },
  peer: { name: 'mine', command: '/here/peer', args: [] },
  messageFile: { path: '/here/orders.ndjson', content: 'orders@1' },
  settings: { net: 'tcp', persist: 'none' },
  scenarioSettings: { to: 'tcp' },
  toMaster: { transportUrl: 'file:///here/transports/tcp.js', settings: {}, brokerUrl: null, broker: null },
};

describe('a launch for another host', () => {
  it('contains no path of the first host', () => {
    const portable = makePortable(spec);
    assert.ok(!JSON.stringify(portable).includes('/here'), JSON.stringify(portable));
    assert.equal(portable.cell.workers, 1);
    assert.deepEqual(portable.messageFile, { content: 'orders@1' });
  });

  it('runs with the plug-ins and settings of the second host', () => {
    const here = localise(makePortable(spec), there);
    assert.equal(here.transportUrl, builtinUrl('transport', 'redis-list'));
    assert.equal(here.codecUrl, builtinUrl('codec', 'json'));
    assert.equal(here.scenarioUrl, builtinUrl('scenario', 'relay'));
    assert.equal(here.toMaster?.transportUrl, builtinUrl('transport', 'tcp'));
    assert.equal(here.toMaster?.settings.flush, 'direct', 'a default of its own');
    assert.equal(here.settings.net, 'tcp');
    assert.deepEqual([here.scratchDir, here.bindAddress, here.cpus], ['/there', '10.0.0.2', null]);
    assert.equal(here.messageFile?.path, '/there/messages');
    for (const name of /** @type {const} */ (['programs', 'peer', 'profileDir']))
      assert.equal(here[name], undefined, name);
  });

  it('is rejected with code, programs or files of the sender', () => {
    const portable = makePortable(spec);
    const evil = 'data:text/javascript,globalThis.owned=true';
    const { toMaster, messageFile } = portable;
    for (const part of [
      ...['transportUrl', 'codecUrl', 'scenarioUrl', 'scratchDir', 'profileDir'].map((name) => ({
        [name]: evil,
      })),
      { peer: spec.peer },
      { programs: spec.programs },
      { toMaster: { ...toMaster, transportUrl: evil } },
      { messageFile: { ...messageFile, path: '/etc/shadow' } },
    ])
      assert.throws(
        () => localise(/** @type {any} */ ({ ...portable, ...part }), there),
        {
          code: 'HOST',
          message: /with "\w+" of another host: a host takes plug-ins, files and programs from its own/,
        },
        JSON.stringify(part),
      );
    assert.throws(
      () => localise({ ...portable, toMaster: null }, there),
      /differ in their last hop to the master/,
    );
  });

  it('is rejected with invalid settings', () => {
    const portable = makePortable(spec);
    const refusal = { code: 'BAD_ARGUMENT' };
    for (const settings of [
      { ...portable.settings, persist: 'always\nloadmodule /tmp/evil.so' },
      { ...portable.settings, persist: 'never' },
      { ...portable.settings, dir: '/etc' },
      { ...portable.settings, persist: /** @type {any} */ ({ toString: () => 'always\r' }) },
    ])
      assert.throws(() => localise({ ...portable, settings }, there), refusal, JSON.stringify(settings));
    const scenarioSettings = { to: 'tcp\nudp' };
    assert.throws(() => localise({ ...portable, scenarioSettings }, there), refusal);
    const toMaster = { .../** @type {any} */ (portable.toMaster), settings: { noDelay: 'maybe' } };
    assert.throws(() => localise({ ...portable, toMaster }, there), refusal);
  });

  it('writes no invalid setting into the configuration of Redis', async () => {
    for (const persist of ['always\nloadmodule /tmp/evil.so', 'sometimes'])
      await assert.rejects(persistenceConfig(persist, '/'), {
        code: 'BROKER',
        message: /is none of none,everysec/,
      });
    assert.deepEqual(await persistenceConfig('none', '/'), { save: '""', appendonly: 'no' });
  });

  it('is rejected by an agent with a launch id that is a path', async () => {
    const agent = new Agent('127.0.0.1');
    const openLink = () => assert.fail('it opens none');
    const context = { onEvent() {}, openLink, signal: new AbortController().signal };
    /** @type {any} */
    const command = {
      ...installation.describe({
        transportUrl: plugins.transport.url,
        codecUrl: plugins.codecUrl,
        scenarioUrl: plugins.scenario.url,
        toMaster: plugins.toMaster && { transportUrl: plugins.toMaster.url },
      }),
      kind: 'controller',
      spec: makePortable(spec),
    };
    for (const launchId of ['../../home', 'a/b', '', '.', 'x'.repeat(100), 'a\n']) {
      const refused = await agent.handle(command, { ...context, launchId });
      assert.equal(refused.status, 'refused');
      assert.match(String(/** @type {any} */ (refused).message), /is not a name of a launch/, launchId);
    }
    const other = await agent.handle(
      { ...command, spec: { ...command.spec, launchId: '../x' } },
      { ...context, launchId: 'l1' },
    );
    assert.match(String(/** @type {any} */ (other).message), /but its spec to another one/);
    await agent.close();
  });
});

describe('LaunchSpec', () => {
  const cpus = { master: [0], workers: [[1], [2, 0]], others: { relay: [3] } };

  it('lists the CPUs of the launch and of each process', () => {
    assert.deepEqual(allCpus(cpus).toSorted(), [0, 1, 2, 3]);
    assert.deepEqual(allCpus({ master: [0], workers: [[1]] }), [0, 1]);
    assert.deepEqual(
      ['w0', 'w1', 'relay'].map((id) => assignedCpus(cpus, id)),
      [[1], [2, 0], [3]],
    );
  });

  it('divides an open load among the workers, or gives it to the master', async () => {
    const open = /** @type {any} */ ({ arrivals: 'fixed' });
    const cell = /** @type {any} */ ({ ratePerSecond: 300, workers: 3 });
    const ofWorker = await planOpenPart({ cell, open, seed: 5 }, 'w2');
    assert.deepEqual(ofWorker, {
      OpenLoad,
      plan: open,
      share: { ratePerSecond: 300, workers: 3, worker: 2, seed: 5 },
    });
    assert.deepEqual((await planOpenPart({ cell, open, seed: 5 }))?.share, {
      ratePerSecond: 300,
      workers: 1,
      worker: 0,
      seed: 5,
    });
    assert.equal(await planOpenPart({ cell, open: null, seed: 5 }, 'w0'), null);
    assert.equal(
      await planOpenPart({ cell: { ...cell, ratePerSecond: undefined }, open, seed: 5 }, 'w0'),
      null,
    );
  });
});
