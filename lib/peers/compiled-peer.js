// A program compiled from sources of this package, once for each version of them and of the compiler, and kept in the user's
// cache folder.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { BenchError } from '../errors.js';
import { printable } from '../words/printable.js';

const COMPILE_DEADLINE_MS = 180_000; // C: 0.3 s; Go: 20 s with an empty cache of its own, more on a crowded machine
const run = promisify(execFile);

/** @param {NodeJS.ProcessEnv} [environment] @returns {string} where programs of this user's are kept */
export function cacheFolder({ XDG_CACHE_HOME: cache = '' } = process.env) {
  // The specification of XDG says that a relative one is to be ignored.
  return join(isAbsolute(cache) ? cache : join(homedir(), '.cache'), 'ipc-bench', 'peers');
}

/** @param {string} program @returns {boolean} it is there, and nobody else could have put it there */
function isOurs(program) {
  const found = statSync(program, { throwIfNoEntry: false });
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

/**
 * @param {object} recipe
 * @param {string} recipe.name
 * @param {string} recipe.folder      of its sources
 * @param {RegExp} recipe.sources     which of its files they are
 * @param {Record<string, string>} [recipe.environment]   of the compiler, besides ours
 * @param {string} recipe.compiler    path
 * @param {readonly string[]} recipe.versionArgs   that make the compiler tell its version
 * @param {(files: string[], to: string) => string[]} recipe.args
 * @param {string} [recipe.keptIn]
 * @returns {Promise<string>} path of the program
 * @throws {BenchError} TRANSPORT with what the compiler said
 */
export async function compiledPeer({
  name,
  folder,
  sources,
  compiler,
  versionArgs,
  environment,
  args,
  keptIn = cacheFolder(),
}) {
  const files = readdirSync(folder)
    .filter((file) => sources.test(file))
    .sort()
    .map((file) => join(folder, file));
  const how = { timeout: COMPILE_DEADLINE_MS, env: { ...process.env, ...environment } };
  const { stdout: version } = await run(compiler, [...versionArgs], how);
  const hash = createHash('sha256').update(version);
  for (const file of files) hash.update(readFileSync(file));
  const program = join(keptIn, `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (isOurs(program)) return program;
  await mkdir(keptIn, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(keptIn, `${name}-`));
  try {
    const to = join(own, name);
    await run(compiler, args(files, to), how);
    // Two runs may compile at once: whoever is last puts the same program in the place of the other's.
    await rename(to, program);
  } catch (error) {
    const { stderr = '', message } = /** @type {any} */ (error);
    const said = printable(String(stderr || message)).slice(0, 400);
    throw new BenchError('TRANSPORT', `the peer ${name} could not be compiled by ${compiler}: ${said}`, {
      cause: error,
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return program;
}
