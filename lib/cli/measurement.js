// A run that goes on: its progress as it comes, its results at the end. The command line and programs both watch it so.

import { EventEmitter, on } from 'node:events';

/** @import { Progress } from '../types/index.js' */
/**
 * Iterating ends with the run, and throws what the run failed with. Whoever stops iterating stops watching only.
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
  // Whoever iterates is told before results are asked for: until then the failure is nobody's.
  results.catch(() => {});
  return {
    results,
    async *[Symbol.asyncIterator]() {
      for await (const [progress] of told) yield progress;
      await results;
    },
  };
}
