// Runs at night.
// Brokers of the user's own that listen on a unix socket: how it is named, what is refused, and real servers that are
// measured over it without leaving its path, a user or a password in the results.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findServer } from '../../lib/channels/brokers/broker-transport.js';
import { startResponding } from '../../lib/channels/brokers/private-server.js';
import { redisBroker } from '../../lib/channels/brokers/redis-broker.js';
import { openRedis } from '../../lib/channels/brokers/redis-client.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { parsedUrl, parseSocketPath, SOCKET_PATH_MAX_BYTES } from '../../lib/format/socket-url.js';
import { missingSocketProblem, socketUrlProblem } from '../../lib/options/broker-urls.js';
import { detectNet } from '../../lib/plan/skip-reasons.js';
import { readResults } from '../../lib/results/read.js';
import mqtt from '../../transports/mqtt/mqtt.js';
import { mqttBroker } from '../../transports/mqtt/mqtt-broker.js';
import redisList from '../../transports/redis-list/redis-list.js';
import redisPubsub from '../../transports/redis-pubsub.js';
import redisStreams from '../../transports/redis-streams/redis-streams.js';
import { makeRoundTrips, openBothEnds } from '../fixtures/both-ends.js';
import { callCli, makeWorkspace } from '../fixtures/cli-run.js';

/** @import { Transport } from '../../lib/types/index.js' */

const TIMEOUT_MS = 600_000;
const NOBODY = 65_534;
const PASSWORD = 's3/cr@t';
const posixOnly = process.platform === 'win32' ? 'posix only' : undefined;
// In CI a missing service is a failure.
const redisServer = findOnPath('redis-server') ?? findOnPath('valkey-server');
const noRedis = posixOnly ?? (process.env.CI || redisServer ? undefined : 'no redis-server');
const mosquitto = findServer('mosquitto');
const noMosquitto = posixOnly ?? (process.env.CI || mosquitto ? undefined : 'no mosquitto');

/** A folder with a blank and the name of a user in its path. */
const workspace = makeWorkspace();
const folder = join(workspace.folder, 'al ice');
mkdirSync(folder);
after(() => workspace.remove());

/** @param {string} path @returns {string} as it stands in a URL, its blanks encoded */
const encoded = (path) => path.split('/').map(encodeURIComponent).join('/');

describe('the URL of a unix socket', () => {
  it('names a path, encoded or not, for each transport and use', () => {
    /** @type {[string, string][]} */
    const urls = [
      ['unix:///run/redis.sock', '/run/redis.sock'],
      ['UNIX:///tmp/x y/r.sock', '/tmp/x y/r.sock'],
      ['unix:///tmp/x%20y/%23%3F%25', '/tmp/x y/#?%'],
      ['redis+unix://:p%40ss@/run/r.sock?db=2', '/run/r.sock'],
      ['mqtt+unix://alice:p@ss@/run/m.sock', '/run/m.sock'],
    ];
    for (const [url, path] of urls) {
      assert.equal(parseSocketPath(url), path, url);
      assert.equal(socketUrlProblem(url, 'linux'), null, url);
      assert.equal(detectNet(url), 'unix');
    }
    const { username, password, searchParams } = /** @type {URL} */ (
      parsedUrl('redis+unix://alice:p%40ss@/r?db=2')
    );
    assert.deepEqual([username, password, searchParams.get('db')], ['alice', 'p%40ss', '2']);
  });

  it('has no path if a host is named', () => {
    for (const url of ['redis://localhost/1', 'rediss://h', 'mqtt://localhost', '/tmp/redis.sock']) {
      assert.equal(parseSocketPath(url), null);
      assert.equal(detectNet(url), 'tcp');
    }
  });

  it('is rejected with a valid form', () => {
    const long = `/tmp/${'x'.repeat(SOCKET_PATH_MAX_BYTES)}`;
    /** @type {[string, RegExp][]} */
    const bad = [
      ['unix://redis.sock', /names no unix socket; write the path from the root on.*unix:\/\/\/path/],
      ['unix://S3cret.sock/x', /names no unix socket/],
      ['unix://', /names no unix socket/],
      ['unix:///', /names no unix socket/],
      ['unix:///?db=1', /names no unix socket/],
      ['unix:/run/r.sock', /three slashes/],
      ['unix:run/r.sock', /three slashes/],
      ['unix://alice:12/S3cret@/r', /names no unix socket/],
      ['unix:///tmp/a#b', /write %23/],
      ['unix:///tmp/100%/r', /write %25/],
      ['unix:///tmp/%ff', /names no unix socket/],
      ['unix:///tmp/a%00b', /a path cannot contain %00/],
      [`unix://${long}`, /has \d+ bytes and the system allows \d+.*symbolic link/],
      [`unix://${long.slice(0, 100)}${'ü'.repeat(10)}`, /bytes/],
    ];
    for (const [url, reason] of bad) {
      const said = String(socketUrlProblem(url, 'linux'));
      assert.match(said, reason, url);
      assert.doesNotMatch(said, /S3cret|alice/);
    }
    assert.equal(socketUrlProblem(`unix://${long.slice(0, SOCKET_PATH_MAX_BYTES)}`, 'linux'), null);
    assert.match(String(socketUrlProblem('unix:///run/r.sock', 'win32')), /Windows; give a URL with a host/);
  });
});

