// A peer in C: it waits for all connections at once by epoll, in one thread, and is compiled where a compiler is found.

import { compiledPeer } from '../../peers/compiled-peer.js';
import { C_COMPILERS, findPrograms } from '../../processes/find-programs.js';

/** @type {import('../../types/runtimes.js').Runtime} */
export default {
  name: 'c',
  summary: 'a peer in C, for the master: c=COMPILER has it compiled by another one',
  speaks: 'names',
  remedy: () => 'apt install gcc libc6-dev',
  find: (places) => C_COMPILERS.flatMap((name) => findPrograms(places, name, [])),
  args: () => [],
  peer: async (compiler) => ({
    args: [],
    command: await compiledPeer({
      ...{ name: 'c', folder: import.meta.dirname, sources: /\.[ch]$/, compiler, versionArgs: ['--version'] },
      args: (files, to) => ['-O2', '-o', to, ...files.filter((file) => file.endsWith('.c')), '-lm'],
    }),
  }),
};
