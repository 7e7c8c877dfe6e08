// Describes how and where the rows of a chart were measured, in two lines below it. Captions and pages have the full text, with the reasons
// of gaps.

import { isUsual } from '../../../cell/axes.js';
import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised, counted } from '../../../format/lists.js';
import { hasRange } from '../../../format/numbers.js';
import { areOftenDisturbed } from '../../../results/cell-flags.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { makeFinding } from '../../findings/finding.js';
import { gapFindings } from '../../findings/gap-findings.js';
import { disturbances } from '../../findings/noise-findings.js';
import {
  disturbedLines,
  hostsText,
  networkText,
  runtimesText,
  textsByHost,
  wakeUpLines,
} from '../../text/machine-words.js';
import { phrase } from '../../text/phrase-table.js';
import { disturbedText } from '../../text/phrases/noise-phrases.js';
import { labelText } from '../../text/short-texts.js';
import { launchesText } from '../../text/surroundings.js';
import { dividingAxes } from './series.js';

/** @import { Environment, Estimate, MeasuredOutcome, Outcome, PublishedFigures, Results } from '../../../types/index.js' */
/** @import { BelowItem, Figure, FigureInput } from '../chart-types.js' */

const SEPARATOR = ' · ';
const HOSTS_CHARACTERS = 160;
const RUNTIMES_CHARACTERS = 300; // enough for a dozen runtimes
const CAUSES_SHOWN = 12;
const MACHINES_SHOWN = 3;

/** @param {BelowItem[]} items */
export const joinItems = (items) => items.map(({ text }) => text).join(SEPARATOR);

/** @param {Pick<Figure, 'below'>} figure @returns {[how: string, where: string]} */
export const linesBelow = ({ below: [how, where] }) => [joinItems(how), joinItems(where)];

/** @param {Environment} environment @returns {BelowItem[]} */
function machineItems(environment) {
  const { logicalCpus, usableCpus, cpuQuota, platform, kernel } = environment;
  const isPart = usableCpus !== null && usableCpus.length < logicalCpus;
  const cpus = `${isPart ? `${usableCpus.length} of ` : ''}${counted(logicalCpus, 'CPU', 'CPUs')}`;
  const [version = ''] = /^\d+(\.\d+)?/.exec(kernel) ?? [];
  return [
    { text: labelText(environment.cpuModel ?? 'CPU model unknown', 60), rank: 1 },
    { text: `${cpus}${cpuQuota === null ? '' : `, quota ${cpuQuota}`}`, rank: 2 },
    { text: `${labelText(platform, 12)} ${version}`.trimEnd(), rank: 5 },
    { text: labelText(runtimesText(environment), RUNTIMES_CHARACTERS), rank: 0 },
  ];
}

/** @param {Outcome[]} outcomes @returns {{ arrivals: string, pacings: string } | null} null if no open load was measured */
function readOpenLoad(outcomes) {
  const opens = outcomes.filter(isMeasured).flatMap(({ open }) => (open === undefined ? [] : [open]));
  if (opens.length === 0) return null;
  return {
    arrivals: opens[0].arrivals,
    pacings: [...new Set(opens.map(({ pacing }) => pacing))].join(' and '),
  };
}

/** @param {FigureInput} question @param {Outcome[]} outcomes @returns {BelowItem[]} the placement, and unusual options such as poll=busy */
function mannerItems({ cell }, outcomes) {
  const unusual = dividingAxes().filter((axis) => axis.part !== 'scenario' && !isUsual(axis, cell));
  return unusual.map(({ name, heading, of, explained }) => {
    const value = of(cell);
    const known = Object.hasOwn(explained, value) ? explained[value] : null;
    const meaning = name === 'network' ? networkText(outcomes.filter(isMeasured)) : known;
    if (name === 'placement') return { text: meaning ?? heading(cell), rank: 5 };
    return { text: meaning ? `${heading(cell)} (${meaning})` : heading(cell), rank: 2 };
  });
}

/** @param {Outcome[]} outcomes @param {string} [of] @returns {string} intervalText() for whiskers that show the interval of the headline */
export const headlineIntervalText = (outcomes, of) =>
  intervalText(outcomes.filter(isMeasured).map(readHeadline), of);

/**
 * @param {Estimate[]} estimates   with the intervals that the whiskers show
 * @param {string} [of]            their quantity
 * @returns {string} 'whiskers: 95 % interval of the ratio'
 */
export function intervalText(estimates, of) {
  const methods = new Set(estimates.filter(hasRange).map(({ method }) => method));
  const interval = `whiskers: 95 % interval${of === undefined ? '' : ` of ${of}`}`;
  const range = 'whiskers: range of the launches';
  if (methods.size === 0) return estimates.some(({ n }) => n > 1) ? 'no interval' : 'one launch, no interval';
  if (!methods.has('range')) return interval;
  return methods.size === 1 ? range : `${interval}, or range where there is none`;
}

