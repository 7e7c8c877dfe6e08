// Deno: V8, and Node's modules written anew in Rust.

import { findPrograms } from '../processes/find-programs.js';

/** @type {import('../types/runtimes.js').Runtime} */
export default {
  name: 'deno',
  summary: 'Deno',
  speaks: 'modules',
  remedy: 'npm i @deno/linux-x64-glibc',
  find: (places) => findPrograms(places, 'deno', ['@deno/*/deno', '.bin/deno']),
  args: () => ['run', '-A', '--quiet', '--no-prompt', '--no-lock'],
};
