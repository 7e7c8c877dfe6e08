// The runtime `go`: a peer for the master, which is compiled on this machine.

import { compiledProgram } from '../../children/compiled-program.js';
import { findPrograms } from '../../children/find-programs.js';

/** @type {Partial<Record<NodeJS.Platform, string>>} */
const INSTALLERS = { darwin: 'brew install go', win32: 'winget install GoLang.Go' };
const REMEDY = INSTALLERS[process.platform] ?? 'apt install golang-go';

/** @type {import('../../types/runtimes.js').Runtime} */
export default {
  name: 'go',
  summary: 'a peer in Go, for the master: go=PATH has it compiled by another one',
  protocol: 'names',
  versionFlag: 'version',
  remedy: () => REMEDY,
  find: (searchPaths) => findPrograms(searchPaths, 'go', []),
  args: () => [],
  peer: async (compiler) => ({
    args: [],
    command: await compiledProgram({
      name: 'go',
      what: 'the peer go',
      folder: import.meta.dirname,
      sources: /\.go$/,
      code: 'TRANSPORT',
      compiler,
      remedy: REMEDY,
      versionArgs: ['version'],
      // The peer uses only the standard library, so it needs neither modules nor a C compiler.
      environment: { GO111MODULE: 'off', CGO_ENABLED: '0' },
      args: (files, to) => ['build', '-o', to, ...files],
    }),
  }),
};
