// Opens two network namespaces with a delay line between them, for one launch. The program is compiled once and started behind a
// supervisor, so that it cannot outlive the runner. The namespaces have no names in the system.

import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { compiledC } from '../children/compiled-program.js';
import { startGuarded } from '../children/guarded-server.js';
import { removeFolder } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { NS_PER_US } from '../format/units.js';

/** @typedef {{ roundTripUs: number, bitsPerSecond: number | null }} NetworkSpec   bitsPerSecond: null for no limit */
/** @typedef {{ roundTripUs: number, mtuBytes: number }} NetworkFacts   roundTripUs: measured by a ping */
/**
 * @typedef {object} OpenNetwork
 * @property {string} masterAddress
 * @property {string[]} beforeMaster   prefix of a command that runs at the master's end
 * @property {string[]} beforeWorkers   prefix of a command that the master starts at the workers' end
 * @property {number} pid   process id of the delay line
 * @property {string} countersPath   file with its counters
 * @property {NetworkFacts} facts
 * @property {() => string | null} causeOfDeath   null while it runs
 * @property {() => Promise<void>} close
 */

const WHAT = 'the delay line of --network';
const MASTER_ADDRESS = '10.255.0.1';
const WORKERS_ADDRESS = '10.255.0.2';
const START_DEADLINE_MS = 5_000; // usually a few ms
const PING_DEADLINE_MS = 15_000; // ping ends within 2.3 s: it sends packets for 0.3 s, and waits for a response for 2 s at most
const RETRY_MS = 2;
const ONE_WAY = 0.5; // of a round trip
const run = promisify(execFile);

/** @param {string} folder   private folder @returns path of the program */
export function compileDelayLine(folder) {
  const sources = { name: 'delay-line', what: WHAT, folder: import.meta.dirname, sources: /^delay-line\.c$/ };
  return compiledC({ ...sources, code: 'NETWORK', orIn: folder });
}

/**
 * @param {string} program   path from compileDelayLine
 * @param {NetworkSpec} network
 * @param {string} folder   private folder of the launch
 * @returns {Promise<OpenNetwork>}
 * @throws {BenchError} NETWORK with the program's stderr
 */
export async function openNetwork(program, { roundTripUs, bitsPerSecond }, folder) {
  const countersPath = join(folder, 'delay-line.counters');
  const logPath = join(folder, 'delay-line.log');
  const delayNs = Math.round(roundTripUs * ONE_WAY * NS_PER_US);
  const args = ['line', countersPath, String(delayNs), String(bitsPerSecond ?? 0)];
  const { pid, died, end } = await startGuarded({ command: program, args, cpus: null, logPath });
  /** @type {string | null} */
  let cause = null;
  died.then((how) => {
    cause = how;
  });
  const causeOfDeath = () => cause;
  try {
    const mtuBytes = await readyMtu(logPath, causeOfDeath);
    const ends = openEnds(program, pid);
    const { stdout } = await run(
      ends.beforeMaster[0],
      [...ends.beforeMaster.slice(1), program, 'ping', WORKERS_ADDRESS],
      {
        timeout: PING_DEADLINE_MS,
      },
    );
    const facts = { roundTripUs: Number(stdout) / NS_PER_US, mtuBytes };
    return { masterAddress: MASTER_ADDRESS, ...ends, pid, countersPath, facts, causeOfDeath, close: end };
  } catch (error) {
    await end();
    const { stderr = '', message } = /** @type {Error & { stderr?: string }} */ (error);
    throw new BenchError('NETWORK', `the delay line did not start: ${stderr.trim() || message}`, {
      cause: error,
    });
  }
}

/** @param {string} program @param {number} pid @returns {Pick<OpenNetwork, 'beforeMaster' | 'beforeWorkers'>} */
function openEnds(program, pid) {
  const spaces = `/proc/${pid}`;
  // Without root, the delay line creates a user namespace, which the master enters too.
  const user = process.geteuid?.() === 0 ? [] : [`${spaces}/ns/user`];
  return {
    beforeMaster: [program, 'enter', ...user, `${spaces}/fd/10`, '--'],
    beforeWorkers: [program, 'enter', `${spaces}/ns/net`, '--'],
  };
}

/** @param {string} logPath @param {() => string | null} causeOfDeath   returns null while it runs */
async function readyMtu(logPath, causeOfDeath) {
  const deadline = performance.now() + START_DEADLINE_MS;
  for (;;) {
    const cause = causeOfDeath();
    const log = await readFile(logPath, 'utf8');
    const [, mtu] = /^ready (\d+)$/m.exec(log) ?? [];
    if (mtu !== undefined) return Number(mtu);
    if (cause !== null) throw new Error(log.trim() || cause);
    if (performance.now() > deadline) throw new Error(`it was not ready within ${START_DEADLINE_MS} ms`);
    await sleep(RETRY_MS);
  }
}

const TUN = '/dev/net/tun';
const TRIAL = { roundTripUs: 100, bitsPerSecond: null };
const ROOT =
  'run as root, or let users have namespaces (sysctl user.max_user_namespaces, and what AppArmor allows)';

/** @param {string} [platform] @returns why --network does not work here, mostly with a remedy; null if it works */
export async function networkProblem(platform = process.platform) {
  if (platform !== 'linux') return 'an emulated network needs namespaces of Linux: measure without --network';
  try {
    accessSync(TUN, constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const howToOpen =
      code === 'ENOENT'
        ? 'modprobe tun, or docker run --device /dev/net/tun'
        : `run as root, or let users open it, as most systems do: chmod 666 ${TUN}`;
    return `an emulated network needs ${TUN} (${code}): ${howToOpen}`;
  }
  const folder = await mkdtemp(join(tmpdir(), 'ipcn-'));
  let remedy = '';
  try {
    const program = await compileDelayLine(folder);
    remedy = `; ${ROOT}`;
    const network = await openNetwork(program, TRIAL, folder);
    await network.close();
    return null;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return error.message + remedy;
  } finally {
    await removeFolder(folder);
  }
}