describe('the path of a socket', { skip: posixOnly }, () => {
  it('is rejected before the measurement if there is no socket, nothing, or no permission', async () => {
    writeFileSync(join(folder, 'file'), '');
    /** @type {[string, RegExp][]} */
    const paths = [
      ['none', /there is no socket at unix:.*none \(ENOENT\); start the server/],
      ['file/none', /there is no socket at .* \(ENOTDIR\)/],
      ['file', /is not a socket; check the path/],
      ['', /is not a socket/],
    ];
    for (const [name, reason] of paths) {
      assert.match(String(missingSocketProblem(`unix://:S3cret@${encoded(join(folder, name))}`)), reason);
    }
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0 });
    const isRoot = process.geteuid?.() === 0; // whom no mode keeps out
    if (isRoot) process.seteuid?.(NOBODY);
    const reason = missingSocketProblem(`unix://${closed}/r.sock`);
    if (isRoot) process.seteuid?.(0);
    assert.match(String(reason), /you may not connect to .* \(EACCES\); become a member of its group/);
    const args = ['--broker-url', `redis=unix://:S3cret@${folder}/none`, '--dry-run', '--transport'];
    const needed = await callCli([...args, 'pipe,redis-list'], workspace);
    assert.equal(needed.code, 2);
    assert.match(needed.stderr, /^ipc-bench: --broker-url redis: there is no socket at unix:[^\n]+\n$/);
    assert.doesNotMatch(needed.stderr, /S3cret/);
    const other = await callCli([...args, 'pipe'], workspace);
    assert.equal(other.code, 0, other.stderr);
  });
});

/**
 * @param {string} name
 * @param {string[]} args
 * @returns {Promise<{ path: string, end: () => Promise<void> }>}
 */
async function startRedis(name, args) {
  const path = join(folder, `${name}.sock`);
  const secret = args.includes('--requirepass') ? `:${encodeURIComponent(PASSWORD)}@` : '';
  const server = await startResponding(
    {
      command: String(redisServer),
      args: ['--port', '0', '--unixsocket', path, '--save', '', '--dir', folder, ...args],
      cpus: null,
      logPath: join(folder, `${name}.log`),
    },
    { deadlineMs: 5_000, check: () => redisBroker.describe?.(`unix://${secret}${path}`) ?? Promise.reject() },
  );
  return { path, end: server.end };
}

/**
 * @param {Transport} transport
 * @param {string} brokerUrl
 */
async function converse(transport, brokerUrl) {
  const { listener, worker } = await openBothEnds(transport, { settings: {}, brokerUrl });
  await makeRoundTrips(worker, 2, 20);
  await worker.close();
  await listener.close();
}

const SHORT =
  '--launches 1 --warmup 20ms --measure 200ms --workers 1x1 --codec json --no-controls --no-charts'.split(
    ' ',
  );

/**
 * @param {string[]} args
 * @param {Record<string, string>} [environment]
 */
async function measured(args, environment) {
  const all = [...SHORT, '--no-controls', '--lock', 'ignore', '--out', 'out', '--force', ...args];
  const { stderr, stdout, code } = await callCli(all, workspace, { environment });
  const path = join(workspace.folder, 'out', 'results.json');
  return {
    results: await readResults(path),
    stored: readFileSync(path, 'utf8'),
    said: stderr + stdout,
    code,
  };
}

