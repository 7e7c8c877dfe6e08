// Every option of `run`, once: what --help prints, what the environment and the config file may say, and what holds
// when nobody says anything. The texts are parsed in lib/options/options.js, the defaults like all others.

import { CELL_TABLE } from './cell-table.js';
import { HOST_TABLE } from './host-table.js';
import { LAUNCH_TABLE } from './launch-table.js';
import { OUTPUT_TABLE } from './output-table.js';
import { REPORTS_BY_FLAG } from './report-flags.js';

/**
 * @typedef {object} OptionEntry
 * @property {'cell' | 'launch' | 'run' | 'output'} [shapes]   which cells there are; each single measurement; how many of them,
 *                                    when, and what is measured besides; what is made of them. None: where options come from
 * @property {keyof import('../types/plans.js').Options} [sets]   where the option has another name
 * @property {string} summary
 * @property {string} [value]         what follows the flag, for --help; none: a switch
 * @property {boolean} [isList]       may be given several times
 * @property {boolean} [isFlagOnly]   not for the environment or the config file
 * @property {string} [default]
 * @property {string} [shownDefault]  in --help, where the default is not a fixed text
 */

/** @type {Readonly<Record<string, OptionEntry>>} */
const WHERE_TABLE = Object.freeze({
  config: { summary: 'JSON; keys are these names without dashes', value: 'FILE', isFlagOnly: true },
  resume: {
    summary: 'go on with an interrupted run: its options, its order, its finished launches',
    value: 'RESULTS.JSON',
    isFlagOnly: true,
  },
  'print-config': { summary: 'print all options as a config file, measure nothing', isFlagOnly: true },
  'dry-run': { summary: 'print the cells in order, measure nothing', isFlagOnly: true },
});

const STDOUT_OF_ALL = '; - is stdout, for the others also';
const STDOUT_OF_MANY = '; -: the first one to stdout';

/** @type {Record<string, OptionEntry>} */
const REPORT_TABLE = Object.fromEntries(
  [...REPORTS_BY_FLAG].map(([flag, { summary, option }], place) => {
    const isMany = option?.many !== undefined;
    const stdout = isMany ? STDOUT_OF_MANY : place === 0 ? STDOUT_OF_ALL : '';
    return [flag, { shapes: 'output', summary: summary + stdout, value: isMany ? 'DIR' : 'FILE' }];
  }),
);

/** @type {Record<string, { summary: string, value: string }>} what `compare` makes of a comparison */
export const COMPARISON_TABLE = Object.fromEntries(
  [...REPORTS_BY_FLAG]
    .flatMap(([flag, { comparison }]) =>
      comparison === undefined ? [] : [{ flag, ...comparison, value: comparison.isMany ? 'DIR' : 'FILE' }],
    )
    .map(({ flag, summary, value }, place) => [
      flag,
      { summary: summary + (place === 0 ? STDOUT_OF_ALL : ''), value },
    ]),
);

/** @type {Readonly<Record<string, OptionEntry>>} */
export const OPTION_TABLE = Object.freeze({
  ...CELL_TABLE,
  ...HOST_TABLE,
  ...LAUNCH_TABLE,
  out: OUTPUT_TABLE.out,
  ...REPORT_TABLE,
  ...OUTPUT_TABLE,
  ...WHERE_TABLE,
});

/** @param {OptionEntry} entry @returns {string} its heading in --help */
export function optionGroup({ shapes }) {
  if (shapes === 'cell') return 'What is measured';
  if (shapes === 'output') return 'What comes out';
  return shapes === undefined ? 'Where the options come from' : 'How long, and against what';
}

/** @param {string} flag @returns {string} IPC_BENCH_REDIS_URL */
export function environmentName(flag) {
  return `IPC_BENCH_${flag.toUpperCase().replaceAll('-', '_')}`;
}
