// Deno: V8, and Node's modules written anew in Rust. What it lacks was tried with Deno 2.9.6.

import { findPrograms } from '../processes/find-programs.js';

/** @import { Part } from '../types/runtimes.js' */

/** @param {Part} part @returns {string | null} */
function whyNot({ role, transport: { name } }) {
  if (name === 'fifo') return 'a net.Socket of Deno takes no descriptor of a named pipe';
  if (name === 'shared-memory' && role.listens)
    return 'node:fs of Deno takes no descriptor that the system gave to somebody else, and memory is made by one';
  if (name === 'zeromq' && role.listens)
    return 'what its native add-on receives reaches Deno now and then only, so that workers do not get in';
  return null;
}

/** @type {import('../types/runtimes.js').Runtime} */
export default {
  name: 'deno',
  summary: 'Deno',
  speaks: 'modules',
  remedy: (version) => `npm i @deno/linux-x64-glibc${version === undefined ? '' : `@${version}`}`,
  find: (places) => findPrograms(places, 'deno', ['@deno/*/deno', '.bin/deno']),
  args: () => ['run', '-A', '--quiet', '--no-prompt', '--no-lock'],
  whyNot,
};
