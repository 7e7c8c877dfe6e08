// Runs in CI.
// `ipc-bench recommend --traffic`: with simulated launches, some of which write what a recorder in them would.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prepared, readSurroundings } from '../../lib/cli/prepare.js';
import { replayRecorded } from '../../lib/cli/recorded-replay.js';
import { findFault } from '../../lib/format/shape-fault.js';
import { SETTINGS } from '../../lib/record/recording-environment.js';
import { trafficText } from '../../lib/record/saved-traffic.js';
import { Finding } from '../../lib/types/findings.js';
import { longEnoughMs } from '../conformance/deadline.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';
import { makeParts, makeTraffic } from '../fixtures/make-traffic.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const REQUESTS = 2_000;
const SEND_US = 12;
const unwrapped = (/** @type {string} */ text) => text.replaceAll(/\n {2}/g, ' ');

/** @param {string} traffic @param {string} channel @param {string} row @param {boolean} hasResponses @param {boolean} [isFromMaster] */
async function replayed(traffic, channel, row, hasResponses, isFromMaster = false) {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  const host = { stdout: stream, stderr: stream, environment: { ...process.env }, exitNow() {} };
  const [transport, codec] = row.split('/');
  const usual = {
    launches: '1',
    warmup: '100ms',
    measure: `${longEnoughMs(300)}ms`,
    lock: 'ignore',
    controls: false,
    quiet: true,
  };
  const argv = { traffic, channel, transport, codec, rate: '500', placement: 'free', ...usual };
  const { messageUs } = await replayRecorded(
    await prepared(argv, readSurroundings({})),
    { hasResponses, isFromMaster },
    host,
  );
  return messageUs;
}

describe('a replay under the recorder', () => {
  const workspace = workspaceForEach();
  const traffic = fileURLToPath(new URL('../fixtures/traffic.json', import.meta.url));

  it('times processes, with the responses', async () => {
    const [us] = await replayed(traffic, '1', 'pipe/json', true);
    assert.ok(us > 0, String(us));
  });

  it('times threads, one way', async () => {
    const [us] = await replayed(traffic, '4', 'threads-message/v8', false);
    assert.ok(us > 0, String(us));
  });

  it('times the main process and the threads of a pool', async () => {
    const recorded = makeTraffic({ requests: REQUESTS, sendUs: SEND_US });
    for (const channel of recorded.channels) {
      channel.mechanism = 'postMessage';
      channel.atOnce = 2;
      channel.fromMaster = channel.pairs === null ? undefined : true;
    }
    const file = join(workspace.folder, 'traffic.json');
    writeFileSync(file, trafficText(recorded));
    const [us] = await replayed(file, '1', 'threads-message/v8', true, true);
    assert.ok(us > 0, String(us));
  });
});

