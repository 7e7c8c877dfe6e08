// Runs one launch: forks a new master, sends it the spec, and waits for its end with a deadline. A failure is returned as data; only an
// abort is thrown.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { CONTROLLER } from '../cell/launch-roles.js';
import { endInTime, stderrTail } from '../children/child-exit.js';
import { nodeCommand, spawnModule, withStreams } from '../children/launcher.js';
import { endGroup, guardGroup, IN_OWN_GROUP } from '../children/process-group.js';
import { BenchError } from '../errors.js';
import { openForkControlChannel } from '../launch/control/control-channel.js';
import { allCpus } from '../launch/launch-spec.js';
import { growthMonitorFor } from '../launch/monitors/memory-watch.js';
import { describeRefusals, readRefusals } from '../machine/limits.js';

/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { HopBroker, Served } from './brokers/broker-pool.js' */
/** @import { NetworkOfLaunch } from './cell-runner.js' */
/** @typedef {import('../types/launches.js').FailedLaunch['phase']} LaunchPhase */
/** @typedef {(words: { command: string, args: string[] }) => { command: string, args: string[] }} Wrap */

const MASTER_PATH = fileURLToPath(new URL('../launch/controller/master.js', import.meta.url));

/**
 * The result of a launch. `done` has the fields of the controller's report, and for other hosts their `noise` and `served` brokers.
 * @typedef {{ kind: 'done', fields: any, noise?: import('../machine/noise.js').LaunchNoise, served?: Served }} DoneEnd
 * @typedef {{ kind: 'failed', code: string, message: string, phase: LaunchPhase, integrity: any, stderr: string[] }} FailedEnd
 * @typedef {DoneEnd | FailedEnd} LaunchEnd
 */

/**
 * Connects the controller of a launch to its workers on other hosts.
 * @typedef {object} RemoteLine
 * @property {() => void} onAwaiting    called when the controller waits for the workers
 * @property {(id: string, message: any) => void} carry   sends a message to a worker
 * @property {(id: string, message: any) => void} deliver   passes a message from a worker to the controller; set by runLaunch()
 */

/**
 * @param {LaunchSpec} spec
 * @param {object} settings
 * @param {string} settings.padding        has a random length, and enlarges the environment of the processes
 * @param {AbortSignal} settings.signal
 * @param {Wrap} [settings.wrap]           runs the master under another program
 * @param {Record<string, string>} [settings.variables]   further environment variables for its processes
 * @param {string[]} [settings.before]     prefix of the whole command line, which runs it in another network
 * @param {(phase: LaunchPhase) => void} [settings.onPhase]
 * @param {boolean} [settings.startsBrokers]   set for launches on other hosts whose private brokers start first
 * @param {import('./launch-groups.js').SlicedLaunch} [settings.sliced]   set for a launch in slices
 * @param {RemoteLine} [settings.remote]   set for a launch with workers on other hosts
 * @returns {Promise<LaunchEnd>}
 * @throws {BenchError} INTERRUPTED after an abort
 */
export async function runLaunch(spec, { padding, signal, wrap, variables, before, onPhase, sliced, remote }) {
  signal.throwIfAborted();
  const refusals = readRefusals();
  const child = withStreams(
    spawnModule(MASTER_PATH, [], {
      program: spec.programs?.[CONTROLLER] ?? nodeCommand(nodeFlags(spec)),
      placing: { cpus: spec.cpus && allCpus(spec.cpus), dieWithParent: true, before },
      wrap,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      variables: { IPC_BENCH_PADDING: padding, ...variables },
      ...IN_OWN_GROUP, // The group contains all processes of the launch.
    }),
  );
  const { programs, peer } = spec;
  const endGuarded = programs || peer ? guardGroup(child) : () => {};
  const stderr = stderrTail();
  for (const stream of [child.stdout, child.stderr]) stderr.take(stream);
  /** @type {LaunchPhase} */
  let phase = 'start';
  /** @type {LaunchEnd | undefined} */
  let end;
  const channelBroken = new AbortController();
  /** @type {import('../launch/monitors/memory-watch.js').GrowthMonitor | undefined} */
  let memory;
  const { sendControl } = openForkControlChannel(
    child,
    (message) => {
      if (message.control === 'phase') {
        phase = message.phase;
        onPhase?.(phase);
      } else if (message.control === 'watch') {
        memory = growthMonitorFor(message, sendControl);
        memory.begin();
      } else if (message.control === 'step-done') sliced?.onStepDone(message);
      else if (message.control === 'awaiting') remote?.onAwaiting();
      else if (message.control === 'remote') remote?.carry(message.id, message.message);
      else if (message.control === 'done') end = { kind: 'done', fields: message };
      else if (message.control === 'failed') {
        const { code, message: text, integrity } = message;
        end = { kind: 'failed', code, message: text, phase: message.phase, integrity, stderr: [] };
      }
    },
    (reason) => {
      if (end === undefined) channelBroken.abort(reason);
    },
  );
  if (sliced !== undefined) sliced.send = (step) => sendControl({ control: 'step', step });
  if (remote !== undefined) remote.deliver = (id, message) => sendControl({ control: 'remote', id, message });
  sendControl({ control: 'launch', spec });

  const unwanted = AbortSignal.any([signal, channelBroken.signal]);
  // The master exits when its fork channel closes, and is killed if it does not.
  const dismiss = () => {
    if (child.connected) child.disconnect();
  };
  const how = await endInTime(child, { lifeMs: spec.deadlines.lifeMs, signal: unwanted, dismiss });
  memory?.end();
  await endGroup(child);
  endGuarded();
  const drained = stderr.drain();
  if (signal.aborted) throw new BenchError('INTERRUPTED', 'interrupted');
  /** @param {string} code @param {string} message */
  const failed = (code, message) =>
    /** @type {LaunchEnd} */ ({ kind: 'failed', code, message, phase, integrity: null, stderr: [] });
  if (end === undefined) {
    const master = `the master (pid ${child.pid})`;
    if (how === null) {
      const next = 'NODE_DEBUG=ipc-bench in the environment shows the control messages of its processes';
      const late = `did not finish within ${spec.deadlines.lifeMs} ms: it hung during ${phase}`;
      end = failed('DEADLINE', `${master} ${late}; ${next}`);
    } else if (channelBroken.signal.aborted && (child.killed || child.exitCode === 0)) {
      const why = `broke during ${phase}, and it still ran: ${channelBroken.signal.reason}`;
      end = failed('PROTOCOL', `the control channel of ${master} ${why}`);
    } else end = failed('PROCESS_DIED', `${master} ${how} during ${phase}`);
  }
  if (end.kind === 'failed') {
    const hasDied = end.code === 'PROCESS_DIED';
    if (hasDied) await drained; // Its last lines may contain the reason.
    end.stderr = stderr.lines();
    const cause = hasDied ? lastOutput(end.stderr, spec.programs !== undefined) : null;
    // A thread reports the reason itself, without the name of the error.
    if (cause !== null && !end.message.endsWith(cause.replace(/^\w*Error: /, '')))
      end.message += `: ${cause}`;
    const limit = describeRefusals(refusals);
    if (limit !== null) end.message += `; ${limit}`;
  }
  return end;
}

