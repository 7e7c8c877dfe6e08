// The parts of the program of which a sample is drawn.

/** @type {Readonly<Record<string, readonly string[]>>} folders of each; none: all others */
export const AREAS = Object.freeze({
  statistics: ['lib/statistics'],
  verdicts: ['lib/report/text', 'lib/report/columns'],
  results: ['lib/results'],
  transport: ['lib/transport', 'lib/transport/ring'],
  scenario: ['lib/scenario'],
  options: ['lib/options', 'lib/plan'],
  running: ['lib/run', 'lib/launch'],
  charts: ['lib/report/charts'],
  rest: [],
});
/** Types alone, a package of its own, and programs that other runtimes execute. */
const LEFT_OUT = ['lib/types', 'lib/report/charts/canvas-shim'];

/** @param {string} path @param {string} area   its name, a folder, or a file @returns {boolean} */
export function isInArea(path, area) {
  const own = areaOf(path);
  return own !== null && (own === area || path === area || path.startsWith(`${area.replace(/\/$/, '')}/`));
}

/** @param {string} path @returns {string | null} null: nothing of it is executed, or it is no part of the program */
export function areaOf(path) {
  const isIn = (/** @type {string} */ folder) => path.startsWith(`${folder}/`);
  if (LEFT_OUT.some(isIn)) return null;
  return Object.keys(AREAS).find((area) => AREAS[area].some(isIn)) ?? 'rest';
}
