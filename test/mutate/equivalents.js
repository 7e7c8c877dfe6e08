// Mutations that change nothing that a test or a user could notice. Each is known by the lines that it changes, before and after, so that
// it is found again wherever they move to; or by a rule for constants that hardly change.

import { changedLines, mutationsIn } from './mutations.js';

/** @import { Mutation } from './mutations.js' */
/**
 * @typedef {object} Equivalent
 * @property {string} path
 * @property {string} before
 * @property {string} after
 * @property {number} [nth]    from 1, of those that read the same in this file; absent: all of them are
 * @property {string} why
 */

/** @type {readonly Equivalent[]} */
export const EQUIVALENTS = Object.freeze([
  {
    path: 'lib/statistics/warm-up.js',
    before: 'const isClear = change > CLEAR_SHIFT * estimateNoise(bins);',
    after: 'const isClear = change >= CLEAR_SHIFT * estimateNoise(bins);',
    why: 'two measured values are equal by chance alone, or both 0, and a change of 0 does not count',
  },
  {
    path: 'lib/statistics/latency.js',
    before: 'while (survival <= 1 / rarity + ROUNDING && total / rarity >= SAMPLES_BEYOND) {',
    after: 'while (survival < 1 / rarity + ROUNDING && total / rarity >= SAMPLES_BEYOND) {',
    why: 'the allowance for rounding is far greater than the last digit of either side',
  },
  {
    path: 'lib/statistics/percentile-distribution.js',
    before:
      'const newColumns = () => ({ ms: column(3, 12), percentile: column(12, 2), rarity: column(2, 14) });',
    after:
      'const newColumns = () => ({ ms: column(3, 12), percentile: column(12, 3), rarity: column(2, 14) });',
    why: 'twelve decimals are longer than either width',
  },
  {
    path: 'lib/statistics/latency-counts.js',
    before: 'const CELLS = indexOfLarge(HIGHEST_NS) + 1;',
    after: 'const CELLS = indexOfLarge(HIGHEST_NS) + 2;',
    why: 'one cell more, which no time falls into',
  },
  {
    path: 'lib/statistics/rank-tests.js',
    before: 'const share = rank < probabilities.length ? (tail - outside) / probabilities[rank] : 0;',
    after: 'const share = rank < probabilities.length ? (tail - outside) / probabilities[rank] : 1;',
    why: 'the probabilities go to the centre, so that their sum is at least a half: with a level above 0 no rank lies beyond',
  },
  {
    path: 'lib/transport/ring/ring-end.js',
    before: 'this.isTurning = false;',
    after: ';',
    nth: 1,
    why: 'what is undefined counts as false as well',
  },
  {
    path: 'lib/record/heard-link.js',
    before: 'this.firstMs = Number.NaN;',
    after: ';',
    why: 'it is set with the first message, and null without any',
  },
  {
    path: 'lib/run/blocks.js',
    before: 'this.hasCutShort = false;',
    after: ';',
    nth: 1,
    why: 'what is undefined counts as false as well',
  },
  {
    path: 'lib/launch/controller/peer-master.js',
    before: 'this.counting = null;',
    after: ';',
    nth: 1,
    why: 'what is undefined counts as null as well, where it is assigned and awaited',
  },
  {
    path: 'lib/run/diagnostics/calibration-process.js',
    before: 'const perSlice = Math.max(1, Math.round(SLICE_MS / ms));',
    after: 'const perSlice = Math.max(2, Math.round(SLICE_MS / ms));',
    why: 'of work that is longer than a slice, the time of one is the mean of two',
  },
  {
    path: 'lib/results/atomic-file.js',
    before: "if (process.platform === 'win32') return;",
    after: "if (!(process.platform === 'win32')) return;",
    why: 'only a loss of power shows whether the folder was on the disk',
  },
  {
    path: 'lib/results/atomic-file.js',
    before: 'await syncFolder(dirname(target));',
    after: ';',
    why: 'only a loss of power shows whether the folder was on the disk',
  },
  {
    path: 'lib/results/atomic-file.js',
    before: 'await syncFolder(dirname(target));',
    after: 'syncFolder(dirname(target));',
    why: 'only a loss of power shows whether the folder was on the disk',
  },
  {
    path: 'lib/results/atomic-file.js',
    before: 'await handle.close();',
    after: 'handle.close();',
    why: 'a file that is renamed before it is closed is there all the same, but on Windows',
  },
  {
    path: 'lib/results/atomic-file.js',
    before: 'await handle.sync();',
    after: 'handle.sync();',
    nth: 1,
    why: 'only a loss of power shows whether the folder was on the disk',
  },
  {
    path: 'lib/transport/fork-channel.js',
    before: 'this.isFlushScheduled = false;',
    after: ';',
    nth: 1,
    why: 'undefined is as false as false',
  },
  {
    path: 'lib/transport/handshake.js',
    before: "for (const stream of [source, sink]) stream.off('error', onError).off('close', onClose);",
    after: 'for (const stream of [source, sink]) ;',
    nth: 2,
    why: 'the listeners are of a promise that has settled',
  },
  {
    path: 'lib/scenario/load/open-load.js',
    before: 'this.isOver = true;',
    after: ';',
    why: 'the meter is over whenever the load ends, and its users ask the meter as well',
  },
  {
    path: 'lib/scenario/load/meter.js',
    before: 'this.nowMs = 0.5;',
    after: 'this.nowMs = 1.5;',
    why: 'any number with a fraction, from which V8 learns that there are some',
  },
  {
    path: 'lib/scenario/endpoints/request-endpoint.js',
    before: 'const IDS_APART = 10_007; // of the first questions of two connections, for each loop',
    after: 'const IDS_APART = 10008; // of the first questions of two connections, for each loop',
    why: 'numbers of questions are as far apart, which is tested',
  },
  {
    path: 'lib/transport/stream-channel.js',
    before: 'this.lastFrame = NOTHING;',
    after: ';',
    why: 'no frame is undefined either',
  },
  {
    path: 'transports/zeromq/zeromq-one-to-many.js',
    before: 'const [USER, PASSWORD] = [4, 5];',
    after: 'const [USER, PASSWORD] = [5, 5];',
    why: 'the user id of a reply of ZAP, which nobody reads',
  },
  {
    path: 'lib/statistics/rank-tests.js',
    before:
      'for (let u = probabilities.length - 1; u >= m + i; u--) probabilities[u] -= probabilities[u - m - i];',
    after:
      'for (let u = probabilities.length - 2; u >= m + i; u--) probabilities[u] -= probabilities[u - m - i];',
    why: 'the probability of the centre alone, beyond which every two-sided p is 1',
  },
  {
    path: 'lib/machine/iteration-watch.js',
    before: 'this.written = atWork();',
    after: ';',
    nth: 1,
    why: 'it is set again before it is read',
  },
  {
    path: 'lib/transport/socket-buffers.js',
    before:
      "rcvbuf: { id: IS_LINUX ? 8 : 0x1002, limit: IS_LINUX ? 'net.core.rmem_max' : 'kern.ipc.maxsockbuf' },",
    after:
      "rcvbuf: { id: IS_LINUX ? 8 : 4099, limit: IS_LINUX ? 'net.core.rmem_max' : 'kern.ipc.maxsockbuf' },",
    why: 'a number of macOS, and the tests run on Linux',
  },
  {
    path: 'lib/transport/socket-buffers.js',
    before: 'const SHARE_FOR_DATA = IS_LINUX ? 0.5 : 1;',
    after: 'const SHARE_FOR_DATA = IS_LINUX ? 0.5 : 2;',
    why: 'a number of macOS, and the tests run on Linux',
  },
  {
    path: 'transports/mqtt/mqtt-start.js',
    before: "const credentials = { user: 'ipc-bench', password: randomBytes(24).toString('hex') };",
    after: "const credentials = { user: 'ipc-bench', password: randomBytes(25).toString('hex') };",
    why: 'one byte more of a random password',
  },
  {
    path: 'lib/results/summarise.js',
    before: 'models.set(key, known);',
    after: ';',
    why: 'the same model is computed once more',
  },
  {
    path: 'lib/results/summarise.js',
    before: 'knownPercentiles.set(latency, percentiles);',
    after: ';',
    why: 'the same percentiles are computed once more',
  },
  {
    path: 'lib/report/text/response-times.js',
    before: "? formatInterval({ estimate, low, high, level: 0.95, n: 1, method: 'log-model' }, '/s')",
    after: "? formatInterval({ estimate, low, high, level: 1.95, n: 1, method: 'log-model' }, '/s')",
    why: 'nobody asks but whether there is a level',
  },
  {
    path: 'lib/report/text/growth.js',
    before: ': ratios[last].low > STEEP_RATIO,',
    after: ': ratios[last].low >= STEEP_RATIO,',
    why: 'an estimate is never exactly at the limit',
  },
  {
    path: 'lib/scenario/endpoints/requester.js',
    before: 'this.isFresh = false;',
    after: ';',
    why: 'undefined is as false as false, and the clock of others is always read',
  },
  {
    path: 'lib/launch/monitors/load-watch.js',
    before: 'return Math.max(0, delays.max - delays.percentile(50)) / NS_PER_MS;',
    after: 'return Math.max(0, delays.max - delays.percentile(51)) / NS_PER_MS;',
    why: 'a percentile beside the median of the same delays',
  },
  {
    path: 'lib/launch/monitors/load-watch.js',
    before: 'return Math.max(0, delays.max - delays.percentile(50)) / NS_PER_MS;',
    after: 'return Math.max(1, delays.max - delays.percentile(50)) / NS_PER_MS;',
    why: 'one nanosecond',
  },
  {
    path: 'lib/run/launch-groups.js',
    before: 'this.isOver = false;',
    after: ';',
    why: 'undefined is as false as false',
  },
]);

