// A run that goes on: its progress as it comes, its results at the end. The command line and programs both watch it so.

import { EventEmitter, on } from 'node:events';

/** @import { Progress } from '../types/index.js' */
/**
 * Iterating ends with the run, and throws what the run failed with. A caller who stops iterating only stops watching.
 * @template T
 * @typedef {AsyncIterable<Progress> & { results: Promise<T> }} Measurement
 */

/**
 * @template T
 * @param {(onProgress: (progress: Progress) => void) => Promise<T>} work   begins at once
 * @returns {Measurement<T>}
 */
export function measurement(work) {
  const news = new EventEmitter();
  const told = on(news, 'progress', { close: ['end'] });
  const results = work((progress) => news.emit('progress', progress)).finally(() => news.emit('end'));
  // A caller who iterates gets the failure before the results are requested.
  results.catch(() => {});
  return {
    results,
    async *[Symbol.asyncIterator]() {
      for await (const [progress] of told) yield progress;
      await results;
    },
  };
}
