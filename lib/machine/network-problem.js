// Whether this machine can have an emulated network between two processes, and what to do where it cannot: it is tried.

import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { compileDelayLine, openNetwork } from './delay-line.js';

const TUN = '/dev/net/tun';
const TRIAL = { roundTripUs: 100, bitsPerSecond: null };
const ROOT =
  'run as root, or let users have namespaces (sysctl user.max_user_namespaces, and what AppArmor allows)';

/** @param {string} [platform] @returns {Promise<string | null>} reason and remedy */
export async function networkProblem(platform = process.platform) {
  if (platform !== 'linux')
    return 'a network of its own needs namespaces of Linux: measure without --network';
  try {
    accessSync(TUN, constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const howToOpen =
      code === 'ENOENT'
        ? 'modprobe tun, or docker run --device /dev/net/tun'
        : `run as root, or let users open it, as most systems do: chmod 666 ${TUN}`;
    return `a network of its own needs ${TUN} (${code}): ${howToOpen}`;
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
    await rm(folder, { recursive: true, force: true });
  }
}
