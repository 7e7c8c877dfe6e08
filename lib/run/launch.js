// One launch as the runner sees it: a fresh master is forked, handed its spec, and awaited with a deadline.
// Whatever happens inside becomes data; only an abort is thrown.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { CONTROLLER } from '../cell/launch-roles.js';
import { endInTime, stderrTail } from '../children/child-exit.js';
import { spawnModule, thisProgram, withStreams } from '../children/launcher.js';
import { endGroup, guardGroup, IN_OWN_GROUP } from '../children/process-group.js';
import { startFlags } from '../children/tier-up.js';
import { BenchError } from '../errors.js';
import { openForkControlChannel } from '../launch/control/control-channel.js';
import { allCpus } from '../launch/launch-spec.js';
import { watchFor } from '../launch/monitors/memory-watch.js';
import { straceWords } from './diagnostics/strace.js';

/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { HopBroker } from './brokers/broker-pool.js' */
/** @import { NetworkOfLaunch } from './cell-runner.js' */
/** @typedef {import('../types/launches.js').FailedLaunch['phase']} Phase */

/** @typedef {(words: { command: string, args: string[] }) => { command: string, args: string[] }} Wrap */

const MASTER_PATH = fileURLToPath(new URL('../launch/controller/master.js', import.meta.url));

/**
 * What became of a launch. `done` has the master's fields, `failed` the cause.
 * `noise`: of hosts that are not this one; `served`: by which brokers there.
 * @typedef {{ kind: 'done', fields: any, noise?: import('../machine/noise.js').LaunchNoise, served?: import('./brokers/broker-pool.js').Served } | { kind: 'failed', code: string, message: string, phase: Phase, integrity: any, stderr: string[] }} LaunchEnd
 */

/**
 * Between the controller of a launch and its workers on other hosts, for the caller that connects them.
 * @typedef {object} RemoteLine
 * @property {() => void} onAwaiting    the controller waits for the workers
 * @property {(id: string, message: any) => void} carry   to a worker
 * @property {(id: string, message: any) => void} deliver   from a worker to the controller; replaced as soon as there is one
 */

/**
 * @param {LaunchSpec} spec
 * @param {object} settings
 * @param {string} settings.padding        of random length, for the environment of the processes (M-08)
 * @param {AbortSignal} settings.signal
 * @param {Wrap} [settings.wrap]           puts another program in front of the master's
 * @param {string} [settings.traceDir]     that gets the logs of strace; absent: it is not put in front
 * @param {Record<string, string>} [settings.tells]   further variables of the environment of its processes
 * @param {string[]} [settings.before]     words in front of all that: they run it at another place
 * @param {(phase: Phase) => void} [settings.onPhase]
 * @param {boolean} [settings.startsBrokers]   who launches elsewhere starts private brokers there first
 * @param {import('./launch-groups.js').LaunchTurns} [settings.turns]   of a launch that is measured in slices
 * @param {RemoteLine} [settings.remote]   of a launch whose workers are on other hosts
 * @returns {Promise<LaunchEnd>}
 * @throws {BenchError} INTERRUPTED when the signal is given
 */
export async function runLaunch(
  spec,
  { padding, signal, wrap, traceDir, tells, before, onPhase, turns, remote },
) {
  signal.throwIfAborted();
  const child = withStreams(
    spawnModule(MASTER_PATH, [], {
      program: spec.programs?.[CONTROLLER] ?? thisProgram(nodeFlags(spec)),
      placing: { cpus: spec.cpus && allCpus(spec.cpus), dieWithParent: true, before },
      wrap: traceDir === undefined ? wrap : underStrace(traceDir),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      tells: { IPC_BENCH_PADDING: padding, ...tells },
      ...IN_OWN_GROUP, // all processes of the launch are in it
    }),
  );
  const { programs, peer } = spec;
  const endGuarded = programs || peer ? guardGroup(child) : () => {};
  const stderr = stderrTail();
  for (const stream of [child.stdout, child.stderr]) stderr.take(stream);
  /** @type {Phase} */
  let phase = 'start';
  /** @type {LaunchEnd | undefined} */
  let end;
  const lineBroken = new AbortController();
  const watch = watchFor((message) => sendControl(message));
  /** @param {any} message */
  const hear = (message) => {
    watch(message);
    if (message.control === 'phase') {
      phase = message.phase;
      onPhase?.(phase);
    } else if (message.control === 'turned') turns?.hear(message);
    else if (message.control === 'awaiting') remote?.onAwaiting();
    else if (message.control === 'remote') remote?.carry(message.id, message.message);
    else if (message.control === 'done') end = { kind: 'done', fields: message };
    else if (message.control === 'failed') {
      const { code, message: text, integrity } = message;
      end = { kind: 'failed', code, message: text, phase: message.phase, integrity, stderr: [] };
    }
  };
  const { sendControl } = openForkControlChannel(child, hear, (why) => {
    if (end === undefined) lineBroken.abort(why);
  });
  if (turns !== undefined) turns.send = (turn) => sendControl({ control: 'turn', ...turn });
  if (remote !== undefined) remote.deliver = (id, message) => sendControl({ control: 'remote', id, message });
  sendControl({ control: 'launch', spec });

  const unwanted = AbortSignal.any([signal, lineBroken.signal]);
  // The master takes the end of its fork channel for the order to leave; if it cannot any more, it is killed.
  const dismiss = () => {
    if (child.connected) child.disconnect();
  };
  const how = await endInTime(child, { lifeMs: spec.deadlines.lifeMs, signal: unwanted, dismiss });
  watch({ control: 'unwatch' });
  await endGroup(child);
  endGuarded();
  const heard = stderr.heard();
  if (signal.aborted) throw new BenchError('INTERRUPTED', 'interrupted');
  const failed = (/** @type {string} */ code, /** @type {string} */ message) =>
    /** @type {LaunchEnd} */ ({ kind: 'failed', code, message, phase, integrity: null, stderr: [] });
  if (end === undefined) {
    const who = `the master (pid ${child.pid})`;
    if (how === null) {
      const next = 'NODE_DEBUG=ipc-bench in the environment shows what its processes told each other';
      const late = `did not finish within ${spec.deadlines.lifeMs} ms: it hung during ${phase}`;
      end = failed('DEADLINE', `${who} ${late}; ${next}`);
    } else if (lineBroken.signal.aborted && child.killed) {
      const why = `broke during ${phase}, and it still ran: ${lineBroken.signal.reason}`;
      end = failed('PROTOCOL', `the control line of ${who} ${why}`);
    } else end = failed('PROCESS_DIED', `${who} ${how} during ${phase}`);
  }
  if (end.kind === 'failed') {
    const hasDied = end.code === 'PROCESS_DIED';
    if (hasDied) await heard; // who died may have said why just now
    end.stderr = stderr.lines();
    const cause = hasDied ? lastOutput(end.stderr, spec.programs !== undefined) : null;
    // A thread says itself why it ends, without the name of the error.
    if (cause !== null && !end.message.endsWith(cause.replace(/^\w*Error: /, '')))
      end.message += `: ${cause}`;
  }
  return end;
}

