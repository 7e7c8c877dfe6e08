// How hosts are named, and what of that is refused.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { savedOptions } from '../../lib/options/print-config.js';
import { hostsSkipReason } from '../../lib/plan/skip-reasons.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { newResults } from '../../lib/results/write.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

const SECRET = '0123456789abcdef';
const URL = 'rediss://:password@redis.example:6380';
const GIVEN = { agents: URL, 'master-on': 'a', 'workers-on': 'b,c' };

/** @param {Record<string, unknown>} argv @param {Record<string, string>} [environment] */
const optionsOf = (argv, environment = { IPC_BENCH_SECRET: SECRET }) => resolved(argv, environment);

describe('hosts among the options', () => {
  const folder = ownFolder('ibo-');

  it('are a Redis and its secret', () => {
    const { options } = optionsOf(GIVEN);
    assert.deepEqual(options.hosts, { master: 'a', workers: ['b', 'c'] });
    assert.deepEqual(options.agents, { url: URL, secret: SECRET });
  });

  it('take URL and secret from files', () => {
    const [url, secret] = ['url', 'secret'].map((name) => join(folder, name));
    const { agents: _agents, ...others } = GIVEN;
    // As a shell of POSIX writes them, PowerShell 5 and an editor of Windows.
    for (const [encoding, mark, end] of /** @type {const} */ ([
      ['utf8', '', '\n'],
      ['utf16le', '\ufeff', '\r\n'],
      ['utf8', '\ufeff', '\r\n'],
    ])) {
      writeFileSync(url, `${mark}${URL}${end}`, encoding);
      writeFileSync(secret, `${mark}${SECRET}${end}`, encoding);
      const { options } = optionsOf({ ...others, 'agents-file': url, 'secret-file': secret }, {});
      assert.deepEqual(options.agents, { url: URL, secret: SECRET });
    }
  });

  it('may be of one machine with a folder in common', () => {
    const { options, config } = optionsOf({ ...GIVEN, 'same-machine': true });
    assert.equal(options.hosts?.sharesFolder, true);
    assert.equal(config['same-machine'], true);
    assert.equal(
      Object.hasOwn(/** @type {object} */ (optionsOf(GIVEN).options.hosts), 'sharesFolder'),
      false,
    );
  });

  it('are asked for by who names them, and not by what is left in the environment', () => {
    const { options } = optionsOf({}, { IPC_BENCH_AGENTS: URL, IPC_BENCH_SECRET: SECRET });
    assert.equal(options.hosts, undefined);
    const { agents: _agents, ...roles } = GIVEN;
    assert.equal(
      optionsOf(roles, { IPC_BENCH_AGENTS: URL, IPC_BENCH_SECRET: SECRET }).options.agents?.url,
      URL,
    );
  });

  it('are not stored with the results, but for their names', () => {
    const { options } = optionsOf(GIVEN);
    const results = newResults({
      options: savedOptions(options),
      environment: /** @type {any} */ ({}),
      reference: '',
      published: null,
    });
    assert.deepEqual(results.options.hosts, { master: 'a', workers: ['b', 'c'] });
    assert.doesNotMatch(JSON.stringify(results), /password|redis\.example|0123456789abcdef/);
  });

  const REFUSED = /** @type {[string, Record<string, unknown>, RegExp][]} */ ([
    ['roles without agents', { 'master-on': 'a' }, /--master-on: needs --agents/],
    ['a machine in common without agents', { 'same-machine': true }, /--same-machine: needs --agents/],
    ['agents without roles', { agents: URL }, /--agents: needs --master-on NAME and --workers-on/],
    [
      'one host for both',
      { ...GIVEN, 'workers-on': 'b,a' },
      /--workers-on: "a" is the host of the master already/,
    ],
    ['a host twice', { ...GIVEN, 'workers-on': 'b,b' }, /--workers-on: names "b" twice/],
    ['a name that is none', { ...GIVEN, 'master-on': '../x' }, /is no name of a host/],
    ['a URL that is none', { ...GIVEN, agents: 'http://:password@x' }, /--agents: this is no URL of a Redis/],
    ['agents by ssh', { ...GIVEN, agents: 'ssh://b' }, /--agents: this is no URL of a Redis/],
    ['both ways to give them', { ...GIVEN, 'agents-file': '/nonexistent' }, /contradicts --agents-file/],
    [
      'a network of one host',
      { ...GIVEN, network: '1ms' },
      /--network: goes without --agents: it is made on one host/,
    ],
    ['the native baseline', { ...GIVEN, floor: true }, /--floor: goes without --agents/],
    ['profiles', { ...GIVEN, profile: true }, /--profile: goes without --agents/],
    ['system calls', { ...GIVEN, syscalls: true }, /--syscalls: goes without --agents/],
    ['an explanation', { ...GIVEN, explain: true }, /--explain: goes without --agents/],
    ['other runtimes', { ...GIVEN, runtime: 'node,bun' }, /--runtime: goes without --agents/],
    ['folders of runtimes', { ...GIVEN, 'runtime-path': '/opt' }, /--runtime-path: goes without --agents/],
  ]);
  for (const [what, argv, how] of REFUSED) {
    it(`refuse ${what}`, () => {
      assert.throws(
        () => optionsOf(argv),
        (error) => {
          const { message } = /** @type {Error} */ (error);
          assert.match(message, how);
          assert.doesNotMatch(message, /password/);
          return true;
        },
      );
    });
  }

  it('refuse a file of messages that is too large for an order', () => {
    const file = join(folder, 'messages.txt');
    const ofFile = { ...GIVEN, 'message-file': file, 'message-format': 'text' };
    writeFileSync(file, `${'x'.repeat(100)}\n`);
    assert.equal(optionsOf(ofFile).options.messageFile?.bytes.greatest, 100);
    writeFileSync(file, `${'x'.repeat(99)}\n`.repeat(90_000));
    assert.throws(
      () => optionsOf(ofFile),
      /--message-file: the file has 9 MiB, .* which takes 8 MiB; take a sample/,
    );
  });

  it('come back with the options of an interrupted run', () => {
    const { options, config } = optionsOf(GIVEN);
    const again = optionsOf({ ...config, agents: URL });
    assert.deepEqual(again.options.hosts, options.hosts);
  });

  it('refuse a missing secret, and one that is too short', () => {
    assert.throws(() => optionsOf(GIVEN, {}), /needs the secret that the agents hold/);
    assert.throws(
      () => optionsOf(GIVEN, { IPC_BENCH_SECRET: 'short' }),
      /IPC_BENCH_SECRET: the secret is too short/,
    );
  });
});

