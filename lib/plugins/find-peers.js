// Programs in other languages that play the master: made with what was found of a runtime that speaks names, or the user's own,
// and asked who they are.

import { basename, resolve } from 'node:path';
import { BenchError } from '../errors.js';
import { isExecutable } from '../processes/launcher.js';
import { helloOf } from '../processes/peer-process.js';
import { printable } from '../words/printable.js';

/** @import { FoundRuntime, Peer, Runtime } from '../types/index.js' */

/** @type {Map<string, Promise<Peer>>} by runtime and path: two rows have one program */
const known = new Map();

/**
 * @param {Runtime} runtime    that speaks names
 * @param {string} path        of its compiler, its interpreter or its program
 * @returns {Promise<Peer>}
 * @throws {BenchError} why it is none
 */
export function peerOf(runtime, path) {
  const key = `${runtime.name} ${path}`;
  const asked = known.get(key) ?? askedPeer(runtime, path);
  known.set(key, asked);
  return asked;
}

/** @param {Runtime} runtime @param {string} path @returns {Promise<Peer>} */
async function askedPeer({ name, peer }, path) {
  if (peer === undefined) throw new TypeError(`${name} speaks names, and makes no peer`);
  const program = { name, ...(await peer(path)) };
  return { program, hello: await helloOf(program) };
}

/** @param {string} text @returns {boolean} the path of a program, and not the name of a runtime */
export function isPathOfPeer(text) {
  return /^\.{0,2}\//.test(text);
}

/**
 * @param {string} text             as the user wrote it
 * @param {readonly string[]} taken  names of runtimes
 * @returns {Promise<FoundRuntime>}
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function ownPeer(text, taken) {
  const path = resolve(text);
  const name = basename(path);
  const refused = (/** @type {string} */ why) =>
    new BenchError('BAD_ARGUMENT', `--runtime master:${printable(text)}: ${why}`);
  if (!isExecutable(path)) throw refused('there is no program that may be executed; check the path');
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name) || taken.includes(name)) {
    throw refused(
      'its name is taken, or has other characters than letters, digits and .-_: give it another name',
    );
  }
  /** @type {Runtime} */
  const runtime = {
    name,
    summary: path,
    speaks: 'names',
    remedy: () => 'check the path',
    find: () => [path],
    args: () => [],
    peer: async () => ({ command: path, args: [] }),
  };
  try {
    const peer = await peerOf(runtime, path);
    return { runtime, name, path, version: `${peer.hello.runtime} ${peer.hello.version}`, peer };
  } catch (cause) {
    throw refused(`${/** @type {Error} */ (cause).message}; docs/peers.md says what a peer is`);
  }
}
