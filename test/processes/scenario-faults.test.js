// What becomes of each scenario when one of its processes is killed, when somebody else connects, and when its run is stopped: it
// ends within a second or two, says who died and when, keeps what was measured, and leaves nothing. What else can go wrong is the same
// for all of them: fault-matrix.test.js, which kills round-trip as well. A relay is killed in relays.test.js.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { settingDefaults } from '../../lib/cell/traits.js';
import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { readResults } from '../../lib/results/read.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_LONG } from '../conformance/long-form.js';
import { makePlace, startCli } from '../fixtures/cli-run.js';
import {
  commandOf,
  eventually,
  launchCell,
  launchUnderLoad,
  namesInSharedMemory,
  processesBelow,
} from '../fixtures/launch-cell.js';

const ON_LINUX = process.platform === 'linux' ? false : 'finds processes in /proc';
/** @param {...string} usual   those whose endpoints are no other's; the long form has all */
const scenarios = (...usual) => (IS_LONG ? builtinNames('scenario') : usual);
const ENDPOINTS = ['connect', 'fan-out', 'first-answer', 'queue', 'stream'];
// Over others than unix it is enough to ask the scenarios whose endpoints are no other's, in the window: whoever waits sees that a
// process has died by the same means, and each transport is asked in round trips by its own suite.
const OTHERS = IS_LONG ? ['pipe', 'shared-memory', 'zeromq', 'http'] : [];
const transportsOf = (/** @type {string} */ scenario) =>
  ENDPOINTS.includes(scenario) ? ['unix', ...OTHERS] : ['unix'];
// Who waits for the end of a warm-up sees that a process has died as it does in the window, whatever they talk over.
const phasesOver = (/** @type {string} */ transport) =>
  IS_LONG && transport === 'unix' ? ['connect', 'warm-up', 'measure', 'drain'] : ['measure'];
// Those that a launch stays in only if its transport waits there.
const HELD = ['connect', 'drain'];
// Its channels are closed all the time.
const NEVER_DRAINS = 'connect';
const NOTICED_MS = 2_000;
const LONG_MS = 30_000;
const SHORT_MS = 60;
const WORKERS = 2;

/** Of the processes of a launch, by what their command lines say. */
const VICTIMS = Object.freeze({ worker: 'worker/worker.js', master: 'controller/master.js' });

/** @param {string} scenario @param {string} transport @returns {Promise<string | null>} null: it can be asked of it */
async function whyNotAsked(scenario, transport) {
  const { skipReason: whyNot, settings } = (await import(builtinUrl('scenario', scenario))).default;
  const { traits } = (await import(builtinUrl('transport', transport))).default;
  return whyNot?.(traits, settingDefaults({ settings }), { workers: WORKERS }) ?? null;
}

/**
 * @param {string} scenario
 * @param {string} transport
 * @param {string} phase        in which the victim is killed
 * @param {string} program
 */
async function killedIn(scenario, transport, phase, program) {
  const before = new Set(processesBelow(process.pid, ''));
  const isHeld = HELD.includes(phase);
  const marks = mkdtempSync(join(tmpdir(), 'ibsf-'));
  /** @type {number[]} */
  let all = [];
  let killedMs = 0;
  const kill = () => {
    all = processesBelow(process.pid, '').filter((pid) => !before.has(pid));
    killedMs = performance.now();
    process.kill(processesBelow(process.pid, program).filter((pid) => !before.has(pid))[0], 'SIGKILL');
  };
  const ending = launchCell({
    transport: isHeld ? '../fixtures/phases.js' : transport,
    scenario,
    cell: {
      workers: WORKERS,
      loops: 2,
      codec: 'json',
      ...(isHeld && { settings: { at: phase, marks } }),
    },
    timing: {
      warmupMs: phase === 'warm-up' ? LONG_MS : 50,
      measureMs: phase === 'drain' ? SHORT_MS : LONG_MS,
    },
    deadlines: { lifeMs: 2 * LONG_MS },
    onPhase: (entered) => entered === phase && !isHeld && kill(),
  });
  if (isHeld) {
    await eventually(() => existsSync(join(marks, 'w0')), LONG_MS);
    kill();
  }
  const { end, left } = await ending;
  await eventually(() => all.every((pid) => commandOf(pid) === ''), NOTICED_MS);
  rmSync(marks, { recursive: true });
  return { end, left, tookMs: performance.now() - killedMs };
}