describe('a cell between hosts', async () => {
  const cell = /** @type {any} */ ({ transport: 'tcp', settings: {}, placement: 'split', hosts: 'a:b' });
  const plugin = async (/** @type {'transport' | 'scenario'} */ kind, /** @type {string} */ name) =>
    (await import(builtinUrl(kind, name))).default;
  const [tcp, unix, zeromq, redis, pipe] = await Promise.all(
    ['tcp', 'unix', 'zeromq', 'redis-pubsub', 'pipe'].map((name) => plugin('transport', name)),
  );
  const [roundTrip, firstAnswer] = await Promise.all(
    ['round-trip', 'first-answer'].map((name) => plugin('scenario', name)),
  );
  /** @param {any} transport @param {any} scenario @param {object} own @param {Record<string, string>} [brokerUrls] */
  const why = (transport, scenario, own, brokerUrls = {}) =>
    hostsSkipReason(transport, { ...cell, transport: transport.name, ...own }, scenario, { brokerUrls });

  it('is measured where the transport goes over a network', () => {
    assert.equal(why(tcp, roundTrip, {}), null);
    assert.equal(why(zeromq, roundTrip, { settings: { net: 'tcp' } }), null);
    assert.equal(why(redis, roundTrip, {}, { redis: 'redis://elsewhere:1' }), null);
    assert.equal(why(redis, roundTrip, { settings: { net: 'tcp' } }), null, 'a private one, at the master');
    assert.equal(why(unix, roundTrip, { hosts: undefined }), null);
  });

  it('goes by a folder in common, where hosts have one, but not by what the start of a worker makes', () => {
    const hosts = { master: 'a', workers: ['b'], sharesFolder: /** @type {const} */ (true) };
    const whyShared = (/** @type {any} */ transport) =>
      hostsSkipReason(transport, { ...cell, transport: transport.name }, roundTrip, { hosts });
    assert.equal(whyShared(unix), null);
    assert.equal(whyShared(redis), null);
    assert.match(String(whyShared(pipe)), /pipe works on one host only/);
  });

  it('is skipped with the reason where something ends at its host', () => {
    assert.match(String(why(unix, roundTrip, {})), /unix works on one host only/);
    assert.match(
      String(why(zeromq, roundTrip, { settings: { net: 'ipc' } })),
      /zeromq:net=ipc works on one host only/,
    );
    assert.match(
      String(why(redis, roundTrip, { settings: { net: 'unix' } })),
      /redis-pubsub:net=unix works on one host only.*use redis-pubsub:net=tcp$/,
    );
    assert.match(
      String(why(redis, roundTrip, {}, { redis: 'unix:///run/r.sock' })),
      /unix socket, which other hosts cannot reach/,
    );
    assert.match(String(why(tcp, roundTrip, { placement: 'same' })), /placement same needs one CPU/);
    assert.match(
      String(why(tcp, firstAnswer, {})),
      /first-answer measures processes that start on the same host/,
    );
  });
});
