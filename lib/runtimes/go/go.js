// A peer in Go: each connection has a goroutine. It is compiled where a Go is found.

import { compiledProgram } from '../../children/compiled-program.js';
import { findPrograms, installationOf } from '../../children/find-programs.js';

const REMEDY = installationOf({
  linux: 'apt install golang-go',
  darwin: 'brew install go',
  win32: 'winget install GoLang.Go',
});

/** @type {import('../../types/runtimes.js').Runtime} */
export default {
  name: 'go',
  summary: 'a peer in Go, for the master: go=PATH has it compiled by another one',
  speaks: 'names',
  versionWord: 'version',
  remedy: () => REMEDY,
  find: (places) => findPrograms(places, 'go', []),
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
      // Of the standard library alone: no module, and no compiler of C.
      environment: { GO111MODULE: 'off', CGO_ENABLED: '0' },
      args: (files, to) => ['build', '-o', to, ...files],
    }),
  }),
};
