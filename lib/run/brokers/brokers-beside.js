// The private brokers of one launch in the emulated network of its master: a process in that network runs their pool.

import { fileURLToPath } from 'node:url';
import { stderrTail, waitForExit } from '../../children/child-exit.js';
import { spawnModule, withStreams } from '../../children/launcher.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';

/** @import { Environment } from '../../types/index.js' */
/** @import { HopBroker, LaunchHops } from './broker-pool.js' */
/** @typedef {ReturnType<typeof import('./broker-pool.js').assignedHop>} AssignedHop */
/** @typedef {{ launch: LaunchHops, cpus: number[][], scratchDir: string, bindAddress: string }} ServeOrder */
/** @typedef {{ hops: AssignedHop[], noted: Environment['brokers'] } | { died: number, cause: string } | { failed: string }} ServeNews */
/** @typedef {{ hops: HopBroker[], noted: Environment['brokers'], close: () => Promise<void> }} BrokersBeside */

const SERVE_PATH = fileURLToPath(new URL('serve-beside.js', import.meta.url));
const END_DEADLINE_MS = 10_000; // a broker has 1 s for it before it is killed, and one that starts its own deadline

/**
 * @param {string[]} before     words that run a command in the network
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
  /** @type {Map<number, string>} cause of death by the pid of a broker */
  const dead = new Map();
  /** @type {Promise<Extract<ServeNews, { hops: any }>>} */
  const served = new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why) => reject(new BenchError('BROKER', why));
    child.on('message', (/** @type {ServeNews} */ news) => {
      if ('hops' in news) resolve(news);
      else if ('died' in news) dead.set(news.died, news.cause);
      else fail(news.failed);
    });
    ended.then((how) => fail(`who starts the broker ${how} ${stderr.lines().join('\n')}`.trim()));
  });
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    child.send(order, () => {}); // its exit explains an error
    const { hops, noted } = await served;
    return { hops: hops.map((hop) => withCause(hop, dead)), noted, close };
  } catch (error) {
    served.catch(() => {});
    await close();
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
  }
}

/** @param {AssignedHop} hop @param {Map<number, string>} dead @returns {HopBroker} */
function withCause({ brokerUrl, broker }, dead) {
  return {
    brokerUrl,
    broker: broker && { ...broker, causeOfDeath: () => dead.get(broker.pid) ?? null },
  };
}
