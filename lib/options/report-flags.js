// Built-in reports say of themselves by which option they are asked for: the folder is the registry. They are loaded at the
// start for it, so that no module that a report imports may import this one: each would wait for the other for ever.

import { builtinNames } from '../plugins/builtins.js';
import { loadReports } from '../plugins/plugins.js';

/** @import { Report } from '../types/index.js' */

const reports = [...(await loadReports(builtinNames('report'))).values()].map(({ plugin }) => plugin);
const asked = reports
  .flatMap((report) => (report.option === undefined ? [] : [{ report, ...report.option }]))
  .sort((one, other) => one.rank - other.rank);

/** @type {ReadonlyMap<string, Report>} in the order of --help */
export const REPORTS_BY_FLAG = new Map(asked.map(({ flag, report }) => [flag, report]));
