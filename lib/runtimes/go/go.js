// A peer in Go: each connection has a goroutine. It is compiled where a Go is found.

import { compiledPeer } from '../../peers/compiled-peer.js';
import { findPrograms } from '../../processes/find-programs.js';

/** @type {import('../../types/runtimes.js').Runtime} */
export default {
  name: 'go',
  summary: 'a peer in Go, for the master: go=PATH has it compiled by another one',
  speaks: 'names',
  versionWord: 'version',
  remedy: () => 'apt install golang-go',
  find: (places) => findPrograms(places, 'go', []),
  args: () => [],
  peer: async (compiler) => ({
    args: [],
    command: await compiledPeer({
      ...{ name: 'go', folder: import.meta.dirname, sources: /\.go$/, compiler, versionArgs: ['version'] },
      // Of the standard library alone: no module, and no compiler of C.
      environment: { GO111MODULE: 'off', CGO_ENABLED: '0' },
      args: (files, to) => ['build', '-o', to, ...files],
    }),
  }),
};
