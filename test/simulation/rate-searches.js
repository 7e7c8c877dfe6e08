// npm run simulate: prints what the searches of --sweep are worth, as rate-searches.txt beside it. Seeded: the same text every
// time. The tests run a small part of it.

import { median } from '../../lib/statistics/rank-tests.js';
import { percent, print } from './printed-table.js';
import { countedBisections, countedSearches } from './search-experiments.js';

const SEED = 20261124;
const TIMES = 400;
const WORLDS = [0, 0.05].flatMap((disturbed) =>
  [0.03, 0.05, 0.1, 0.15].map((spread) => ({ capacity: 50_000, spread, disturbed })),
);

/** @param {number[]} numbers @param {number} share */
const quantile = (numbers, share) =>
  numbers.toSorted((one, other) => one - other)[
    Math.min(numbers.length - 1, Math.floor(share * numbers.length))
  ];
/** @param {number[]} numbers */
const spreadOf = (numbers) =>
  `${median(numbers).toFixed(2)} (${quantile(numbers, 0.05).toFixed(2)}-${quantile(numbers, 0.95).toFixed(2)})`;

console.log(`Simulated searches for the rate that nine undisturbed launches of ten sustain, seed ${SEED}, ${TIMES} each. The capacity
differs between launches by so much (SD of its logarithm); a disturbed launch breaks the limit at any rate. Closed loops do 1.25 times
the capacity, give or take 30 %. Rates are shares of the true one; in brackets is where 9 of 10 searches end.
`);

const searches = WORLDS.map((world, index) => countedSearches({ seed: SEED + index, times: TIMES }, world));
const worldText = (/** @type {(typeof WORLDS)[number]} */ { disturbed, spread }) => [
  percent(disturbed, 0),
  percent(spread, 0),
];

print(
  `The search of --sweep, and the interval of its launches with three at each rate of the curve (wanted: it holds the truth in 95 %).`,
  ['disturbed', 'SD', 'launches', 'rate told', 'held', 'upper / lower end', 'no answer'],
  searches.map(({ searched, errors, held, widths, missing }, index) => [
    ...worldText(WORLDS[index]),
    (searched / TIMES).toFixed(1),
    spreadOf(errors),
    percent(held / TIMES),
    spreadOf(widths),
    percent(missing / TIMES),
  ]),
);

print(
  `The search that it replaces: bisecting to 3 % by two votes of three, then six launches at each rate of the curve, which confirm
a rate if all of them keep the limit.`,
  ['disturbed', 'SD', 'launches', 'rate found', 'confirmed', 'rate told'],
  WORLDS.map((world, index) => {
    const { searched, found, confirmed, told } = countedBisections(
      { seed: SEED + index, times: TIMES },
      world,
    );
    return [
      ...worldText(world),
      (searched / TIMES).toFixed(1),
      spreadOf(found),
      percent(confirmed / TIMES),
      spreadOf(told),
    ];
  }),
);
