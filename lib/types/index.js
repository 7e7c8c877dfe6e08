// All interfaces of ipc-bench: JSDoc typedefs, and valibot schemas from which types are inferred. A good place to start reading.
//
// Units are in the names. Times within a process are milliseconds of performance.now(); instants that two processes
// share are milliseconds of the machine's monotonic clock (process.hrtime), as a number.

export * from './comparisons.js';
export * from './findings.js';
export * from './hosts.js';
export * from './launches.js';
export * from './messages.js';
export * from './plans.js';
export * from './recommendations.js';
export * from './recordings.js';
export * from './reports.js';
export * from './results-file.js';
export * from './runtimes.js';
export * from './scalars.js';
export * from './scenarios.js';
export * from './transports.js';
