// Why a module of a plug-in could not be loaded: what Node says of it, where in the file that is, and what to do about a package
// that is missing.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OWN_PACKAGE } from '../machine/own-package.js';
import { printable } from '../words/printable.js';

const OWN_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

/** @param {unknown} cause @param {string} url   of the module @returns {string} */
export function loadFault(cause, url) {
  if (!(cause instanceof Error)) return printable(String(cause));
  const [, name] = /^Cannot find package '([^']+)'/.exec(cause.message) ?? [];
  if (name !== undefined) {
    const source = name === OWN_PACKAGE.name ? `"${OWN_FOLDER}"` : name;
    return printable(`${cause.message}; install it in the folder of the plug-in: npm install ${source}`);
  }
  const place = placeIn(cause.stack ?? '', url) ?? (isSyntaxError(cause) ? syntaxErrorPlace(url) : null);
  return printable(place === null ? cause.message : `${cause.message} (${place})`);
}

/** @param {Error} error */
const isSyntaxError = ({ name }) => name === 'SyntaxError';

// A module has a URL in a stack, and a CommonJS module its path. Of an import that its module does not have, the place stands first.
const PLACE = /(?:^|at |\()((?:file:\/\/|\/|[a-z]:\\)[^()]*?):(\d+)(?::(\d+)\)?)?$/im;

/** @param {string} stack @param {string} url @returns {string | null} where in a file, which is named where it is another one */
function placeIn(stack, url) {
  const [, file, line, column] = PLACE.exec(stack) ?? [];
  if (file === undefined || file === import.meta.resolve('./plugins.js')) return null;
  const where = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
  return file === url || file === fileURLToPath(url) ? where : `${where} of ${file}`;
}

/**
 * Node tells where the syntax of an imported module is wrong only on stderr, and only of what it was started with.
 * @param {string} url
 * @returns {string | null} null: it is in a module that this one imports
 */
function syntaxErrorPlace(url) {
  if (!url.startsWith('file:')) return null;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--check'], {
    input: readFileSync(new URL(url)),
    encoding: 'utf8',
  });
  const [, line] = /^\[stdin\]:(\d+)$/m.exec(stderr) ?? [];
  return line === undefined ? null : `line ${line}`;
}
