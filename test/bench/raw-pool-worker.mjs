// What a program of twenty lines has for a worker: see pool-cost.js.

/** @param {{ payload: string }} task */
export function work({ payload }) {
  return { payload };
}

export default work;
