// `npm run bench:noise -- RESULTS...`: how much of the noise of slices is explained by the fixed piece of work before each of them. Correlates
// the logarithms of the rates and of the readings within each launch, and again without what all slices of a round share, since that
// cancels in ratios. Does the same for the CPU time of other programs.

import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { readResults } from '../../lib/results/read.js';
import { sumBy } from '../../lib/statistics/sum.js';

/** @typedef {{ launch: number, round: string, rate: number, work: number, taken: number }} Slice */

const MIN_OPERATIONS = 0.5;

/** @param {string} path @returns {Promise<Slice[]>} */
async function readSlices(path) {
  const { outcomes } = await readResults(path);
  const launches = outcomes.filter(isMeasured).flatMap((outcome) => outcome.launches);
  return launches.flatMap(({ group, slices }, launch) => {
    if (slices?.workRatio === undefined || slices.takenShare === undefined) return [];
    const { rounds, operations, windowMs, workRatio, takenShare } = slices;
    return rounds.map((round, index) => ({
      launch,
      round: `${group} ${round}`,
      rate: Math.log(Math.max(MIN_OPERATIONS, operations[index]) / windowMs[index]),
      work: Math.log(workRatio[index]),
      taken: takenShare[index],
    }));
  });
}

/** @param {Slice[]} slices @param {'launch' | 'round'} key @returns {Slice[]} less the mean of all slices with the same key */
function centred(slices, key) {
  /** @type {Map<string | number, Slice[]>} */
  const groups = new Map();
  for (const slice of slices) groups.set(slice[key], [...(groups.get(slice[key]) ?? []), slice]);
  return [...groups.values()].flatMap((some) => {
    const mean = (/** @type {'rate' | 'work' | 'taken'} */ name) =>
      sumBy(some, (slice) => slice[name]) / some.length;
    const means = { rate: mean('rate'), work: mean('work'), taken: mean('taken') };
    return some.map((slice) => ({
      ...slice,
      rate: slice.rate - means.rate,
      work: slice.work - means.work,
      taken: slice.taken - means.taken,
    }));
  });
}

/** @param {Slice[]} slices @param {'work' | 'taken'} name @returns {number} share of the variance of rates that it explains */
function explainedShare(slices, name) {
  const product = sumBy(slices, (slice) => slice.rate * slice[name]);
  const squares = sumBy(slices, ({ rate }) => rate ** 2) * sumBy(slices, (slice) => slice[name] ** 2);
  return squares === 0 ? 0 : product ** 2 / squares;
}

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)} %`.padStart(5);
for (const path of process.argv.slice(2)) {
  const within = centred(await readSlices(path), 'launch');
  const beside = centred(within, 'round');
  const spread = Math.sqrt(sumBy(within, ({ rate }) => rate ** 2) / within.length);
  console.log(`${path}: ${within.length} slices, standard deviation within a launch ${percent(spread)}`);
  for (const [what, slices] of /** @type {const} */ ([
    ['of all of it', within],
    ['less what a round shares', beside],
  ])) {
    const [work, taken] = [explainedShare(slices, 'work'), explainedShare(slices, 'taken')];
    console.log(
      `  ${what.padEnd(26)} the piece of work explains ${percent(work)}, other programs ${percent(taken)}`,
    );
  }
}