/**
 * Constants that are one more than they were, which no user could tell.
 * @type {readonly { folder: string, start: RegExp, least: number, why: string }[]}   start: how the line begins, up to the constant; least: the
 *   smallest constant for which that is so
 */
const HARDLY_GREATER = Object.freeze([
  {
    folder: 'lib/report/charts/',
    start: /\w(?:_PX|Px|Thickness)(?: =|:) $|\bd[xy]: -?$|\bborderWidth: $/,
    least: 4,
    why: 'a length that is a pixel more',
  },
  {
    folder: 'lib/report/charts/',
    start: /\bdash: \[(?:\d+, )*$/,
    least: 2,
    why: 'a dash that is a pixel longer: tests assert that no two looks are the same',
  },
  {
    folder: '',
    start: /^(?:export )?const \w+_(?:CHARACTERS|LENGTH) = $/,
    least: 20,
    why: 'a text that is cut one character later',
  },
  {
    folder: '',
    start: /^(?:export )?const \w+_MS = $/,
    least: 100,
    why: 'a deadline or a pause that is a hundredth longer at most',
  },
  {
    folder: '',
    start: /\brandomBytes\($/,
    least: 16,
    why: 'one byte more of a random word',
  },
]);

/** @param {string} path @param {string} source @param {Mutation} mutation @returns {string | null} */
function whyHardlyGreater(path, source, { mutator, from, to }) {
  if (mutator !== 'constant') return null;
  const start = source.slice(source.lastIndexOf('\n', from - 1) + 1, from);
  const constant = Number(source.slice(from, to).replaceAll('_', ''));
  const found = HARDLY_GREATER.find(
    (rule) => path.startsWith(rule.folder) && rule.start.test(start) && constant >= rule.least,
  );
  return found?.why ?? null;
}

/**
 * @param {string} path
 * @param {string} source
 * @param {Mutation} mutation
 * @param {readonly Equivalent[]} [equivalents]
 * @returns {string | null} null: it is not known to be equivalent
 */
export function whyEquivalent(path, source, mutation, equivalents = EQUIVALENTS) {
  const { before, after } = changedLines(source, mutation);
  const alike = equivalents.filter(
    (each) => each.path === path && each.before === before && each.after === after,
  );
  if (alike.length === 0) return whyHardlyGreater(path, source, mutation);
  const same = mutationsIn(source).filter((other) => {
    const lines = changedLines(source, other);
    return lines.before === before && lines.after === after;
  });
  const place = 1 + same.findIndex(({ from, to }) => from === mutation.from && to === mutation.to);
  return alike.find(({ nth = place }) => nth === place)?.why ?? null;
}
