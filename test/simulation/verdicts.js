// npm run simulate: prints the error rates of the verdicts of `compare`, as in verdicts.txt. Seeded, so that the text does not change.
// The tests run a small part of it.

import {
  anyFalseAlarm,
  anyStar,
  coverage,
  falseFailures,
  falsePositives,
  falsePositivesOfWindows,
  powerAtDetectable,
} from './experiments.js';
import { percent, print } from './printed-table.js';

/** @import { ComparisonDesign as Design } from '../../lib/types/index.js' */

const SEED = 20260115;
const TIMES = 5_000;
const TIMES_OF_BUILDS = 2_000;
const TIMES_OF_MATRICES = 300;
const DISTURBED = [0, 0.1];
/** @type {{ design: Design, launches: number }[]} */
const SIZES = [
  { design: 'interleaved', launches: 3 },
  { design: 'interleaved', launches: 6 },
  { design: 'interleaved', launches: 10 },
  { design: 'interleaved', launches: 20 },
  { design: 'separate', launches: 2 },
  { design: 'separate', launches: 3 },
  { design: 'separate', launches: 4 },
  { design: 'separate', launches: 5 },
  { design: 'separate', launches: 6 },
  { design: 'separate', launches: 10 },
  { design: 'separate', launches: 20 },
];

/**
 * Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927).
 * @param {number} share @param {number} times @returns {number} the upper end of its 95 % interval
 */
function upperBound(share, times) {
  const z = 1.96;
  const centre = share + z ** 2 / (2 * times);
  const halfWidth = z * Math.sqrt((share * (1 - share)) / times + z ** 2 / (4 * times ** 2));
  return (centre + halfWidth) / (1 + z ** 2 / times);
}

let seed = SEED;
/** @param {number} times @returns {{ seed: number, times: number }} */
const effort = (times) => {
  seed += 1;
  return { seed, times };
};

console.log(`Simulated comparisons, seed ${SEED}. Launches differ by 5 % (SD), groups by 5 %, runs drift by 5 %, windows
flicker by 8 %; disturbed launches run at 40 to 90 % of their speed. Interleaved: both sides in the same groups.
Separate: one run after the other, on a machine that is equally fast in both.
`);

print(
  `A-F1: false positives per cell at the 5 % level, a cell against itself (${TIMES} comparisons each; wanted: 3 to 6 %,
upper bound at most 7 %; fewer with few launches, whose noise is hardly known).`,
  ['design', 'launches', 'disturbed', 'measured', 'upper bound'],
  SIZES.flatMap(({ design, launches }) =>
    DISTURBED.map((disturbed) => {
      const share = falsePositives(effort(TIMES), design, { launches, launchNoise: 0.05, disturbed });
      const numbers = [share, upperBound(share, TIMES)].map((each) => percent(each));
      return [design, `${launches}`, percent(disturbed, 0), ...numbers];
    }),
  ),
);

print(
  `A-F2: any cell of 24 called faster or slower, although none is (${TIMES_OF_MATRICES} matrices each; wanted: at most 5 %).`,
  ['design', 'launches', 'disturbed', 'with Holm', 'without'],
  SIZES.filter(({ launches }) => [2, 3, 10].includes(launches)).flatMap(({ design, launches }) =>
    DISTURBED.map((disturbed) => {
      const machine = { launches, launchNoise: 0.05, disturbed, cells: 24 };
      const shares = [
        anyFalseAlarm(effort(TIMES_OF_MATRICES), design, machine),
        anyStar(effort(TIMES_OF_MATRICES), design, machine),
      ];
      return [design, `${launches}`, percent(disturbed, 0), ...shares.map((share) => percent(share))];
    }),
  ),
);

print(
  `A-F3: builds that fail (--fail-on slower, 5 %) although nothing is slower, by the noise between launches; 10 % disturbed
(${TIMES_OF_BUILDS} builds of one cell and ${TIMES_OF_MATRICES} of 24 cells each; wanted: at most 1 %).`,
  ['design', 'launches', 'noise', '1 cell', '24 cells'],
  SIZES.filter(({ launches }) => [2, 3, 10].includes(launches)).flatMap(({ design, launches }) =>
    [0.02, 0.05, 0.1, 0.33].map((launchNoise) => {
      const machine = { launches, launchNoise, disturbed: 0.1 };
      const shares = [1, 24].map((cells) =>
        falseFailures(effort(cells === 1 ? TIMES_OF_BUILDS : TIMES_OF_MATRICES), design, {
          ...machine,
          cells,
        }),
      );
      return [design, `${launches}`, percent(launchNoise, 0), ...shares.map((share) => percent(share, 2))];
    }),
  ),
);

print(
  `A-F4: coverage of the 95 % interval of the ratio, which is 1.05 in truth (${TIMES} comparisons each; wanted: 93 to 97 %,
and more with few launches).`,
  ['design', 'launches', 'disturbed', 'measured'],
  SIZES.flatMap(({ design, launches }) =>
    DISTURBED.map((disturbed) => {
      const machine = { launches, launchNoise: 0.05, disturbed, ratio: 1.05 };
      const share = coverage(effort(TIMES), design, machine);
      return [design, `${launches}`, percent(disturbed, 0), percent(share)];
    }),
  ),
);

print(
  `Power at the printed least difference (${TIMES_OF_BUILDS} pairs of comparisons each; wanted: 75 to 85 % where nothing is
disturbed. Disturbed launches come in clumps: one run states less than another one needs, or more).`,
  ['design', 'launches', 'undisturbed', '10 % disturbed'],
  SIZES.map(({ design, launches }) => {
    const shares = DISTURBED.map((disturbed) =>
      powerAtDetectable(effort(TIMES_OF_BUILDS), design, { launches, launchNoise: 0.05, disturbed }),
    );
    return [design, `${launches}`, ...shares.map((share) => percent(share))];
  }),
);

print(
  `Why "not interleaved" is said: false positives of two runs of 10 launches when the machine is a little faster in one of
them than in the other, and what becomes of it when windows are taken for samples (${TIMES_OF_BUILDS} comparisons each).`,
  ['difference between runs (SD)', 'separate', 'interleaved', 'windows as samples'],
  [0, 0.01, 0.03, 0.05].map((between) => {
    const machine = { launches: 10, launchNoise: 0.05, disturbed: 0, between };
    const shares = [
      falsePositives(effort(TIMES_OF_BUILDS), 'separate', machine),
      falsePositives(effort(TIMES_OF_BUILDS), 'interleaved', machine),
      falsePositivesOfWindows(effort(400), machine),
    ];
    return [percent(between, 0), ...shares.map((share) => percent(share))];
  }),
);
