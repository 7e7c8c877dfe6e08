// The live ranking on a terminal, in place of the progress line. It is drawn when a run tells what it has measured so far, which it does
// between slices only, and has no timer of its own: nothing is drawn or woken while something is measured.

import { rankInterim, rankingLines } from './live-ranking.js';
import { openKeys } from './terminal-keys.js';

/** @import { Interim } from '../run/interim.js' */
/** @import { Options, Progress } from '../types/index.js' */
/** @import { Host, Output } from './main.js' */
/** @import { KeyStream } from './terminal-keys.js' */

const WAITING_KEYS = 'q: end with what is measured';
const ENDING_KEYS = 'ends as soon as this round, or a first one, is measured';

/**
 * @param {Pick<Options, 'isQuiet' | 'live' | 'open'>} options
 * @param {Pick<Host, 'stdout' | 'stderr' | 'environment'>} host
 * @returns {boolean} a person looks at the terminal, and it can redraw lines
 */
export function canShowLive({ isQuiet, live, open }, { stdout, stderr, environment }) {
  const { CI, TERM } = environment;
  // Under open load each row gets the rate that was planned: there is nothing to rank.
  if (isQuiet || live === false || open !== undefined) return false;
  if (TERM === 'dumb' || (CI !== undefined && !['', '0', 'false'].includes(CI))) return false;
  return stdout.isTTY === true && stderr.isTTY === true;
}

/** @param {Record<string, string | undefined>} environment @param {string} [platform] @returns {boolean} its terminal may show nothing but ASCII. Source: locale(7) */
export function isAsciiOnly({ LC_ALL, LC_CTYPE, LANG }, platform = process.platform) {
  return platform !== 'win32' && !/utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

/**
 * @param {object} view
 * @param {Output & { rows?: number }} view.stream
 * @param {KeyStream | undefined} view.stdin   undefined: there are no keys
 * @param {boolean} view.colour
 * @param {boolean} view.isAscii
 * @param {() => void} view.onEnough           told once: the user wants the run to end
 * @param {typeof openKeys} [view.open]
 */
export async function createLiveView({ stream, stdin, colour, isAscii, onEnough, open = openKeys }) {
  // Loaded here: a run in a pipe does not need it.
  const { createLogUpdate } = await import('log-update');
  // With its cursor in sight, it needs no repair after a process that was killed.
  const update = createLogUpdate(/** @type {NodeJS.WriteStream} */ (stream), { showCursor: true });
  let isEnough = false;
  let hasEnded = false;
  let isDrawn = false;
  /** @type {ReturnType<typeof openKeys> | null} */
  let keys = null;
  const erase = () => {
    if (isDrawn) update.clear();
    isDrawn = false;
  };
  const handlers = {
    // Only noted: something may be measured just now.
    onKey(/** @type {string} */ key) {
      if (isEnough || key.toLowerCase() !== 'q') return;
      isEnough = true;
      onEnough();
    },
    onStop: erase,
  };
  /** @param {Interim} interim */
  const draw = (interim) => {
    if (stdin !== undefined) keys ??= open(stdin, handlers);
    // A process in the background does not draw over what its shell shows.
    if (keys !== null && !keys.listen()) return;
    const { columns = 80, rows = 24 } = stream;
    const what = isEnough ? ENDING_KEYS : WAITING_KEYS;
    const screen = { columns, rows, colour, isAscii, keys: keys === null ? '' : what };
    update(rankingLines(rankInterim(interim), screen).join('\n'));
    isDrawn = true;
  };
  const end = () => {
    hasEnded = true;
    erase();
    keys?.close();
    keys = null;
  };
  return {
    onInterim: (/** @type {Interim} */ interim) => (hasEnded ? undefined : draw(interim)),
    onProgress(/** @type {Progress} */ { phase }) {
      if (phase === 'end') end();
    },
    /** Before something else is written. */
    yield: end,
    end,
  };
}
