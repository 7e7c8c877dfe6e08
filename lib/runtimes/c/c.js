// A peer in C: it waits for all connections at once by epoll, in one thread, and is compiled where a compiler is found.

import { C_COMPILERS, compiledC, compilerRemedy } from '../../children/compiled-program.js';
import { findPrograms } from '../../children/find-programs.js';

const HAS_EPOLL = process.platform === 'linux';
const SOURCES = Object.freeze({
  name: 'c',
  what: 'the peer c',
  folder: import.meta.dirname,
  sources: /\.[ch]$/,
  code: /** @type {const} */ ('TRANSPORT'),
});

/** @type {import('../../types/runtimes.js').Runtime} */
export default {
  name: 'c',
  summary: 'a peer in C, for the master: c=COMPILER has it compiled by another one',
  speaks: 'names',
  remedy: () => (HAS_EPOLL ? compilerRemedy() : 'its sources are for Linux'),
  find: (places) => (HAS_EPOLL ? C_COMPILERS.flatMap((name) => findPrograms(places, name, [])) : []),
  args: () => [],
  peer: async (compiler) => ({ args: [], command: await compiledC(SOURCES, compiler) }),
};
