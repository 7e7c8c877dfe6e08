// Bun: JavaScriptCore, and Node's modules written anew.

import { findPrograms } from '../processes/find-programs.js';

/** @type {import('../types/runtimes.js').Runtime} */
export default {
  name: 'bun',
  summary: 'Bun',
  speaks: 'modules',
  remedy: 'npm i @oven/bun-linux-x64',
  find: (places) => findPrograms(places, 'bun', ['@oven/*/bin/bun', '.bin/bun']),
  // What is missing is an error, and nothing to be fetched from the network.
  args: () => ['--no-install'],
};
