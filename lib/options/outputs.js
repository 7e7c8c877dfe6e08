// What `run` and `report` share: where documents go and how they look. Paths are only read here; whether they can be
// written is tried by lib/cli/documents.js.

import { parseChoice } from './axes.js';
import { flagLayer } from './layers.js';
import { refuse } from './quantities.js';

/** @typedef {import('./layers.js').Given} Given */
/** @typedef {(flag: string) => Given | undefined} Find   the strongest of the layers */

const THEMES = /** @type {const} */ (['light', 'dark']);
const OUTPUT_FLAGS = ['json', 'csv', 'markdown', 'benchstat', 'github-action-benchmark', 'png', 'hgrm'];

/**
 * @typedef {object} Shown
 * @property {Record<string, string>} outputs   flag → path, '-' = stdout
 * @property {'light' | 'dark' | null} theme
 * @property {string | null} title
 * @property {boolean} isQuiet
 * @property {boolean | null} colour
 */

/**
 * @param {Given | undefined} given   of a switch
 * @returns {boolean}
 */
export function isOn(given) {
  return given?.texts[0] === 'true';
}

/**
 * @param {Find} find
 * @returns {Shown}
 */
export function shown(find) {
  const theme = find('theme');
  const color = find('color');
  return {
    outputs: outputs(find),
    theme: theme ? parseChoice(theme.texts[0], THEMES, theme.source) : null,
    title: find('title')?.texts[0] ?? null,
    isQuiet: isOn(find('quiet')),
    colour: color ? isOn(color) : null,
  };
}

/**
 * @param {Find} find
 * @returns {Record<string, string>}
 */
function outputs(find) {
  /** @type {Record<string, string>} */
  const paths = {};
  for (const flag of OUTPUT_FLAGS) {
    const given = find(flag);
    if (!given) continue;
    const path = given.texts[0];
    const rival = Object.keys(paths).find((other) => paths[other] === path);
    if (rival) {
      const place = path === '-' ? 'stdout' : path;
      refuse(given.source, `${place} is already taken by --${rival}; two documents cannot share it`);
    }
    paths[flag] = path;
  }
  return paths;
}

/**
 * @param {Record<string, unknown>} argv
 * @returns {Shown & { outDir: string | null, isForced: boolean }}   of `report`, which reads flags only
 */
export function reportOptions(argv) {
  const flags = flagLayer(argv);
  return {
    ...shown((flag) => flags[flag]),
    outDir: flags.out?.texts[0] ?? null,
    isForced: isOn(flags.force),
  };
}
