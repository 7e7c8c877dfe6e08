// How much memory there is for a launch, without the machine or its control group running out of it.

import os from 'node:os';

const SHARE_OF_LAUNCH = 0.25; // the rest is everybody else's, and what a process takes before it is ended
const LEAST_BYTES = 2 ** 28; // what some processes of Node grow by, whatever they do

/** @returns {number} */
export function freeMemoryBytes() {
  // Of the control group too; Node has it since 20.13.
  return process.availableMemory?.() ?? os.freemem();
}

/** @returns {number} that the processes of a launch may grow by */
export function memoryOfLaunch() {
  return Math.max(LEAST_BYTES, Math.floor(SHARE_OF_LAUNCH * freeMemoryBytes()));
}
