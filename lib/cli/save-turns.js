// The pictures of where the answer changes, beside a recommendation.

import { join } from 'node:path';
import { crossoverFigure } from '../report/charts/figures/crossover-figure.js';
import { inTheme } from '../report/charts/figures/figures.js';
import { drawFigure } from '../report/charts/render/draw.js';
import { FIGURE_PX } from '../report/charts/scene/layout.js';
import { isOpen } from '../report/text/groups.js';
import { writeAtomically } from '../results/atomic-file.js';

/** @import { Recommendation, Source } from '../types/index.js' */
/** @import { Slice, Theme } from '../report/charts/scene-types.js' */

/**
 * @param {Recommendation} recommendation
 * @param {Source[]} sources
 * @param {string} folder
 * @param {Theme} theme
 * @returns {Promise<string[]>} paths
 */
export async function saveCrossovers({ turns }, sources, folder, theme) {
  const paths = [];
  for (const turn of turns) {
    const [{ run, outcome }] = turn.choice.at.measured;
    const { cell } = outcome;
    /** @type {Slice} */
    const slice = { cell, model: isOpen(outcome) ? 'open' : 'closed', parts: [], outcomes: [] };
    const sheet = { results: sources[run].results, slice, title: '', widthPx: FIGURE_PX };
    const suffix = turns.length === 1 ? '' : `-${turn.side}`;
    const [figure] = inTheme([crossoverFigure(sheet, turn, suffix)], theme);
    const path = join(folder, `${figure.name}.png`);
    await writeAtomically(path, await drawFigure(figure));
    paths.push(path);
  }
  return paths;
}