// A profile takes an inlined function for a piece of its caller, which may stand in another part.
const EXPLAINED_FLAGS = ['--no-turbo-inlining'];

/** @param {LaunchSpec} spec @returns of the master on this Node; its workers inherit them */
const nodeFlags = ({ tierUp, explained }) => [
  ...startFlags(tierUp),
  ...(explained === 'functions' ? EXPLAINED_FLAGS : []),
];

/** @param {string} traceDir @returns {Wrap} */
function underStrace(traceDir) {
  const [strace, ...options] = straceWords(traceDir);
  return ({ command, args }) => ({ command: strace, args: [...options, command, ...args] });
}

// What a process has printed of its own death: runtimes print a banner, a stack and a link around the line that says why.
const TELLING = /\b(?:panic|fatal|\w*error|abort(?:ed)?|assertion|unsupported|out of memory)\b/i;
const LINK_OR_FRAME = /^(?:https?:|at )/;
const GREATEST_CHARACTERS = 200;

/**
 * @param {string[]} lines       its last ones
 * @param {boolean} [isForeign]  no Node: where no line tells a cause, the last one may
 * @returns the last that tells a cause; null: none does
 */
export function lastOutput(lines, isForeign = false) {
  const said = lines
    .map((line) => stripVTControlCharacters(line).trim())
    .filter((line) => !LINK_OR_FRAME.test(line));
  const cause = said.findLast((line) => TELLING.test(line)) ?? (isForeign ? said.at(-1) : undefined);
  return cause?.slice(0, GREATEST_CHARACTERS) ?? null;
}

/** @typedef {{ code: string, name: string, causeOfDeath: () => string | null }} Server   code: of a launch that fails since it died */

// Of a server that is killed, its connections end first. Then the system ends it, and its supervisor tells us.
const TOLD_WITHIN_MS = 500;
const LOOK_EVERY_MS = 10;

/**
 * @template {{ code: string, message: string }} End
 * @param {End} end            of a launch that has failed
 * @param {HopBroker[]} hops
 * @param {NetworkOfLaunch | null} [network]
 * @returns with the death of its servers for the cause, where some have died
 */
export async function explainedByDeath(end, hops, network = null) {
  /** @type {Server[]} */
  const servers = hops.flatMap(({ broker }) => (broker === null ? [] : { ...broker, code: 'BROKER' }));
  if (network !== null)
    servers.push({ code: 'NETWORK', name: 'the delay line', causeOfDeath: network.causeOfDeath });
  const dead = await deadAmong(servers);
  if (dead.length === 0) return end;
  const causes = dead.map(({ name, causeOfDeath }) => `${name} died: ${causeOfDeath()}; `);
  return { ...end, code: dead[0].code, message: `${causes.join('')}${end.message}` };
}

/** @param {Server[]} servers @returns once one of them is known to have died, or it is late for that */
async function deadAmong(servers) {
  const dead = () => servers.filter(({ causeOfDeath }) => causeOfDeath() !== null);
  const untilMs = performance.now() + TOLD_WITHIN_MS;
  while (servers.length > 0 && dead().length === 0 && performance.now() < untilMs) await sleep(LOOK_EVERY_MS);
  return dead();
}
