// A recommendation as findings: the recommended row, the size or rate from which another one is recommended, why rows are excluded, and
// what the answer is based on.

import { seriesLabel, sloLabel } from '../../cell/labels.js';
import { UNDIVIDED } from '../../cell/launch-roles.js';
import { ifAny } from '../../format/lists.js';
import { isNoise } from '../../format/result-flags.js';
import { US_PER_S } from '../../format/units.js';
import { cpuUsInAll } from '../../results/calibration-rows.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { foundGroup, makeFinding, measureFacts, withoutTarget } from '../findings/finding.js';
import { unfinishedFindings } from '../findings/gap-findings.js';
import { isOpen, isPossible } from '../findings/groups.js';
import { disturbedFindings } from '../findings/noise-findings.js';
import { arrivalsIn } from '../findings/open-load-findings.js';
import { unrankedBy } from '../findings/row-verdicts.js';
import { runtimesText } from '../text/machine-words.js';
import { isPacedBySpinning } from './cpu-cost.js';
import { BLOCKS_LONGER, isBuiltIn, simplestFirst } from './decide.js';

/** @import { Answer, Finding, FoundRow, Recommendation, RecommendedRow, Results, Slo } from '../../types/index.js' */

/** @typedef {{ slo: Slo | null, maxBlockMs?: number | null }} Limits */

/** Share of a core below which a difference hardly matters to a program. */
const NOTICED_CORE_SHARE = 0.05;

/**
 * @param {Recommendation} recommendation
 * @param {Results} results
 * @param {Limits} limits
 * @returns {Finding[]} the answer first
 */
export function recommendationFindings({ chains, axis, leftOut }, results, limits) {
  // A finding on the disturbed launches of all rows replaces the one on the rows that may meet the requirements.
  const ofAll = disturbedFindings(results.outcomes.filter(isMeasured));
  const rows = chains.flat().flatMap(({ sorted }) => sorted);
  return [
    ...chains.flatMap((chain) => chainFindings(chain, axis, limits)),
    ...leftOut.map(({ why, names }) =>
      makeFinding('left-out', { rows: names.map((row) => ({ row })), names: { lack: why } }),
    ),
    ...(ofAll.length > 0 ? ofAll : disturbedFindings(rows.map(({ outcome }) => outcome))),
  ];
}

/** @param {Answer[]} chain @param {Recommendation['axis']} axis @param {Limits} limits @returns {Finding[]} */
function chainFindings(chain, axis, limits) {
  const answered = chain.filter(({ choice }) => choice !== null);
  const [first] = answered;
  const last = answered.at(-1);
  const findings = chain.flatMap((answer) => {
    const { choice, why } = answer;
    if (choice === null) {
      const refusal = makeFinding('not-recommended', { ...common(answer), verdict: 'none', why });
      return [refusal, ...excludedFindings(answer, limits), ...remedyFindings(answer)];
    }
    if (answer === first) return [taken(answer, choice, limits), ...excludedFindings(answer, limits)];
    return changeFinding(answer, choice, axis);
  });
  const isSame = answered.every(({ choice }) => choice?.name === first.choice?.name);
  if (last === undefined || last === first || !isSame) return findings;
  const spanned = chain.slice(chain.indexOf(first), chain.indexOf(last));
  return [
    ...findings,
    makeFinding('recommended-up-to', {
      ...common(last),
      rows: [{ row: String(first.choice?.name) }],
      numbers: {
        to: last.cell[axis] ?? 0,
        withoutChoice: spanned.filter(({ choice }) => choice === null).length,
      },
      names: { axis },
    }),
  ];
}

/** @param {Answer} answer @returns {Pick<Finding, 'group'> & Partial<Finding>} */
function common({ heading, cell, ranked: [first] }) {
  return {
    group: foundGroup({ heading, cell }),
    ...(first && { measure: measureFacts(first.outcome), operation: first.outcome.operation }),
  };
}