describe('ipc-bench recommend --traffic', () => {
  const workspace = workspaceForEach();
  const save = (/** @type {Parameters<typeof makeTraffic>[0]} */ how) =>
    writeFileSync(join(workspace.folder, 'traffic.json'), trafficText(makeTraffic(how)));
  /** @returns {import('../../lib/types/index.js').Finding[]} those that it saved, in the published shape */
  const findings = () => {
    const saved = JSON.parse(readFileSync(join(workspace.folder, 'gain.json'), 'utf8'));
    for (const finding of saved.findings) assert.equal(findFault(Finding, finding), null, finding.kind);
    return saved.findings;
  };
  const noLaunch = async () => assert.fail('nothing has to be measured');

  /** @param {number} sendUs   that the recorder finds in the replay */
  const launcher = (sendUs) => {
    const simulated = simulatedLauncher();
    const seen = { recorded: 0, measured: 0 };
    /** @type {typeof simulated} */
    const launch = async (spec, settings) => {
      const folder = new URLSearchParams(settings.variables?.[SETTINGS]).get('to');
      seen[folder === null ? 'measured' : 'recorded'] += 1;
      if (folder !== null)
        makeParts({ labels: ['worker.js', 'master.js'], requests: REQUESTS, sendUs, into: folder });
      return simulated(spec, settings);
    };
    return { launch, seen };
  };

  it('says at once that there is nothing to gain', async () => {
    save({ requests: REQUESTS, sendUs: 1, pauseMs: 20 });
    const { code, stdout, stderr } = await callCli('recommend --traffic traffic.json', workspace, {
      launch: noLaunch,
    });
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^Nothing to gain: sending and deserialising\s+take < 0\.1 %\s+of a core\s+\(node\s+server\.js, recorded for\s+.*\)\.\n$/,
    );
    assert.ok(!existsSync(join(workspace.folder, 'ipc-bench-results')));
  });

  it('does not judge a channel by few messages', async () => {
    save({ requests: 300, sendUs: SEND_US });
    const { code, stdout } = await callCli('recommend --traffic traffic.json', workspace, {
      launch: noLaunch,
    });
    assert.equal(code, 7);
    assert.match(
      unwrapped(stdout),
      /^It is not known .*: fewer than 1,000 messages cannot show .*; record the program for longer\./,
    );
  });

  it('answers for the channel that takes the most, or for another one, and says what all of them take', async () => {
    const traffic = makeTraffic({ requests: 300, sendUs: SEND_US });
    const [requests] = traffic.channels;
    const logs = { ...requests, number: 3, to: 'logger.js (child)', pairs: null };
    writeFileSync(
      join(workspace.folder, 'traffic.json'),
      trafficText({ ...traffic, channels: [...traffic.channels, logs] }),
    );
    const most = await callCli('recommend --traffic traffic.json', workspace, { launch: noLaunch });
    const other = await callCli('recommend --traffic traffic.json --channel 3', workspace, {
      launch: noLaunch,
    });
    const takes = /sending and deserialising\s+take\s+[\d.]+ %/;
    assert.equal(takes.exec(other.stdout)?.[0], takes.exec(most.stdout)?.[0]);
    assert.match(most.stdout, /\nChannel 1: /);
    assert.match(other.stdout, /\nChannel 3: /);
  });

  it('does not judge a channel whose receiver was not recorded', async () => {
    const traffic = makeTraffic({ requests: REQUESTS, sendUs: SEND_US });
    for (const channel of traffic.channels) channel.to = 'orders.js (not recorded)';
    writeFileSync(join(workspace.folder, 'traffic.json'), trafficText(traffic));
    const { code, stdout } = await callCli('recommend --traffic traffic.json', workspace, {
      launch: noLaunch,
    });
    assert.equal(code, 7);
    assert.match(
      unwrapped(stdout),
      /^It is not known what there is to gain: the receiver was not recorded\./,
    );
  });

  it('promises what is saved once the replay is like the program', async () => {
    save({ requests: REQUESTS, sendUs: SEND_US });
    const { launch, seen } = launcher(SEND_US + 1);
    const asked = 'recommend --traffic traffic.json --codec json --lock ignore --json gain.json';
    const { code, stdout, stderr } = await callCli(asked, workspace, { launch });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Replaying channel 1: at most about /);
    assert.match(stdout, /^To gain: [\d.]+ % \([\d.]+–[\d.]+\) of a core, with \S+\.\nThe present/);
    assert.match(
      unwrapped(stdout),
      /Replayed: sending and deserialising take [\d.]+ µs a message, 1\.0\d+× /,
    );
    assert.match(stdout, /\npipe\/json, now +\d/);
    assert.match(stdout, /\nunix\/json .* another mechanism\n/);
    assert.ok(stdout.split('\n').every((line) => line.length <= 100));
    const [gain, ...others] = findings();
    assert.deepEqual([gain.kind, gain.verdict, gain.against], ['gain', 'better', 'pipe/json']);
    assert.match(stdout, new RegExp(`with ${gain.rows[0].row}\\.`));
    assert.ok(others.some(({ kind, rows }) => kind === 'replayed-rows' && rows.length > 2));
    assert.equal(seen.recorded, 5);
    assert.ok(seen.measured > 0);
    assert.match(unwrapped(stderr), /results\.json/);
  });

  it('says where the replay has messages of another size than the program', async () => {
    const traffic = makeTraffic({ requests: REQUESTS, sendUs: SEND_US });
    const [requests, ...others] = traffic.channels;
    const longer = { ...requests, bytes: { ...requests.bytes, sum: 5 * requests.bytes.sum } };
    writeFileSync(
      join(workspace.folder, 'traffic.json'),
      trafficText({ ...traffic, channels: [longer, ...others] }),
    );
    const { launch } = launcher(2 * SEND_US);
    const asked = 'recommend --traffic traffic.json --lock ignore --json gain.json';
    const { stdout } = await callCli(asked, workspace, { launch });
    const sentences =
      /recorded messages of channel 1 have (\d+) B on average and the replayed ones (\d+) B: the answer holds for the replayed sizes\..*\nThe difference in size, other load/s;
    const [, recorded, replayed] = (sentences.exec(unwrapped(stdout)) ?? []).map(Number);
    assert.ok(Math.abs(recorded / replayed - 5) < 0.1, stdout);
    const sizes = findings().filter(({ kind }) => kind === 'replay-sizes');
    assert.deepEqual(
      sizes.map(({ numbers }) => numbers),
      [{ channel: 1, recordedBytes: recorded, replayedBytes: replayed }],
    );
  });

  it('promises nothing where the replay is not like the program, and says that first', async () => {
    save({ requests: REQUESTS, sendUs: SEND_US });
    const { launch, seen } = launcher(2 * SEND_US);
    const asked = 'recommend --traffic traffic.json --lock ignore --json gain.json';
    const { code, stdout } = await callCli(asked, workspace, { launch });
    assert.equal(code, 5);
    const [gain, ...others] = findings();
    assert.deepEqual([gain.verdict, gain.why, gain.rows], ['none', { code: 'replay-unlike' }, []]);
    assert.ok(Number(others.find(({ kind }) => kind === 'replay')?.ratio?.estimate) > 1.7);
    assert.equal(seen.measured, 0);
    assert.match(stdout, /^The replay is not representative of the program, so no gain is promised\.\n/);
  });

  it('does not judge a channel whose present way cannot be measured', async () => {
    save({ requests: REQUESTS, sendUs: SEND_US });
    const { launch } = launcher(SEND_US);
    /** @type {typeof launch} */
    const failing = async (spec, settings) =>
      settings.variables === undefined && spec.cell.transport === 'pipe' && spec.cell.codec === 'json'
        ? {
            kind: 'failed',
            code: 'PROCESS_DIED',
            message: 'w0 died',
            phase: 'measure',
            integrity: null,
            stderr: [],
          }
        : launch(spec, settings);
    const { code, stdout } = await callCli('recommend --traffic traffic.json --lock ignore', workspace, {
      launch: failing,
    });
    assert.equal(code, 7);
    assert.match(
      unwrapped(stdout),
      /^It is not known what there is to gain: all launches of the present mechanism failed; /,
    );
    assert.doesNotMatch(stdout, /Nothing to gain/);
  });

  for (const [stage, launches, kept] of [
    ['replay', 2, 'nothing is saved'],
    ['comparison', 5, 'what was measured is saved'],
  ]) {
    it(`says nothing of a gain when it was stopped in the ${stage}, and what remains`, async () => {
      save({ requests: REQUESTS, sendUs: SEND_US });
      const { launch, seen } = launcher(SEND_US);
      /** @type {typeof launch} */
      const interrupted = async (spec, settings) => {
        if (seen.recorded === launches) process.emit('SIGINT', 'SIGINT');
        return launch(spec, settings);
      };
      const asked = 'recommend --traffic traffic.json --lock ignore --quiet --out out';
      const { code, stdout, stderr } = await callCli(asked, workspace, { launch: interrupted });
      assert.equal(code, 130);
      assert.match(unwrapped(stdout), /^It is not known what there is to gain: measuring was stopped\.\n/);
      assert.ok(stderr.includes(`SIGINT: stopping; ${kept}.`), stderr);
      assert.equal(existsSync(join(workspace.folder, 'out', 'results.json')), stage === 'comparison');
    });
  }
});