describe('a launch of', { skip: ON_LINUX }, () => {
  for (const scenario of scenarios(...ENDPOINTS)) {
    for (const transport of transportsOf(scenario)) {
      for (const phase of phasesOver(transport)) {
        if (scenario === NEVER_DRAINS && phase === 'drain') continue;
        for (const [who, program] of Object.entries(VICTIMS)) {
          it(`${scenario} over ${transport} ends when its ${who} is killed during ${phase}`, async (t) => {
            const why = await whyNotAsked(scenario, transport);
            if (why !== null) return t.skip(why);
            const { end, left, tookMs } = await killedIn(scenario, transport, phase, program);
            assert.ok(end.kind === 'failed');
            assert.equal(`${end.code} ${end.phase}`, `PROCESS_DIED ${phase}`);
            assert.match(end.message, /was killed by SIGKILL/);
            assert.ok(tookMs < patiently(NOTICED_MS), `${tookMs} ms`);
            // What a master that is killed leaves in the folder of its run, the runner removes with that.
            if (who !== 'master') assert.deepEqual(left, []);
            assert.deepEqual(namesInSharedMemory(), []);
          });
        }
      }
    }
  }
});

describe('an unauthenticated peer', { skip: ON_LINUX }, () => {
  for (const scenario of scenarios('queue', 'stream')) {
    it(`is turned away in the window of ${scenario}, which is measured`, async () => {
      const known = new Set(readdirSync(tmpdir()));
      const wish = { scenario, timing: { measureMs: longEnoughMs(300) } };
      const { ending, underLoad } = launchUnderLoad({ ...wish, deadlines: { finishMs: 20_000 } });
      await underLoad;
      const [path] = readdirSync(tmpdir())
        .filter((name) => !known.has(name))
        .map((name) => join(tmpdir(), name, 'master.sock'))
        .filter(existsSync);
      const intruder = connect(path);
      intruder.on('error', () => {}); // it may be hung up on while it still speaks
      intruder.end('GET / HTTP/1.1\r\n\r\n');
      intruder.resume();
      await once(intruder, 'close');
      const { end, left } = await ending;
      assert.equal(
        end.kind === 'done' && end.fields.rejectedConnections,
        1,
        JSON.stringify(end).slice(0, 1_000),
      );
      assert.deepEqual(left, []);
    });
  }
});

describe('a run that is stopped', { skip: ON_LINUX }, () => {
  // How a run is stopped is fault-matrix.test.js': here it is under the load of another scenario than there.
  for (const scenario of scenarios('stream')) {
    it(`keeps what it has measured of ${scenario}, and leaves nothing`, async () => {
      const place = makePlace();
      const load = '--codec json --workers 2x2 --launches 500 --warmup 50ms --measure 200ms'.split(' ');
      const rest = ['--no-controls', '--no-charts', '--lock', 'ignore', '--out', 'out'];
      const run = startCli(['--scenario', scenario, '--transport', 'unix', ...load, ...rest], place);
      const path = join(place.folder, 'out', 'results.json');
      /** On a crowded machine a window may be over before anything was answered in it. */
      const launches = async () =>
        (await readResults(path)).outcomes.flatMap((outcome) =>
          outcome.status === 'skipped' ? [] : outcome.launches,
        );
      try {
        await eventually(async () => existsSync(path) && (await launches()).length > 0, LONG_MS);
        const all = processesBelow(Number(run.child.pid), '');
        run.child.kill('SIGINT');
        const { code, stderr } = await run.ended;
        assert.equal(code, 130, stderr);
        await eventually(() => all.every((pid) => commandOf(pid) === ''), NOTICED_MS);
        assert.equal((await readResults(path)).status, 'interrupted');
        assert.ok((await launches()).every(({ status }) => status === 'measured'));
        assert.deepEqual(place.leftovers(), []);
      } finally {
        run.child.kill('SIGKILL');
        await run.ended;
        place.remove();
      }
    });
  }
});