/** @param {Answer} answer @param {RecommendedRow} choice @param {Limits} limits @returns {Finding} */
function taken(answer, choice, { slo, maxBlockMs = null }) {
  const { ranked, judge, comparisons, broken, doubtful, cell } = answer;
  const others = ranked.filter((row) => row !== choice);
  const runnerUp = others[0];
  // A row that permits no conclusion may be better than the choice if it is the next one by its estimate, or has a better one.
  const rival = answer.sorted.find((row) => row !== choice);
  const isProven = rival?.doubt === null && others.every((row) => judge(choice, row).verdict === 'better');
  const [simplest] = simplestFirst(ranked);
  const more = coreShare(simplest, cell.ratePerSecond) - coreShare(choice, cell.ratePerSecond);
  const isSimpler = isOpen(answer) && simplest !== choice && more < NOTICED_CORE_SHARE;
  const beside = runnerUp === undefined ? null : judge(choice, runnerUp).ratio;
  return makeFinding('recommended', {
    ...common(answer),
    rows: [choice, ...others].map((row) => makeRow(row, answer, choice)),
    against: runnerUp?.name ?? null,
    ratio: withoutTarget(beside),
    verdict: others.length === 0 ? 'none' : isProven ? 'better' : 'unclear',
    why: others.length === 0 ? { code: 'alone' } : null,
    numbers: {
      comparisons,
      others: broken.length + doubtful.length,
      ...(maxBlockMs !== null && choice.block && { blockUs: choice.block.estimate }),
      ...(isSimpler && { noticedCoreShare: NOTICED_CORE_SHARE }),
    },
    names: {
      ...(isSimpler && { simpler: simplest.name }),
      reference: choice.outcome.ratio?.to ?? '',
      ...(slo && { percentile: slo.percentile === 'p999' ? 'p99.9' : slo.percentile }),
      ...(isPacedBySpinning(choice.outcome.launches[0]) && { without: 'workers' }),
    },
  });
}

/**
 * @param {RecommendedRow} row
 * @param {Answer} answer
 * @param {RecommendedRow} choice
 * @returns {FoundRow} verdict: of the choice compared with this row
 */
function makeRow(row, { judge, cell }, choice) {
  const { name, outcome, kept } = row;
  const { ratio, peakRssBytes } = outcome;
  const isReference = ratio?.to === seriesLabel(outcome.cell);
  return {
    row: name,
    ...(ratio !== null && !isReference && { ratio: withoutTarget(ratio) }),
    ...(kept.number && { value: kept.number }),
    ...(row !== choice && { verdict: judge(choice, row).verdict }),
    numbers: {
      ...known('cpuUs', computeCpuUs(row)),
      ...(cell.ratePerSecond !== undefined && known('coreShare', coreShare(row, cell.ratePerSecond))),
      ...(peakRssBytes !== null && { memoryBytes: peakRssBytes }),
    },
    ...(isBuiltIn(row) && { names: { needs: 'nothing' } }),
  };
}

/** @param {string} name @param {number} value @returns {Record<string, number>} */
const known = (name, value) => (Number.isNaN(value) ? {} : { [name]: value });

/** @param {RecommendedRow} row @returns {number} µs of CPU time per operation, without workers that busy-wait; NaN if unknown */
function computeCpuUs({ outcome: { cpuUsPerOperation, launches } }) {
  const isWithoutWorkers = isPacedBySpinning(launches[0]);
  return (
    cpuUsInAll({ ...cpuUsPerOperation, ...(isWithoutWorkers && { workers: null, [UNDIVIDED]: null }) }) ??
    Number.NaN
  );
}

/** @param {RecommendedRow} row @param {number} [rate] @returns {number} */
function coreShare(row, rate = 0) {
  return (computeCpuUs(row) * rate) / US_PER_S;
}

/**
 * @param {Answer} answer
 * @returns {Finding[]} what would let undisturbed rows be ranked; disturbed rows need a quieter machine, whatever other flags they have
 */
function remedyFindings({ doubtful }) {
  const undisturbed = doubtful
    .map(({ outcome: { flags } }) => flags.map(({ code }) => code))
    .filter((codes) => !codes.some(isNoise));
  const remedies = new Set(undisturbed.flatMap((codes) => unrankedBy(codes) ?? []));
  return [...remedies].map((remedy) => makeFinding('remedy', { remedy }));
}

/**
 * @param {Answer} answer
 * @param {RecommendedRow} choice
 * @param {Recommendation['axis']} axis
 * @returns {Finding[]} one if the recommended row changes, otherwise none
 */
