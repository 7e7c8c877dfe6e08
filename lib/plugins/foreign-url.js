// Where a plug-in is that is not built in: a file of the user's, or a package.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { GROUP_NAMES } from '../cell/transport-classes.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../words/did-you-mean.js';
import { printable } from '../words/printable.js';
import { builtinNames } from './builtins.js';
import { otherNames } from './other-names.js';

/** @import { Kind } from './builtins.js' */

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {string} folder
 * @param {string} flag     by which it was asked for
 * @returns {string}
 */
export function foreignUrl(kind, name, folder, flag) {
  if (/^[./]/.test(name)) {
    const path = resolve(folder, name);
    if (existsSync(path)) return pathToFileURL(path).href;
    throw new BenchError('BAD_ARGUMENT', `${flag}: there is no file ${printable(path)}; check the path`);
  }
  const url = packageUrl(name, folder);
  if (url !== null) return url;
  if (existsSync(resolve(folder, name))) {
    throw new BenchError(
      'BAD_ARGUMENT',
      `${flag}: no ${kind} "${printable(name)}" is built in, but there is a file of that name; write ./${printable(name)}`,
    );
  }
  const builtin = builtinNames(kind);
  // A group is many transports, and only rows can be many.
  const groups = flag === '--transport' ? GROUP_NAMES : [];
  const what = `${flag}: no ${kind} "${printable(name)}" is built in, nor is a package of that name installed here`;
  const group = groups.length === 0 ? '' : `; groups: ${groups.join(', ')}`;
  const next = `Built in: ${builtin.join(', ')}${group}; your own file starts with ./ or /`;
  const hint = didYouMean(name, [...builtin, ...groups], { otherNames: otherNames(kind) });
  throw new BenchError('BAD_ARGUMENT', `${what}. ${next}.${hint}`);
}

/**
 * Node itself is asked, from the user's folder: `require.resolve` would miss packages for `import` only, and
 * `import.meta.resolve` resolves from this file.
 * @param {string} name
 * @param {string} folder
 * @returns {string | null}
 */
function packageUrl(name, folder) {
  if (!/^(@[\w.-]+\/)?\w[\w.-]*(\/[\w./-]+)?$/.test(name)) return null;
  const script = 'try { process.stdout.write(import.meta.resolve(process.argv[1])) } catch {}';
  const flags = ['--input-type=module', '--eval', script, '--', name];
  const url = execFileSync(process.execPath, flags, { cwd: folder, encoding: 'utf8' });
  // A name such as `fs` resolves to a part of Node, which is nobody's plug-in.
  return url.startsWith('file:') && existsSync(fileURLToPath(url)) ? url : null;
}
