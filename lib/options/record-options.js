// The flags of `ipc-bench record`.

import { DURATION, parseQuantity } from './quantities.js';

/** @import { OptionEntry } from './flags.js' */

/** @type {Readonly<Record<string, OptionEntry>>} */
export const RECORD_TABLE = Object.freeze({
  for: {
    summary: 'stop the program after this time, by SIGTERM',
    value: 'TIME',
    shownDefault: 'until it ends',
    parse: ([text], source) => parseQuantity(text, DURATION, { min: 100, max: 24 * 3_600e3 }, source),
  },
  out: { summary: 'file to write', value: 'FILE', default: 'traffic.json' },
  contents: { summary: 'keep REAL MESSAGES in the file, which may hold secrets, instead of their shapes' },
  force: { summary: 'overwrite the file' },
});
