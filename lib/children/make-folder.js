// A folder with those above it. The recursive mkdir of Node never returns where a file system takes no folders, as /proc, and
// tells of a read-only one that something is missing.

import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * @param {string} path
 * @param {{ mode?: number }} [how]    of each folder that is made
 * @returns {Promise<void>}
 * @throws {NodeJS.ErrnoException} EEXIST: a file is in its place
 */
export async function makeFolders(path, how = {}) {
  try {
    await mkdir(path, how);
  } catch (error) {
    if (await isFolder(path)) return;
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await isFolder(parent))) throw error;
    await makeFolders(parent, how);
    await makeFolders(path, how);
  }
}

/** @param {string} path */
async function isFolder(path) {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true;
}
