// `ipc-bench recommend --work`: whether it pays to hand tasks of so much work to a worker, and which pool is the best. Tasks are measured
// with that amount of work and with less and more, so that the answer says from how much work on each row pays.

import { BenchError } from '../errors.js';
import { GREATEST_WIDTH, wrapped } from '../report/columns/aligned.js';
import { answerAt, workJson, workSentences } from '../report/recommend/work-words.js';
import { openRunFolder, sayWhatIsSaved } from './documents.js';
import { showText } from './process-io.js';
import { measureRound, preparedFirst, refuseLongRun, sayWhatIsMeasured } from './recommend-measuring.js';

/** @import { RecommendOptions } from '../options/recommend-options.js' */
/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Results } from '../types/index.js' */
/** @import { Host } from './main.js' */
/** @typedef {RecommendOptions & { workUs: number }} Wish */

const INLINE = 'inline'; // what all others are compared with
// Ten rows live side by side in a group. These are what most programs use.
const ROWS = {
  text: 'threads-message,piscina,tinypool,workerpool,jest-worker,comlink,synckit,cluster',
  // Some transfer them, and others copy them.
  bytes:
    'threads-message,threads-message:transfer=false,piscina,piscina:transfer=true,tinypool:transfer=true,' +
    'workerpool:transfer=true,comlink,comlink:transfer=true,jest-worker',
};
const CODEC = 'v8'; // of the rows that are no pools: as their messages are copied anyway
const TIMES = [1 / 16, 1 / 4, 1, 4]; // the work that is asked for
const USUAL_TIME = '3min';

/** @param {Record<string, any>} argv @param {Wish} wish @param {Host} host @param {OutputClaims} claims @returns {Promise<number>} the exit code */
export async function recommendWork(argv, wish, host, claims) {
  const first = await preparedFirst(runArgv(argv, wish), host);
  refuseLongRun(first, wish);
  const how = { isForced: wish.isForced, claims };
  const { outDir, release } = await openRunFolder(first.options, first.chosen.has('out'), how);
  /** @type {import('./recommend-measuring.js').Measuring} */
  const measuring = { sources: [], paths: [], outDir, stoppedWith: null };
  try {
    sayWhatIsMeasured(first, { ...wish, vary: 'none' }, host);
    await measureRound(first, measuring, host);
    const { stoppedWith, paths } = measuring;
    const isAnswered =
      measuring.sources.length > 0 && (await answer(measuring.sources[0].results, wish, host));
    if (isAnswered && stoppedWith === null)
      paths.push(...(await draw(measuring.sources[0].results, wish.pngDir ?? outDir, wish)));
    if (paths.length > 0 && !wish.isQuiet) await sayWhatIsSaved(paths, host.stderr);
    if (stoppedWith !== null || isAnswered) return stoppedWith ?? 0;
    throw new BenchError(
      'NO_EVIDENCE',
      `inline, or everything else, could not be measured; ipc-bench report ${paths[0]} has the reasons`,
    );
  } finally {
    await release();
  }
}

/** @param {Record<string, any>} argv @param {Wish} wish @returns {Record<string, any>} of a run */
function runArgv(argv, { workUs, data = 'text', request: { payloadBytes } }) {
  const { work: _work, data: _data, json: _json, png: _png, payload: _payload, ...kept } = argv;
  const works = TIMES.map((times) => Math.max(1, Math.round(workUs * times)));
  return {
    codec: CODEC,
    'max-time': USUAL_TIME,
    // The processes of a program are on no CPU of their own.
    placement: 'free',
    ...kept,
    transport: [INLINE, kept.transport ?? ROWS[data]].flat().join(','),
    scenario: `task:${data === 'text' ? '' : `data=${data},`}work=${[...new Set(works)].join(',')}`,
    ...(payloadBytes !== null && { payload: String(payloadBytes) }),
  };
}

/** @param {Results} results @param {Wish} wish @param {Host} host @returns {Promise<boolean>} there is an answer, and it is shown */
async function answer(results, { workUs, jsonPath }, { stdout }) {
  const found = answerAt(results, workUs);
  if (found === null) return false;
  const columns = Math.min(stdout.columns ?? GREATEST_WIDTH, GREATEST_WIDTH);
  const sentences = workSentences(results, found);
  const text = sentences.flatMap((sentence) => wrapped(sentence, columns)).join('\n');
  const document = JSON.stringify(workJson(results, found, sentences), null, 2);
  await showText(`${text}\n`, `${document}\n`, jsonPath, stdout);
  return true;
}

/** @param {Results} results @param {string} folder @param {Wish} wish @returns {Promise<string[]>} the pictures */
async function draw(results, folder, { theme }) {
  const { breakEvenFigures } = await import('../report/charts/figures/break-even-figure.js');
  const { FIGURE_PX } = await import('../report/charts/scene/layout.js');
  const { saveFigure } = await import('./save-turns.js');
  const paths = [];
  for (const figure of breakEvenFigures(results, { title: '', widthPx: FIGURE_PX }))
    paths.push(...(await saveFigure(figure, folder, theme)).paths);
  return paths;
}