function changeFinding(answer, choice, axis) {
  const { previous, sorted, broken, judge, cell } = answer;
  if (previous === null || previous.name === choice.name) return [];
  /** @param {RecommendedRow} row */
  const isPrevious = ({ name }) => name === previous.name;
  const before = sorted.find(isPrevious);
  const ratio = before === undefined ? null : judge(choice, before).ratio;
  return [
    makeFinding('recommended-from', {
      ...common(answer),
      rows: [{ row: choice.name }],
      against: previous.name,
      ratio: withoutTarget(ratio),
      verdict: ratio === null ? 'none' : 'better',
      why: ratio === null ? { code: broken.some(isPrevious) ? 'breaks-limit' : 'not-measured' } : null,
      numbers: { from: cell[axis] ?? 0 },
      names: { axis },
    }),
  ];
}

/**
 * @param {Answer} answer
 * @param {Limits} limits
 * @returns {Finding[]} findings on the rows that exceed the limits of response time and of --max-block, and on rows that permit no conclusion
 */
function excludedFindings(answer, { slo, maxBlockMs = null }) {
  const { cell, doubtful } = answer;
  const [blocking, broken] = [true, false].map((isBlocking) =>
    answer.broken.filter(({ kept }) => (kept.why?.code === BLOCKS_LONGER) === isBlocking),
  );
  return [
    ...ifAny(broken, () =>
      makeFinding('breaks-limit', {
        ...common(answer),
        rows: broken.map(({ name, kept: { number, why } }) => ({
          row: name,
          ...(number && { value: number }),
          why,
        })),
        numbers: { perSecond: cell.ratePerSecond ?? 0 },
        names: slo === null ? {} : { limit: sloLabel(slo) },
      }),
    ),
    ...ifAny(blocking, () =>
      makeFinding('blocks-longer', {
        ...common(answer),
        rows: blocking.map(({ name, block }) => ({ row: name, ...(block && { value: block }) })),
        numbers: { maxBlockMs },
      }),
    ),
    ...ifAny(doubtful, () =>
      makeFinding('not-judged', {
        ...common(answer),
        rows: doubtful.map(({ name, doubt }) => ({ row: name, why: doubt })),
      }),
    ),
  ];
}

/**
 * @param {Recommendation} recommendation
 * @param {Results} results
 * @param {string[]} fitting    names of transports that meet the needs
 * @returns {Finding[]} what was not examined, and the basis of the answer
 */
export function scopeFindings({ chains }, results, fitting) {
  const { outcomes, environment } = results;
  const { cpuModel, platform } = environment;
  const rows = chains.flat().flatMap(({ ranked }) => ranked.map(({ outcome }) => outcome));
  const measured = new Set(outcomes.filter(isMeasured).map(({ cell }) => seriesLabel(cell)));
  const planned = outcomes.filter((outcome) => !isMeasured(outcome) && isPossible(outcome));
  const missing = new Set(planned.map(({ cell }) => seriesLabel(cell)).filter((name) => !measured.has(name)));
  const used = new Set(outcomes.map(({ cell }) => cell.transport));
  const launches = rows.map((outcome) => outcome.launches.length);
  const isNetworked = outcomes.some(({ cell }) => cell.hosts !== undefined || cell.network !== undefined);
  /** @param {Iterable<string>} names */
  const labelled = (names) => [...names].map((row) => ({ row }));
  return [
    ...unfinishedFindings(results),
    ...ifAny([...missing], () => makeFinding('not-measured', { rows: labelled(missing) })),
    ...ifAny(rows, () =>
      makeFinding('not-examined', {
        rows: labelled(fitting.filter((name) => !used.has(name))),
        ...(isNetworked && { names: { networked: 'true' } }),
      }),
    ),
    ...ifAny(rows, () =>
      makeFinding('evidence', {
        numbers: { leastLaunches: Math.min(...launches), mostLaunches: Math.max(...launches) },
        names: {
          arrivals: arrivalsIn(rows).join(', '),
          machine: cpuModel ?? platform,
          runtimes: runtimesText(environment),
        },
      }),
    ),
  ];
}