/**
 * @param {FigureInput} question
 * @param {Outcome[]} outcomes
 * @param {{ reading: BelowItem[], intervals?: string }} words   see makeFigure()
 * @returns {Figure['below']}
 */
export function itemsBelow(question, outcomes, { reading, intervals = headlineIntervalText(outcomes) }) {
  const { results, cell, model } = question;
  const shapes = [...new Set(outcomes.map(({ cell }) => shapeLabel(cell)))];
  const workload = shapes.length === 1 ? `${shapes[0]} (workers × loops)` : 'W×C: workers × loops';
  const load = model === 'closed' ? 'closed loop' : 'open load';
  const open = readOpenLoad(outcomes);
  const how = [
    ...reading,
    ...(isComplete(results) ? [] : [{ text: 'unfinished run', rank: 0 }]),
    ...disturbedItems(outcomes.filter(isMeasured)),
    { text: `${labelText(cell.scenario, 30)}, ${load}`, rank: 1 },
    ...(open === null ? [] : [{ text: `${open.arrivals} arrivals`, rank: 6 }]),
    { text: workload, rank: 3 },
    ...mannerItems(question, outcomes),
    {
      text: launchesText({ outcomes, options: results.options }),
      rank: 4,
    },
    ...(intervals !== '' ? [{ text: intervals, rank: 2 }] : []),
  ];
  const hosts = hostsText(results);
  const kinds = listMachines(results).length;
  const where = [
    ...machineItems(results.environment),
    ...(kinds > 1 ? [{ text: `${counted(kinds, 'kind', 'kinds')} of machine`, rank: 1 }] : []),
    ...(hosts === null ? [] : [{ text: labelText(hosts, HOSTS_CHARACTERS), rank: 2 }]),
    { text: `ipc-bench ${labelText(results.tool.version, 20)}`, rank: 4 },
    { text: labelText(results.startedAt.slice(0, 10), 10), rank: 3 },
  ];
  return [how, where];
}

/** @param {MeasuredOutcome[]} measured @returns {BelowItem[]} one item if the launches were often disturbed, otherwise none */
function disturbedItems(measured) {
  const isOften = areOftenDisturbed(measured.flatMap(({ launches }) => launches));
  if (!isOften) return [];
  const { launches, disturbed } = disturbances(measured);
  return [{ text: disturbedText({ launches, disturbed }), rank: 0 }];
}

/** @param {Results} results */
const isComplete = ({ status }) => status === 'complete';

/** @param {Results} results @returns {string[]} descriptions of all machines, without duplicates */
const listMachines = (results) => textsByHost(results, (environment) => joinItems(machineItems(environment)));

/** @param {Results} results @param {Outcome[]} outcomes @returns {string[]} notes that do not fit into the lines below a chart */
export function measuringNotes(results, outcomes) {
  const open = readOpenLoad(outcomes);
  const machines = listMachines(results);
  return [
    ...(open === null ? [] : [`Open load: ${open.arrivals} arrivals, pacing ${open.pacings}`]),
    ...(machines.length > 1 ? shortList(machines).map((machine) => `Machine: ${machine}`) : []),
    ...wakeUpLines(results).map(capitalised),
    ...disturbedLines(outcomes.filter(isMeasured)),
    ...(isComplete(results) ? [] : phrase(makeFinding('unfinished', {}), false)),
  ];
}

/** @param {string[]} lines */
function shortList(lines) {
  const rest = lines.length - MACHINES_SHOWN;
  return rest > 1 ? [...lines.slice(0, MACHINES_SHOWN), `and ${rest} more kinds, see the results`] : lines;
}

/** @param {Outcome[]} outcomes @returns {string[]} one line per cause of a gap */
export function gapNotes(outcomes) {
  const lines = gapFindings({ outcomes, reference: '' }).flatMap((one) => phrase(one, false));
  const rest = lines.length - CAUSES_SHOWN;
  return rest > 1 ? [...lines.slice(0, CAUSES_SHOWN), `… and ${rest} more causes, see the table`] : lines;
}

/** @param {PublishedFigures} published @returns {string[]} */
export function publishedNotes({ title, source, caveats }) {
  const head = `Published: ${labelText(title, 90)}; ${labelText(source, 110)}.`;
  const warning = 'Measured on another machine with other software: compare the shape, not the values.';
  return [[head, warning, ...caveats.map((caveat) => labelText(caveat, 200))].join(' ')];
}
