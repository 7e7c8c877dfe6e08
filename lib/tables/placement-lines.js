// Which CPUs the processes of a run had, in the lines above a table.

import { axesIn } from '../cell/axes.js';
import { unusualText } from '../cell/axis.js';
import { isMeasured } from '../verdicts/groups.js';
import { ofHostText } from '../verdicts/host-words.js';
import { groupedBy, listed, rangesOf } from '../words/lists.js';
import { printable } from '../words/printable.js';

/** @import { MeasuredOutcome, Results } from '../types/index.js' */

const PLACES_SHOWN = 12;

/** @param {number[]} cpus @returns {string} 'CPU 0', 'CPUs 1–3' */
function cpusText(cpus) {
  return `${cpus.length === 1 ? 'CPU' : 'CPUs'} ${rangesOf(cpus)}`;
}

/** @param {MeasuredOutcome[]} measured    of one placement @returns {string} 'master on CPU 0, workers on CPUs 1–3' */
function rolesText(measured) {
  const placed = measured.flatMap(({ cell, launches }) =>
    launches.flatMap(({ costs }) =>
      costs.map(({ name, role, cpus }) => {
        const who = role === 'worker' ? 'workers' : printable(name);
        return { who, cpus: cpus ?? [], where: ofHostText(cell, { name, role }) };
      }),
    ),
  );
  const texts = [...groupedBy(placed, ({ who, where }) => who + where).values()].map((some) => {
    const [{ who, where }] = some;
    const cpus = new Set(some.flatMap((one) => one.cpus));
    return `${who} ${cpus.size === 0 ? 'where the scheduler put them' : `on ${cpusText([...cpus])}`}${where}`;
  });
  return listed(texts, PLACES_SHOWN) + helpersText(measured);
}

/**
 * @param {MeasuredOutcome[]} measured
 * @returns {string} '; compiler and collector threads on CPUs 0–1'; nothing where they were pinned with the rest
 */
function helpersText(measured) {
  const costs = measured.flatMap(({ launches }) => launches.flatMap((launch) => launch.costs));
  const cpus = new Set(costs.flatMap(({ helperCpus = [] }) => helperCpus));
  if (cpus.size < 2) return '';
  return `; compiler and collector threads on ${cpusText([...cpus])}`;
}

/** @param {MeasuredOutcome} outcome @returns {string} 'split', 'split, poll busy' */
function modeOf({ cell }) {
  return unusualText(cell, axesIn(['manner']));
}

/** @param {Results} results @returns {string[]} one line for each placement: which CPUs each kind of process had */
export function placementLines({ outcomes }) {
  const measured = outcomes.filter(isMeasured);
  return [...groupedBy(measured, modeOf)].map(([mode, concerned]) => {
    const cpus = concerned.flatMap(({ launches }) =>
      launches.flatMap(({ costs }) => costs.map((cost) => cost.cpus)),
    );
    const isUnknown = cpus.every((known) => known === null);
    return `placement ${mode}: ${isUnknown ? 'where the scheduler put each process' : rolesText(concerned)}`;
  });
}
