// Starts the private brokers of a launch in the emulated network of its master. A process in that network runs their pool.

import { fileURLToPath } from 'node:url';
import { stderrTail, waitForExit } from '../../children/child-exit.js';
import { spawnModule, withStreams } from '../../children/launcher.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';

/** @import { Environment } from '../../types/index.js' */
/** @import { HopBroker, LaunchHops } from './broker-pool.js' */
/** @typedef {ReturnType<typeof import('./broker-pool.js').assignedHop>} AssignedHop */
/** @typedef {{ launch: LaunchHops, cpus: number[][], scratchDir: string, bindAddress: string }} ServeOrder */
/** @typedef {{ hops: AssignedHop[], noted: Environment['brokers'] } | { died: number, cause: string } | { failed: string }} ServeMessage */
/** @typedef {{ hops: HopBroker[], noted: Environment['brokers'], close: () => Promise<void> }} BrokersBeside */

const SERVE_PATH = fileURLToPath(new URL('serve-beside.js', import.meta.url));
const END_DEADLINE_MS = 10_000; // A broker has 1 s to end before it is killed, and 5 s if a connection to it is being opened.

/**
 * @param {string[]} before     prefix of a command line that runs the process in the network
 * @param {ServeOrder} order
 * @param {AbortSignal} signal
 * @returns {Promise<BrokersBeside>}
 * @throws {BenchError} BROKER
 */
export async function serveBeside(before, order, signal) {
  const child = withStreams(
    spawnModule(SERVE_PATH, [], {
      placing: { dieWithParent: true, before },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    }),
  );
  const stderr = stderrTail();
  stderr.take(child.stderr);
  const ended = waitForExit(child);
  const close = async () => {
    if (child.connected) child.disconnect();
    await withDeadline(ended, END_DEADLINE_MS, () => child.kill('SIGKILL'));
    await ended;
  };
  /** Causes of death by the pid of the broker. @type {Map<number, string>} */
  const dead = new Map();
  /** @type {string | null} */
  let endedHow = null; // the cause of death of all its brokers, once the process has ended
  /** @type {Promise<Extract<ServeMessage, { hops: any }>>} */
  const served = new Promise((resolve, reject) => {
    /** @param {string} why */
    const fail = (why) => reject(new BenchError('BROKER', why));
    child.on('message', (/** @type {ServeMessage} */ message) => {
      if ('hops' in message) resolve(message);
      else if ('died' in message) dead.set(message.died, message.cause);
      else fail(message.failed);
    });
    ended.then((how) => {
      endedHow = `the process that started it ${how}`;
      fail(`the process that starts the broker ${how} ${stderr.lines().join('\n')}`.trim());
    });
  });
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    child.send(order, () => {}); // If sending fails, the exit of the process is reported instead.
    const { hops, noted } = await served;
    return { hops: hops.map((hop) => withCause(hop, (pid) => dead.get(pid) ?? endedHow)), noted, close };
  } catch (error) {
    served.catch(() => {});
    await close();
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

/** @param {AssignedHop} hop @param {(pid: number) => string | null} causeOfDeath @returns {HopBroker} */
function withCause({ brokerUrl, broker }, causeOfDeath) {
  return { brokerUrl, broker: broker && { ...broker, causeOfDeath: () => causeOfDeath(broker.pid) } };
}
