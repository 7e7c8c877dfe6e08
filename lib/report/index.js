// Published as `ipc-bench/report`: functions that read results and describe them in words. The files of this folder are published by their
// own names too, such as `ipc-bench/report/columns/columns`.

export * from '../cell/axes.js';
export * from '../cell/headline.js';
export * from '../cell/labels.js';
export { BenchError } from '../errors.js';
export * from '../format/lists.js';
export * from '../format/markdown-text.js';
export * from '../format/numbers.js';
export * from '../format/picture-element.js';
export * from '../format/printable.js';
export * from '../format/result-flags.js';
export * from '../format/units.js';
export * from '../format/wrapped.js';
export {
  findFloorRow,
  floorCpuUs,
  measuredFloors,
  readFloor,
  shareOfFloor,
} from '../results/calibration-rows.js';
export { listRoles } from '../results/summarise.js';
export { resultsText } from '../results/write.js';
export * from '../statistics/sum.js';
