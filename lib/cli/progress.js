// The live view on stderr: one line that is drawn anew on a terminal, a plain line every few seconds elsewhere. It is
// called between launches and has no timer of its own, so that nothing wakes up inside a measured window.

import { cellLabel } from '../cell/labels.js';
import { durationText } from '../format/duration.js';

/** @import { Progress } from '../types/index.js' */

const PLAIN_EVERY_MS = 5000;
const REDRAW_EVERY_MS = 1000;
const CLEAR_LINE = '\r\u001b[2K';
const DIM = ['\u001b[2m', '\u001b[22m'];

/**
 * @param {object} view
 * @param {NodeJS.WritableStream & { isTTY?: boolean, columns?: number }} view.stream
 * @param {boolean} view.isQuiet
 * @param {boolean} view.colour
 * @param {boolean} [view.isDumb]      a terminal that cannot clear a line
 * @param {() => number} [view.nowMs]
 * @returns {{ onProgress: (progress: Progress) => void, end: () => void }}
 */
export function createProgress({ stream, isQuiet, colour, isDumb = false, nowMs = () => performance.now() }) {
  if (isQuiet) return { onProgress() {}, end() {} };
  const isLive = stream.isTTY === true && !isDumb;
  const everyMs = isLive ? REDRAW_EVERY_MS : PLAIN_EVERY_MS;
  let writtenAtMs = -Infinity;
  let isDrawn = false;
  const end = () => {
    if (isDrawn) stream.write(CLEAR_LINE);
    isDrawn = false;
  };
  return {
    onProgress(progress) {
      if (progress.phase === 'end' || nowMs() - writtenAtMs < everyMs) return;
      writtenAtMs = nowMs();
      const line = progressLine(progress);
      if (!isLive) {
        stream.write(`${line}\n`);
        return;
      }
      const short = line.slice(0, (stream.columns ?? 80) - 1);
      stream.write(CLEAR_LINE + (colour ? DIM.join(short) : short));
      isDrawn = true;
    },
    end,
  };
}

/** @param {Progress} progress @returns {string} */
export function progressLine({ block, blocks, cell, launchesDone, launchesTotal, failed, elapsedMs, etaMs }) {
  const parts = [
    `block ${block + 1}/${blocks}`,
    `launch ${Math.min(launchesDone + 1, launchesTotal)}/${launchesTotal}`,
    etaMs === null ? `${durationText(elapsedMs)} so far` : `about ${durationText(etaMs)} left`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cell ? [cellLabel(cell)] : []),
  ];
  return parts.join(' · ');
}
