// The folder of a private server: made for it, private as the folder it is in, and gone with it.

import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withRollback } from '../with-rollback.js';

/** @import { RunningBroker } from '../../types/index.js' */

/**
 * @param {string} scratchDir
 * @param {string} name
 * @param {(folder: string) => Promise<RunningBroker>} start
 * @returns {Promise<RunningBroker>}     `close` also removes the folder
 */
export async function inOwnFolder(scratchDir, name, start) {
  const folder = await mkdtemp(join(scratchDir, `${name}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  const broker = await withRollback(remove, () => start(folder));
  const close = async () => {
    await broker.close();
    await remove();
  };
  return { ...broker, close };
}
