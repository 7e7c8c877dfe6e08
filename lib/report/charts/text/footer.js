// The footer of every chart: the meaning of its marks, failed and skipped rows with the reason, and the machine.

import { isUsual } from '../../../cell/axes.js';
import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel, transportLabel } from '../../../cell/labels.js';
import { countedFromTo, listed } from '../../../format/lists.js';
import { formatBytes, hasRange } from '../../../format/numbers.js';
import { groupGaps, missingTransports } from '../../text/gaps.js';
import { isMeasured } from '../../text/groups.js';
import { hostsText, textsByHost } from '../../text/host-words.js';
import { disturbedLines, runtimesText, wakeUpTexts } from '../../text/machine-words.js';
import { networkText } from '../../text/network-words.js';
import { briefShardTexts, textsByShard } from '../../text/shard-words.js';
import { slicingAxes } from '../figures/series.js';
import { gapMarkOf, labelText, rowText } from './short-texts.js';

/** @import { Environment, Outcome, Results } from '../../../types/index.js' */
/** @import { Cause, Missing } from '../../text/gaps.js' */
/** @import { Slice } from '../scene-types.js' */

const PUBLISHED_MARK = '◇';

const CAUSE_CHARACTERS = 90;
const HOSTS_CHARACTERS = 160;
const RUNTIMES_CHARACTERS = 300; // a dozen of them: a picture tells all versions
const CAUSES_SHOWN = 4;
const NAMES_SHOWN = 4;
const MACHINES_SHOWN = 3;

/** @param {Environment} environment @returns {string} */
function machineText(environment) {
  const { cpuModel, logicalCpus, usableCpus, cpuQuota, platform, kernel } = environment;
  const usable =
    usableCpus === null ? `${logicalCpus} CPUs` : `${usableCpus.length} of ${logicalCpus} CPUs usable`;
  const quota = cpuQuota === null ? '' : `, quota ${cpuQuota}`;
  return [
    labelText(cpuModel ?? 'CPU model unknown', 60),
    `${usable}${quota}`,
    `${labelText(platform, 12)} ${labelText(kernel, 40)}`,
    labelText(runtimesText(environment), RUNTIMES_CHARACTERS),
  ].join(' · ');
}

/** @param {Slice} slice @param {Outcome[]} outcomes @returns {string} 'open model (fixed arrivals, pacing spin)' */
function modelText({ model }, outcomes) {
  const opens = outcomes.filter(isMeasured).flatMap(({ open }) => (open === undefined ? [] : [open]));
  if (model === 'closed' || opens.length === 0) return `${model} model`;
  const pacings = [...new Set(opens.map(({ pacing }) => pacing))].join(' and ');
  return `open model (${opens[0].arrivals} arrivals, pacing ${pacings})`;
}

/** @param {Slice} slice @param {Outcome[]} outcomes @returns 'placement split (master on its own CPU)', and what is unusual */
function mannerTexts({ cell }, outcomes) {
  const said = slicingAxes().filter((axis) => axis.part !== 'scenario' && !isUsual(axis, cell));
  return said.map(({ name, heading, of, explained }) => {
    const value = of(cell);
    const known = Object.hasOwn(explained, value) ? explained[value] : null;
    const meaning = name === 'network' ? networkText(outcomes.filter(isMeasured)) : known;
    return meaning ? `${heading(cell)} (${meaning})` : heading(cell);
  });
}

/** @param {Outcome[]} outcomes @returns {string} '6 launches per cell' */
function launchesText(outcomes) {
  const counts = outcomes.filter(isMeasured).map((outcome) => readHeadline(outcome).n);
  if (counts.length === 0) return 'no launch succeeded';
  return `${countedFromTo(counts, 'launch', 'launches')} per cell`;
}

/** @param {Outcome[]} outcomes @returns {string} what the whiskers are */
function intervalText(outcomes) {
  const headlines = outcomes.filter(isMeasured).map(readHeadline);
  const methods = new Set(headlines.filter(hasRange).map(({ method }) => method));
  const interval = 'whiskers: 95 % interval';
  const range = 'whiskers: range of the launches';
  if (methods.size === 0) return 'one launch, no interval';
  if (!methods.has('range')) return interval;
  return methods.size === 1 ? range : `${interval}, or range where there is none`;
}

