// Published as `ipc-bench/codec`: the common parts of codecs. Each file of this folder is published under its own name too, such as
// `ipc-bench/codec/message`.

export { BenchError } from '../errors.js';
export { formatCount } from '../format/numbers.js';
export { packageProblem } from '../machine/packages.js';
export * from './decimals.js';
export * from './message.js';
export * from './record-message.js';
export * from './shapes.js';
export * from './wire-bytes.js';
