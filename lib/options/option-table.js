// All options of `run`, which are the flags of flags.js and of the built-in reports; also the options of `compare` for documents, and those
// of `record`. This module loads the reports, so a module that a report imports must not import it: with top-level await, such a cycle
// would never finish loading.

import { BYTES, DURATION, parseQuantity } from '../format/quantity.js';
import { MIB } from '../format/units.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadedPlugins, loadReports } from '../plugins/plugins.js';
import { FLAGS, isFor, notStdout } from './flags.js';

/** @import { Report } from '../types/index.js' */
/** @import { OptionEntry, RunFlagsCommand, Topic } from './flags.js' */

const reports = loadedPlugins(await loadReports(builtinNames('report')));
const declared = reports
  .flatMap((report) => (report.option === undefined ? [] : [{ report, ...report.option }]))
  .sort((one, other) => one.rank - other.rank);

/** In the order of --help. @type {ReadonlyMap<string, Report>} */
export const REPORTS_BY_FLAG = new Map(declared.map(({ flag, report }) => [flag, report]));

const STDOUT_OF_ALL = '; - is stdout, for the others also';
const FIRST_REPORTS = ['json', 'markdown', 'png', 'html'];
const STDOUT_OF_MANY = '; -: the first one to stdout';

/** @satisfies {Partial<OptionEntry>} */
const DOCUMENT = /** @type {const} */ ({ shapes: 'output', partOf: 'outputs', isUnsaved: true });

/** @type {Record<string, OptionEntry>} */
const REPORT_TABLE = Object.fromEntries(
  [...REPORTS_BY_FLAG].map(([flag, { summary, option }], index) => {
    const isMany = option?.many !== undefined;
    const stdout = isMany ? STDOUT_OF_MANY : index === 0 ? STDOUT_OF_ALL : '';
    const value = isMany ? 'DIR' : 'FILE';
    /** @type {OptionEntry['write']} */
    const write = ({ outputs }) => outputs[flag];
    /** @type {Topic} */
    const topic = option?.many?.what === 'pictures' || flag === 'captions' ? 'charts' : 'output';
    const isFirst = FIRST_REPORTS.includes(flag);
    return [
      flag,
      {
        ...DOCUMENT,
        topic,
        isFirst,
        summary: summary + stdout,
        value,
        write,
        otherNames: [`export-${flag}`],
      },
    ];
  }),
);

/** @type {OptionEntry} */
const USER_REPORTS = {
  ...DOCUMENT,
  topic: 'output',
  summary:
    'your own report, a file or a package: ./mine.js=FILE; - is stdout, FOLDER/ receives all its documents',
  value: 'NAME=FILE',
  isList: true,
  write: ({ outputs }) => {
    const others = Object.entries(outputs).filter(([name]) => !REPORTS_BY_FLAG.has(name));
    return others.length === 0 ? undefined : others.map(([name, path]) => `${name}=${path}`);
  },
};

/** The options of `compare` for its documents. @type {Record<string, OptionEntry>} */
export const COMPARISON_TABLE = Object.fromEntries(
  [...REPORTS_BY_FLAG]
    .flatMap(([flag, { comparison }]) =>
      comparison === undefined ? [] : [{ flag, ...comparison, value: comparison.isMany ? 'DIR' : 'FILE' }],
    )
    .map(({ flag, summary, value }, index) => [
      flag,
      { summary: summary + (index === 0 ? STDOUT_OF_ALL : ''), value, otherNames: [`export-${flag}`] },
    ]),
);

/** The flags of reports follow --out. @type {Readonly<Record<string, OptionEntry>>} */
export const OPTION_TABLE = Object.freeze(
  Object.fromEntries(
    Object.entries(FLAGS).flatMap(([flag, row]) =>
      flag === 'out'
        ? [[flag, row], ...Object.entries({ ...REPORT_TABLE, report: USER_REPORTS })]
        : [[flag, row]],
    ),
  ),
);

/** @param {RunFlagsCommand} taker @returns {Record<string, OptionEntry>} the rows that this command accepts */
export function rowsFor(taker) {
  return Object.fromEntries(Object.entries(OPTION_TABLE).filter(([, row]) => isFor(row, taker)));
}

/** @param {string} flag @returns {string} for example IPC_BENCH_BROKER_URL */
export function environmentName(flag) {
  return `IPC_BENCH_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/** @param {string} flag @param {{ label: string }} source   source of the flag's value @returns {boolean} */
export function isInEnvironment(flag, { label }) {
  return label === environmentName(flag);
}

// The flags of `ipc-bench record`.

/** @type {Readonly<Record<string, OptionEntry>>} */
export const RECORD_TABLE = Object.freeze({
  for: {
    summary: 'stop the program after this time, by SIGTERM',
    value: 'TIME',
    shownDefault: 'until it ends',
    parse: ([text], source) => parseQuantity(text, DURATION, { min: 100, max: 24 * 3_600e3 }, source),
  },
  limit: {
    summary: 'end the recording when its facts, 12 to 28 bytes for each message at each end, reach this size',
    value: 'SIZE',
    default: '256MiB',
    parse: ([text], source) => parseQuantity(text, BYTES, { min: MIB, max: 64 * 1_024 * MIB }, source),
  },
  out: {
    summary: 'file to write',
    value: 'FILE',
    default: 'traffic.json',
    parse: notStdout('the program writes there; name a file'),
  },
  contents: { summary: 'keep REAL MESSAGES in the file, which may hold secrets, instead of their shapes' },
  force: { summary: 'overwrite the file' },
});
