import { ThreadWorker } from 'poolifier';

/** @param {any} data */
function stringifyObjects({ taskSize }) {
  for (let a = 0; a < taskSize; a += 1) JSON.stringify({ a });
}

export default new ThreadWorker(stringifyObjects);
