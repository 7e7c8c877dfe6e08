// A peer in Python: an event loop of its standard library, asyncio.

import { join } from 'node:path';
import { findPrograms, installationOf } from '../../children/find-programs.js';

/** @type {import('../../types/runtimes.js').Runtime} */
export default {
  name: 'python',
  summary: 'a peer in Python 3, for the master: python=PATH is another one',
  speaks: 'names',
  remedy: () =>
    installationOf({
      linux: 'apt install python3',
      darwin: 'brew install python',
      win32: 'winget install Python.Python.3.13',
    }),
  find: (places) => ['python3', 'python'].flatMap((name) => findPrograms(places, name, [])),
  args: () => [],
  // It keeps no compiled files beside those of this package.
  peer: async (path) => ({ command: path, args: ['-B', join(import.meta.dirname, 'main.py')] }),
};
