// Every interface of the house, as JSDoc typedefs. Runs nothing; read it first.
//
// Units are in the names. Times within a process are milliseconds of performance.now(); instants that two processes
// share are milliseconds of the machine's monotonic clock (process.hrtime), as a number.

export * from './appearance.js';
export * from './baselines.js';
export * from './brokers.js';
export * from './calibration-tasks.js';
export * from './comparisons.js';
export * from './explanations.js';
export * from './hosts.js';
export * from './launches.js';
export * from './measures.js';
export * from './messages.js';
export * from './networks.js';
export * from './outcomes.js';
export * from './peers.js';
export * from './plans.js';
export * from './recommendations.js';
export * from './reports.js';
export * from './results-file.js';
export * from './roles.js';
export * from './runtimes.js';
export * from './scalars.js';
export * from './scenarios.js';
export * from './transports.js';
