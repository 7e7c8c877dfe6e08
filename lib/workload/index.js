// Published as `ipc-bench/scenario`: common parts of scenarios. Each file of this folder is also published under its name, as in
// `ipc-bench/scenario/measures/usual-measures`.

export {
  allRoles,
  CONTROLLER,
  furtherProcesses,
  SAME,
  startedProcesses,
  startedRoles,
  transportToMaster,
  WORKER,
} from '../cell/launch-roles.js';
export { parseNumberList } from '../cell/settings.js';
export { BenchError } from '../errors.js';
export * from '../format/units.js';
export * from '../statistics/sum.js';
export * from './endpoints/responder.js';
export * from './endpoints/stream-parts.js';
export * from './measures/stream-measures.js';
export * from './measures/usual-measures.js';
export * from './messages/record-lists.js';