describe('a Redis on a unix socket', { skip: noRedis, timeout: TIMEOUT_MS }, () => {
  /** @type {{ path: string, end: () => Promise<void> }} */
  let open;
  /** @type {{ path: string, end: () => Promise<void> }} */
  let locked;
  before(async () => {
    open = await startRedis('open', []);
    locked = await startRedis('locked', ['--requirepass', PASSWORD]);
  });
  after(() => Promise.all([open?.end(), locked?.end()]));

  for (const transport of [redisPubsub, redisList, redisStreams]) {
    it(`carries ${transport.name} with each form of its URL`, async () => {
      await converse(transport, `unix://${open.path}`);
      await converse(transport, `redis+unix://${encoded(open.path)}?db=2`);
      await converse(transport, `unix://:${encodeURIComponent(PASSWORD)}@${encoded(locked.path)}`);
      const password = encodeURIComponent(PASSWORD);
      await converse(transport, `unix://${locked.path}?db=1&user=default&pass=${password}`);
      await converse(transport, `unix://${locked.path}?username=default&password=${password}`);
    });
  }

  it('is used only in the database that the URL names', async () => {
    const url = `redis+unix://${encoded(open.path)}`;
    const { client, close } = await openRedis(`${url}?db=3`, () => {});
    await client.set('kept', 'yes');
    const other = await openRedis(url, () => {});
    assert.equal(await other.client.get('kept'), null);
    await other.close();
    await client.del('kept');
    await close();
    for (const db of ['99', 'x', '-1']) {
      await assert.rejects(
        openRedis(`${url}?db=${db}`, () => {}),
        { code: 'BROKER', message: /DB index|db is no/ },
      );
    }
  });

  it('is measured by the command, from a variable; a cell that asks for tcp is skipped', async () => {
    const url = `unix://:${encodeURIComponent(PASSWORD)}@${encoded(locked.path)}`;
    const args = ['--transport', 'redis-pubsub,redis-list:net=unix,redis-pubsub:net=tcp'];
    const { results, stored, said, code } = await measured(args, { IPC_BENCH_BROKER_URL: `redis=${url}` });
    assert.equal(code, 0, said);
    assert.deepEqual(
      results.outcomes.map(({ status }) => status),
      ['measured', 'measured', 'skipped'],
    );
    assert.match(stored, /net=tcp needs a host/);
    const { origin, config } = results.environment.brokers.redis;
    assert.deepEqual([origin, config.net, config.appendonly], ['url', 'unix', 'no']);
    assert.doesNotMatch(stored + said, /al ice|al%20ice|s3\/cr|s3%2F/);
    const { client, close } = await openRedis(url, () => {});
    assert.deepEqual(await client.keys('*'), []);
    await close();
  });

  it('reports why it refuses a connection, without path, user and password', async () => {
    /** @type {[string, RegExp][]} */
    const urls = [
      [`unix://alice:S3cret@${encoded(open.path)}`, /^cannot use Redis at unix:\/\/\*\*\*: WRONGPASS/],
      [`unix://${locked.path}`, /^cannot use Redis at unix:\/\/\*\*\*: NOAUTH/],
    ];
    for (const [url, message] of urls) {
      await assert.rejects(
        openBothEnds(redisList, { settings: {}, brokerUrl: url }),
        (/** @type {Error} */ error) => {
          assert.match(error.message, message);
          return !/al ice|al%20ice|S3cret|alice/.test(error.message);
        },
      );
    }
  });

  it('fails the cell when it has ended, and the results do not contain its path', async () => {
    const script =
      'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, 9))';
    const stale = join(folder, 'stale.sock');
    spawnSync(process.execPath, ['-e', script, stale]);
    const url = `unix://${encoded(stale)}`;
    const { results, stored, said, code } = await measured([
      '--transport',
      'redis-list',
      '--broker-url',
      `redis=${url}`,
    ]);
    assert.equal(code, 3, said);
    const [outcome] = results.outcomes;
    assert.ok(outcome.status === 'failed' && outcome.code === 'BROKER');
    assert.match(outcome.message, /cannot use Redis at unix:\/\/\*\*\*: connect ECONNREFUSED/);
    assert.doesNotMatch(stored + said, /al ice|al%20ice/);
  });
});

describe('an MQTT broker on a unix socket', { skip: noMosquitto, timeout: TIMEOUT_MS }, () => {
  /** @type {string} */
  let path;
  /** @type {() => Promise<void>} */
  let end;
  before(async () => {
    path = join(folder, 'mqtt.sock');
    const configPath = join(folder, 'mosquitto.conf');
    // It takes no blank in a path, so its own folder is where it starts. As root it would become another user.
    const user = process.getuid?.() === 0 ? 'user root\n' : '';
    writeFileSync(configPath, `listener 0 mqtt.sock\nallow_anonymous true\n${user}`);
    ({ end } = await startResponding(
      {
        command: String(mosquitto),
        args: ['-c', configPath],
        cpus: null,
        folder,
        logPath: join(folder, 'mosquitto.log'),
      },
      { deadlineMs: 5_000, check: async () => mqttBroker.describe?.(`unix://${path}`) },
    ));
  });
  after(() => end?.());

  it('carries messages with each form of its URL', async () => {
    for (const url of [`unix://${path}`, `mqtt+unix://alice:S3cret@${encoded(path)}`])
      await converse(mqtt, url);
  });

  it('is measured by the command, and the results contain its kind of socket but not its path', async () => {
    const { results, stored, said, code } = await measured([
      ...['--transport', 'mqtt,mqtt:net=tcp,mqtt:broker=aedes'],
      ...['--broker-url', `mqtt=unix://${encoded(path)}`],
    ]);
    assert.equal(code, 0, said);
    assert.deepEqual(
      results.outcomes.map(({ status }) => status),
      ['measured', 'skipped', 'skipped'],
    );
    assert.match(stored, /broker=aedes is about a private server/);
    assert.deepEqual(results.environment.brokers.mqtt.config, { net: 'unix' });
    assert.doesNotMatch(stored, /al ice|al%20ice/);
  });
});
