// How far a run is: counts launches as they begin and end, and tells whoever watches, with the time that is left.

/** @import { Cell, Progress } from '../types/index.js' */
/** @typedef {ReturnType<typeof launchTracker>} LaunchTracker */

/** @param {number} launchesPerBlock @param {number} leastBlocks @param {(progress: Progress) => void} onProgress */
export function launchTracker(launchesPerBlock, leastBlocks, onProgress) {
  const beganMs = performance.now();
  let launchesDone = 0;
  let keptLaunches = 0;
  let failed = 0;
  let block = 0;
  const tell = (/** @type {'launch' | 'end'} */ phase, /** @type {Cell | null} */ cell) => {
    const elapsedMs = performance.now() - beganMs;
    const blocks = Math.max(leastBlocks, block + 1);
    const launchesTotal = launchesPerBlock * blocks;
    const doneHere = launchesDone - keptLaunches;
    const etaMs = doneHere === 0 ? null : (elapsedMs / doneHere) * (launchesTotal - launchesDone);
    onProgress({ phase, block, blocks, cell, launchesDone, launchesTotal, failed, elapsedMs, etaMs });
  };
  let isFirst = true;
  return {
    begins(/** @type {Cell} */ cell) {
      // All that was passed over until the first launch had been made by an earlier run.
      if (isFirst) keptLaunches = launchesDone;
      isFirst = false;
      block = Math.floor(launchesDone / launchesPerBlock);
      tell('launch', cell);
    },
    ended(/** @type {boolean} */ hasFailed) {
      launchesDone += 1;
      if (hasFailed) failed += 1;
    },
    ends: () => tell('end', null),
  };
}
