// npm run simulate: prints what recommendations are worth, as recommendations.txt beside it. Seeded: the same text every time.
// The tests run a small part of it.

import { median } from '../../lib/statistics/rank-tests.js';
import { percent, print } from './printed-table.js';
import { countedRecommendations } from './recommendation-experiments.js';

const SEED = 20261122;
const TIMES = 2_000;
const TIMES_WITHOUT_TURNS = 1_000;
const TENFOLD = [100, 1_000, 10_000, 100_000];
const THREEFOLD = [100, 320, 1_000, 3_200, 10_000, 32_000, 100_000];
const NOISE = 0.05;

let seed = SEED;
/** @param {import('./recommendation-experiments.js').World} world @param {number} [times] */
const counted = (world, times = TIMES) => {
  seed += 1;
  return countedRecommendations({ seed, times }, world);
};

const CONDITIONS = [6, 10, 20].flatMap((launches) =>
  [0, 0.1].map((disturbed) => ({ launches, disturbed, launchNoise: NOISE })),
);

console.log(`Simulated recommendations, seed ${SEED}, ${TIMES} results each (${TIMES_WITHOUT_TURNS} where nothing turns). Launches
differ by 5 % (SD), blocks by 5 %, runs drift by 5 %; disturbed launches run at 40 to 90 % of their speed. Each operation has a fixed cost and one for each byte.
right: the best row is named, or one that is dearer by less than --min-effect (5 %), where it says so. wrong: another one is.
`);

for (const [payloads, title] of /** @type {const} */ ([
  [TENFOLD, '4 payloads, each ten times the one before'],
  [THREEFOLD, '7 payloads, each three times the one before'],
])) {
  print(
    `${title}; 3 rows, of which two take turns at a known payload (wanted: wrong at most 3 %;
the interval of the crossover holds the truth in 93 to 97 %).`,
    [
      'launches',
      'disturbed',
      'right',
      'undecided',
      'wrong',
      'crossover found',
      'held',
      'invented',
      'median width',
    ],
    CONDITIONS.map((conditions) => {
      const { right, undecided, wrong, found, held, invented, factors } = counted({
        ...conditions,
        payloads,
        rows: 3,
      });
      return [
        ...[`${conditions.launches}`, percent(conditions.disturbed, 0)],
        ...[right, undecided, wrong, found].map((count) => percent(count / TIMES)),
        ...[percent(held / found), percent(invented / TIMES), `${median(factors).toFixed(2)}x`],
      ];
    }),
  );
}

print(
  `Nothing takes turns: the first row is best at every payload, by so much (10 % disturbed).`,
  ['rows', 'lead', 'launches', 'right', 'undecided', 'wrong', 'invented'],
  [2, 5].flatMap((rows) =>
    [1, 1.02, 1.05, 1.2].flatMap((lead) =>
      [6, 20].map((launches) => {
        const conditions = { launches, disturbed: 0.1, launchNoise: NOISE, payloads: TENFOLD };
        const { right, undecided, wrong, invented } = counted(
          { ...conditions, rows, lead },
          TIMES_WITHOUT_TURNS,
        );
        return [
          ...[`${rows}`, percent(lead - 1, 0), `${launches}`],
          ...[right, undecided, wrong, invented].map((count) => percent(count / TIMES_WITHOUT_TURNS)),
        ];
      }),
    ),
  ),
);

print(
  `Costs that lie on no straight line: bytes to the power of 0.85. Between payloads that are far apart the crossover is then told
too precisely; \`recommend\` measures between them, down to 1.5 times (10 launches, none disturbed).`,
  ['payloads', 'wrong', 'crossover found', 'held'],
  [10, 10 ** 0.5, 10 ** 0.25].map((step) => {
    const count = Math.round(Math.log(1_000) / Math.log(step)) + 1;
    const payloads = Array.from({ length: count }, (_, place) => Math.round(100 * step ** place));
    const conditions = { launches: 10, disturbed: 0, launchNoise: NOISE, payloads };
    const { wrong, found, held } = counted({ ...conditions, rows: 3, bend: 0.85 });
    return [
      `each ${step.toFixed(1)} times`,
      percent(wrong / TIMES),
      percent(found / TIMES),
      percent(held / found),
    ];
  }),
);
