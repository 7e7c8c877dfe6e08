// Published as `ipc-bench/report`: how to read results and how to word them. The files of this folder are published by their own
// names as well, as `ipc-bench/report/columns/columns`.

export * from '../cell/axes.js';
export * from '../cell/axis.js';
export * from '../cell/headline.js';
export * from '../cell/labels.js';
export { BenchError } from '../errors.js';
export * from '../format/code-names.js';
export * from '../format/lists.js';
export * from '../format/markdown-text.js';
export * from '../format/numbers.js';
export * from '../format/printable.js';
export * from '../format/result-flags.js';
export * from '../format/units.js';
export * from '../results/baseline-rows.js';
export { listRoles } from '../results/summarise-costs.js';
export { resultsText } from '../results/write.js';
export * from '../statistics/sum.js';
