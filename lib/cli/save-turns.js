// The pictures of where the answer changes, beside a recommendation.

import { join } from 'node:path';
import { crossoverFigure } from '../charts/crossover-figure.js';
import { drawFigure } from '../charts/draw.js';
import { FIGURE_PX } from '../charts/figure-px.js';
import { writeAtomically } from '../results/atomic-file.js';
import { isOpen } from '../verdicts/groups.js';

/** @import { Theme } from '../charts/colours.js' */
/** @import { Recommendation, Source } from '../types/index.js' */

/**
 * @param {Recommendation} recommendation
 * @param {Source[]} sources
 * @param {string} folder
 * @param {Theme} theme
 * @returns {Promise<string[]>} paths
 */
export async function saveTurns({ turns }, sources, folder, theme) {
  const paths = [];
  for (const turn of turns) {
    const [{ run, outcome }] = turn.choice.at.measured;
    const { cell } = outcome;
    /** @type {import('../charts/series.js').Slice} */
    const slice = { cell, model: isOpen(outcome) ? 'open' : 'closed', parts: [], outcomes: [] };
    const sheet = { results: sources[run].results, slice, theme, title: '', widthPx: FIGURE_PX };
    const figure = crossoverFigure(sheet, turn, turns.length === 1 ? '' : `-${turn.side}`);
    const path = join(folder, `${figure.name}.png`);
    await writeAtomically(path, await drawFigure(figure));
    paths.push(path);
  }
  return paths;
}