// A profile attributes an inlined function to its caller, which may belong to another part.
const EXPLAINED_FLAGS = ['--no-turbo-inlining'];

/** Flags of the master on this Node, which its workers inherit. @param {LaunchSpec} spec */
const nodeFlags = ({ explained }) => (explained === 'functions' ? EXPLAINED_FLAGS : []);

// Runtimes print a banner, a stack and a link around the line with the reason of their exit.
const REASON = /\b(?:panic|fatal|\w*error|abort(?:ed)?|assertion|unsupported|out of memory)\b/i;
const LINK_OR_FRAME = /^(?:https?:|at )/;
const MAX_CHARACTERS = 200;

/**
 * @param {string[]} lines       the last lines that a process printed
 * @param {boolean} [isForeign]  true for another runtime than Node.js, whose last line may be the reason even if it does not look like one
 * @returns the last line with a reason, if there is one
 */
export function lastOutput(lines, isForeign = false) {
  const said = lines
    .map((line) => stripVTControlCharacters(line).trim())
    .filter((line) => !LINK_OR_FRAME.test(line));
  const cause = said.findLast((line) => REASON.test(line)) ?? (isForeign ? said.at(-1) : undefined);
  return cause?.slice(0, MAX_CHARACTERS) ?? null;
}

/**
 * @typedef {{ code: string, name: string, causeOfDeath: () => string | null }} Server   code: error code of a launch whose server died;
 *   causeOfDeath: returns null while it runs
 */

// The connections of a killed server close before the process ends and its supervisor reports the cause.
const DEATH_NOTICED_MS = 500;
const POLL_EVERY_MS = 10;

/** @type {FailedEnd} */
const FAILED_AFTER_REPORT = {
  kind: 'failed',
  code: 'BROKER',
  message: 'the launch finished without it, so its numbers are not used',
  phase: 'drain',
  integrity: null,
  stderr: [],
};

/**
 * A launch that has finished fails too if one of its servers is dead, since another program at that address may have responded.
 * @template {LaunchEnd} End
 * @param {End} end
 * @param {HopBroker[]} hops
 * @param {NetworkOfLaunch | null} [network]   null without an emulated one
 * @returns {Promise<End | FailedEnd>} the end, or a failure that names the death of a server as its cause
 */
export async function explainedByDeath(end, hops, network = null) {
  /** @type {Server[]} */
  const servers = hops.flatMap(({ broker }) => (broker === null ? [] : { ...broker, code: 'BROKER' }));
  if (network !== null)
    servers.push({ code: 'NETWORK', name: 'the delay line', causeOfDeath: network.causeOfDeath });
  const dead = end.kind === 'done' ? listDead(servers) : await waitForDead(servers);
  if (dead.length === 0) return end;
  const causes = dead.map(({ name, causeOfDeath }) => `${name} died: ${causeOfDeath()}; `);
  const failed = end.kind === 'done' ? FAILED_AFTER_REPORT : /** @type {FailedEnd} */ (end);
  return { ...failed, code: dead[0].code, message: `${causes.join('')}${failed.message}` };
}

/** @param {Server[]} servers */
function listDead(servers) {
  return servers.filter(({ causeOfDeath }) => causeOfDeath() !== null);
}

/** @param {Server[]} servers @returns the dead servers, as soon as there is one or after DEATH_NOTICED_MS */
async function waitForDead(servers) {
  const untilMs = performance.now() + DEATH_NOTICED_MS;
  while (servers.length > 0 && listDead(servers).length === 0 && performance.now() < untilMs)
    await sleep(POLL_EVERY_MS);
  return listDead(servers);
}
