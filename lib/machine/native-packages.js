// Loads packages with native code in a process of their own first, because a damaged add-on ends the process that loads it. The results
// are kept for the life of this process.

import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** @typedef {{ code?: string, message: string, isCrash?: true }} LoadError */

const LOADER = fileURLToPath(new URL('./load-packages.js', import.meta.url));
const DEADLINE_MS = 30_000;
export const CANVAS = '@napi-rs/canvas';
/** Dependencies of ipc-bench with native code that a process may load, directly or through other packages. */
export const NATIVE_PACKAGES = Object.freeze(['cbor-x', 'koffi', 'piscina', 'zeromq', CANVAS]);

/** Load errors by name of the package; null if it can be loaded. @type {Map<string, Promise<LoadError | null>>} */
const errors = new Map();
/**
 * The packages that the next process loads; null if none is needed.
 * @type {{ names: string[], loaded: Promise<Map<string, LoadError>> } | null}
 */
let next = null;

/**
 * Loads a native package in a child process. One child process loads all packages that are named until the next setImmediate().
 * @param {string} name
 * @returns {Promise<LoadError | null>} null if it can be loaded
 */
export function nativeLoadError(name) {
  const known = errors.get(name);
  if (known !== undefined) return known;
  next ??= startSoon([]);
  next.names.push(name);
  const error = next.loaded.then((found) => found.get(name) ?? null);
  errors.set(name, error);
  return error;
}

/** Starts to load those of the packages that have native code. @param {readonly string[]} names */
export function probePackages(names) {
  for (const name of names) if (NATIVE_PACKAGES.includes(name)) nativeLoadError(name);
}

/** @param {string[]} names   more are added until the process starts */
function startSoon(names) {
  const loaded = new Promise((resolve) => setImmediate(resolve)).then(() => {
    next = null;
    return loadAll(names);
  });
  return { names, loaded };
}

/** @param {string[]} names @returns {Promise<Map<string, LoadError>>} */
async function loadAll(names) {
  /** @type {Map<string, LoadError>} */
  const found = new Map();
  for (let left = names; left.length > 0; ) {
    const { printed, why } = await loadInChild(left);
    for (const [index, error] of printed.entries()) if (error !== null) found.set(left[index], error);
    const crashed = left[printed.length];
    if (crashed !== undefined)
      found.set(crashed, { message: `it crashes while it is loaded: ${why}`, isCrash: true });
    left = left.slice(printed.length + 1);
  }
  return found;
}

/**
 * @param {string[]} names
 * @returns {Promise<{ printed: (LoadError | null)[], why: string }>} printed: one for each package before the one that ended the process,
 *   null if it can be loaded; why: how the process ended
 */
async function loadInChild(names) {
  const { spawn } = await import('node:child_process');
  const { text } = await import('node:stream/consumers');
  const child = spawn(process.execPath, [LOADER, ...names], {
    stdio: ['ignore', 'pipe', 'ignore'], // Packages print warnings and stacks before they throw.
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  try {
    const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const lines = output.split('\n').filter((line) => line !== '');
    return { printed: lines.map((line) => JSON.parse(line)), why: signal ?? `exit code ${code}` };
  } catch {
    // No process can be started. The packages count as loadable, and loading them in this process shows what is wrong.
    return { printed: names.map(() => null), why: '' };
  }
}
