// Names a process by the base name of its program or script. Its arguments, its source code and its environment may be secret, so that no
// label contains them. preload.cjs also needs this module in old versions of Node.js, which lack newer syntax and require() of ES modules.

const { basename } = require('node:path');

const NODE = /^node(js)?(\.exe)?$/i;
const WITH_VALUE =
  /^(-[rCep]|-pe|--(require|import|loader|experimental-loader|conditions|eval|print|env-file))$/;
const WITH_SOURCE = /^(-[ep]|-pe|--(eval|print)(=.*)?)$/s;
const SCRIPT_FILE = /\.[cm]?[jt]sx?$/i;
const URL_OR_FLAG = /^-|(^|[\\/])[a-z][a-z\d+.-]+:/i;

/** @param {string} file   path of a program */
const isNode = (file) => NODE.test(basename(file)) || file === process.execPath;

/**
 * @param {string[]} args   flags of Node.js, its script and arguments of the script
 * @returns {number} index of the script, or the number of arguments if there is none
 */
function findScript(args) {
  const found = args.findIndex((arg, at) => !arg.startsWith('-') && !WITH_VALUE.test(args[at - 1] || ''));
  return found === -1 ? args.length : found;
}

/**
 * @param {string[]} flags   flags of Node.js before the script
 * @param {string} [script]   path of the script, if Node.js has one
 * @returns {string} 'server.js', 'node -e' or 'node'
 */
function scriptLabel(flags, script = '') {
  if (flags.some((flag) => WITH_SOURCE.test(flag))) return 'node -e';
  return (URL_OR_FLAG.test(script) ? '' : basename(script)) || 'node';
}

/** @param {string} file   path of a program @param {string[]} args @returns {string} 'sh', 'server.js' or 'node -e' */
function programLabel(file, args) {
  if (!isNode(file)) return basename(file);
  const at = findScript(args);
  // A word after a flag may be the value of the flag, unless the word is the file name of a script.
  const isScript = at === 0 || SCRIPT_FILE.test(args[at]);
  return scriptLabel(args.slice(0, at), isScript ? args[at] : undefined);
}

module.exports = { findScript, isNode, programLabel, scriptLabel };