/** @param {Results} results @param {Slice} slice @param {Outcome[]} outcomes   of this chart @param {boolean} hasIntervals */
export function footerLines(results, slice, outcomes, hasIntervals) {
  const hosts = hostsText(results);
  const shapes = [...new Set(outcomes.map(({ cell }) => shapeLabel(cell)))];
  const workload = shapes.length === 1 ? `${shapes[0]} (workers × loops)` : 'WxC: workers × loops';
  const method = [
    `${labelText(slice.cell.scenario, 30)}, ${modelText(slice, outcomes)} · ${workload}`,
    ...mannerTexts(slice, outcomes),
    launchesText(outcomes),
    ...(hasIntervals && outcomes.some(isMeasured) ? [intervalText(outcomes)] : []),
  ];
  const machines = (results.shards ? textsByShard : textsByHost)(results, machineText);
  const isOneMachine = machines.length === 1;
  const measured = [
    ...(isOneMachine ? machines : []),
    ...(hosts === null ? [] : [labelText(hosts, HOSTS_CHARACTERS)]),
    ...briefShardTexts(results),
    ...wakeUpTexts(results),
    `ipc-bench ${labelText(results.tool.version, 20)}`,
    labelText(results.startedAt.slice(0, 10), 10),
  ];
  const isWhole = results.status === 'complete';
  return [
    ...[method.join(' · '), ...(isOneMachine ? [] : shortList(machines)), measured.join(' · ')],
    ...disturbedLines(outcomes.filter(isMeasured)),
    ...(isWhole ? [] : ['The run was not finished: rows have fewer launches or slices than planned']),
  ];
}

/** @param {string[]} lines @returns {string[]} the first ones */
function shortList(lines) {
  const rest = lines.length - MACHINES_SHOWN;
  return rest > 1
    ? [...lines.slice(0, MACHINES_SHOWN), `… and ${rest} more kinds of machine, see the results`]
    : lines;
}

/** @param {Outcome} outcome @param {boolean} withPayload @param {boolean} withShape */
function formatPlace({ cell }, withPayload, withShape) {
  const parts = [rowText({ cell })];
  if (withShape) parts.push(shapeLabel(cell));
  if (withPayload) parts.push(formatBytes(cell.payloadBytes));
  return parts.join(' ');
}

/** @param {Missing} outcome @returns {Cause} in few words */
function shortCause(outcome) {
  const why = outcome.status === 'skipped' ? outcome.reason : `${outcome.code}: ${outcome.message}`;
  return { kind: outcome.status, why: labelText(why, CAUSE_CHARACTERS) };
}

/** @param {Outcome[]} outcomes @returns {string[]} one line per cause of a gap */
export function gapNotes(outcomes) {
  const withPayload = new Set(outcomes.map(({ cell }) => cell.payloadBytes)).size > 1;
  const withShape = new Set(outcomes.map(({ cell }) => shapeLabel(cell))).size > 1;
  const missing = missingTransports(outcomes);
  const nameFor = (/** @type {Missing} */ outcome) => {
    const transport = transportLabel(outcome.cell);
    return missing.has(transport) ? labelText(transport) : formatPlace(outcome, withPayload, withShape);
  };
  const lines = groupGaps(outcomes, nameFor, shortCause).map(
    ({ kind, why, rows }) => `${gapMarkOf(kind)} ${kind}: ${listed([...rows.keys()], NAMES_SHOWN)} (${why})`,
  );
  const rest = lines.length - CAUSES_SHOWN;
  return rest > 1 ? [...lines.slice(0, CAUSES_SHOWN), `… and ${rest} more causes, see the table`] : lines;
}

/** @param {import('../../../types/comparisons.js').PublishedFigures} published @returns {string[]} */
export function publishedNotes({ title, source, caveats }) {
  const head = `${PUBLISHED_MARK} published: ${labelText(title, 90)}; ${labelText(source, 110)}.`;
  const warning = 'Measured on another machine with other software: compare the shape, not the values.';
  return [[head, warning, ...caveats.map((caveat) => labelText(caveat, 200))].join(' ')];
}
