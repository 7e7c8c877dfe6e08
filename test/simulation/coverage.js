// npm run simulate: prints how often the intervals of a table contain the truth, and how often a table of equal rows claims a
// difference, as in coverage.txt. Seeded, so that the text does not change.

import { lengthOptions } from '../../lib/options/load-options.js';
import { claimsIn, coverageInParts, coverageOf } from './coverage-experiments.js';
import { HOSTS, loudnessOf } from './noisy-host.js';
import { percent, print } from './printed-table.js';

const SEED = 20261124;
const TIMES = 300;

console.log(`Simulated tables, seed ${SEED}, ${TIMES} of each size. The noise of the machine is autocorrelated (0.15, 4 and 60 s), something
else takes the CPUs now and then, and rows differ in noise from 0.4 to 2.5 times the usual. "loud": launches differ by 14 %;
"usual": by 7 %. Launches of 0.4 s one after another ("windows"), or alive together, in 9 slices of 80 ms ("slices").
`);

const PARTS = [1, 2, 3, 4, 5];
const REPETITIONS = [1, 2, 3, 4, 5, 6];
const ROWS_OF_PART = 5; // beside the reference

const MAX_LAUNCHES = Number(lengthOptions(() => undefined).stop?.mostLaunches);
for (const [name, host] of Object.entries(HOSTS)) {
  const rows = [false, true].flatMap((isSliced) =>
    [2, 4, 9, 24].flatMap((count) =>
      [...(isSliced ? [1] : []), 2, 3, 4, 6].map((launches) => {
        const effort = { seed: SEED + 100 * count + launches, times: count > 9 ? TIMES / 2 : TIMES };
        const { mean, loudest, width } = coverageOf(effort, host, {
          rows: loudnessOf(count),
          launches,
          isSliced,
        });
        const equal = { rows: Array.from({ length: count }, () => 1), launches, isSliced };
        const claims = claimsIn({ ...effort, seed: effort.seed + 50_000 }, host, equal);
        const shares = [mean, loudest, width, claims].map((share) => percent(share));
        return [isSliced ? 'slices' : 'windows', `${count}`, `${launches}`, ...shares];
      }),
    ),
  );
  print(
    `${name} (wanted: 94 to 97 % on average; claims of equal rows in at most 5 % of tables).`,
    ['measured in', 'rows', 'launches', 'coverage', 'loudest row', 'half-width', 'tables with a false claim'],
    rows,
  );
  const autoRows = [2, 9, 24].map((count) => {
    const effort = { seed: SEED + 7 + count, times: count > 9 ? TIMES / 2 : TIMES };
    const run = { launches: MAX_LAUNCHES, isSliced: true, isAuto: true };
    const { mean, loudest, width, launches } = coverageOf(effort, host, { rows: loudnessOf(count), ...run });
    const equal = { rows: Array.from({ length: count }, () => 1), ...run };
    const claims = claimsIn({ ...effort, seed: effort.seed + 50_000 }, host, equal);
    return [
      `${count}`,
      launches.toFixed(1),
      ...[mean, loudest, width, claims].map((share) => percent(share)),
    ];
  });
  print(
    `${name}, --launches auto: from the second group on, the run ends when every ratio is known to 5 % or clear of 1.`,
    ['rows', 'launches', 'coverage', 'loudest row', 'half-width', 'tables with a false claim'],
    autoRows,
  );
  // The harder case is enough, since this table takes as long as all others.
  if (host !== HOSTS.loud) continue;
  const inParts = PARTS.flatMap((parts) =>
    REPETITIONS.map((launches) => {
      const effort = { seed: SEED + 10 * parts + launches, times: TIMES / 3 };
      const run = { rows: loudnessOf(1 + parts * ROWS_OF_PART), launches, isSliced: true, parts };
      const found = [false, true].flatMap((isDoubled) =>
        /** @type {const} */ (['whole', 'failed', 'ended']).map((ending) =>
          ending === 'ended' && parts === 1
            ? null
            : coverageInParts(effort, host, { ...run, isDoubled }, ending),
        ),
      );
      const claims = found.flatMap((one) => one?.claims ?? []);
      return [
        `${parts}`,
        `${launches}`,
        ...found.map((one) => (one === null ? '' : percent(one.coverage))),
        percent(claims.reduce((sum, share) => sum + share) / claims.length),
      ];
    }),
  );
  print(
    `${name}, tables of several groups with ${ROWS_OF_PART} rows and the reference each, in slices: coverage (wanted: 94 to 97 %, more where launches
differ by less than is assumed of a single one). "failed": one launch has no result. "ended": the last repetition lacks some groups.
"2x": the reference has two slices in each round.`,
    ['groups', 'repetitions', 'whole', 'failed', 'ended', '2x whole', '2x failed', '2x ended', 'false claim'],
    inParts,
  );
}
