// `ipc-bench recommend --traffic`: estimates what a recorded program would gain. It replays one channel, by default the most expensive one,
// under the recorder, to check that the replay represents the program, and then beside other rows: at the recorded rate and arrivals, or in
// closed loops if the program sent its messages in such loops.

import { join } from 'node:path';
import { seriesLabel } from '../cell/labels.js';
import { unmetNeed } from '../cell/needs.js';
import { resolveTraits } from '../cell/traits.js';
import { exitCode } from '../errors.js';
import { COMMAND, shellWord } from '../format/flag-text.js';
import { counted } from '../format/lists.js';
import { durationText } from '../format/numbers.js';
import { shownPaths } from '../format/redact.js';
import { MS_PER_S } from '../format/units.js';
import { describeReplay, readRate } from '../options/recorded-traffic.js';
import { greatestMs } from '../plan/duration-estimate.js';
import { readTraffic } from '../record/saved-traffic.js';
import { findConversations, IDLE_SHARE, isClosedLoop } from '../record/traffic-costs.js';
import { refuseChannel } from '../record/traffic-file.js';
import { GREATEST_WIDTH } from '../report/columns/aligned.js';
import { transportFacts } from '../report/findings/transport-kinds.js';
import { gainJson, gainLines } from '../report/recommend/gain-words.js';
import { checkReplay, gainRows } from '../report/recommend/traffic-gain.js';
import { sumBy } from '../statistics/sum.js';
import { openRunFolder, printSaved, RESULTS_FILE } from './documents.js';
import { measureSides, showFault } from './measuring.js';
import { prepared, readSurroundings } from './prepare.js';
import { readColumns, showText } from './process-io.js';
import { replayRecorded } from './recorded-replay.js';

/** @import { RecommendOptions } from '../options/recommend-options.js' */
/** @import { Replay } from '../options/recorded-traffic.js' */
/** @import { Conversation } from '../record/traffic-costs.js' */
/** @import { TrafficChannel } from '../types/recordings.js' */
/** @import { Gain } from '../report/recommend/traffic-gain.js' */
/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Cell, KnownTraits, Results } from '../types/index.js' */
/** @import { Host } from './main.js' */
/** @import { Prepared } from './prepare.js' */
/** @typedef {RecommendOptions & { path: string }} TrafficOptions */

const LEAST_MESSAGES = 1_000;
const CHECK_LAUNCHES = 5;
const LAUNCHES = 5;
// Transports that may be cheaper than the recorded mechanism.
const ALTERNATIVES = Object.freeze({
  'process.send': 'unix,threads-message',
  postMessage: 'threads-shared,unix',
  MessagePort: 'threads-shared,unix',
});
const NOT_RECORDED = /\(not recorded\)$/; // at the end of the name of an endpoint
const WINDOW_MS = { least: 400, most: 1_500 };
const MESSAGES = 1_000; // planned per window, whose length WINDOW_MS limits
const MOST_LOOPS = 8; // Per worker. As many loops as a busy program has requests in flight could fill the buffers of a channel.
const OF_NODE = ['json', 'v8', 'string']; // codecs

/**
 * @param {Record<string, any>} argv
 * @param {TrafficOptions} options
 * @param {Host} host
 * @param {OutputClaims} claims
 * @returns {Promise<number>}
 */
export async function recommendTraffic(argv, options, host, claims) {
  const traffic = readTraffic(options.path);
  const conversations = findConversations(traffic);
  const share = sumBy(conversations, (conversation) => conversation.share);
  const { channel: number, path, jsonPath } = options;
  const chosen =
    number === undefined
      ? conversations.find(() => share >= IDLE_SHARE)
      : (conversations.find(({ channel, responses }) =>
          [channel.number, responses?.number].includes(number),
        ) ?? refuseChannel(traffic.channels, path));
  /** @type {Gain} */
  const gain = {
    traffic,
    share,
    conversation: chosen ?? null,
    why: chosen === undefined ? '' : replayProblem(chosen.channel),
    sizes: [],
    check: null,
    rows: [],
    requires: {},
  };
  const show = () => {
    const columns = readColumns(host.stdout, GREATEST_WIDTH);
    const document = JSON.stringify(gainJson(gain), null, 2);
    return showText(`${gainLines(gain, columns).join('\n')}\n`, `${document}\n`, jsonPath, host.stdout);
  };
  if (chosen !== undefined && gain.why === '') {
    const replay = describeReplay(traffic, chosen.channel);
    const rows = await prepareRows(argv, options, replay, host);
    const present = rows.plan.cells.find(({ cell }) => seriesLabel(cell) === replay.row);
    gain.sizes = rows.options.messageFile?.replaySizes ?? [];
    if (present?.skip === null) return measure(argv, options, { gain, replay, rows }, show, host, claims);
    gain.why = `${replay.row} cannot be measured here: ${present?.skip ?? 'it is not among the rows'}`;
  }
  await show();
  return gainExitCode(gain);
}

/** @param {Gain} gain @returns {number} */
function gainExitCode({ why, check }) {
  if (check?.isAlike === false) return exitCode('inconclusive');
  return why === '' ? 0 : exitCode('nothing');
}

/** @param {TrafficChannel} channel @returns {string} the reason if it cannot be replayed, or '' */
function replayProblem({ messages, sample, sendUs, to, withTransfer }) {
  if (messages < LEAST_MESSAGES)
    return `${counted(messages, 'message', 'messages')} cannot show what they cost once V8 has compiled the code: record the program for longer`;
  if (sample.length === 0) return 'it has no sample of messages';
  if (sendUs.count === 0) return 'its sender was not recorded';
  if (NOT_RECORDED.test(to)) return 'its receiver was not recorded';
  if (withTransfer > 0) return 'it transfers memory, which no other mechanism does';
  return '';
}

/**
 * @param {Record<string, any>} argv
 * @param {TrafficOptions} options
 * @param {Replay} replay
 * @param {Host} host
 * @param {number} [launches]   number of launches of the recorded mechanism alone; without it, the other rows are measured too
 * @returns {Promise<Prepared>}
 */
function prepareRows(argv, { path }, { channel, row, texts }, { environment }, launches) {
  const { json: _json, 'max-time': _time, need: _need, ...kept } = argv;
  const [transport, codec] = row.split(/\/(?=[^/]*$)/);
  const given = (/** @type {'transport' | 'codec'} */ flag) => [argv[flag]].flat().join(',');
  const beside = argv.transport === undefined ? ALTERNATIVES[channel.mechanism] : given('transport');
  const alone = { transport, codec, launches: String(launches) };
  const windowMs = Math.round((MESSAGES / readRate(channel)) * MS_PER_S);
  const isClosed = isClosedLoop(channel);
  const [workers, loops] = texts.workers.split('x').map(Number);
  return prepared(
    {
      // Programs are rarely pinned, and a receiver that wakes up may then take the CPU of its sender.
      placement: 'free',
      launches: String(LAUNCHES),
      measure: `${Math.min(WINDOW_MS.most, Math.max(WINDOW_MS.least, windowMs))}ms`,
      ...kept,
      ...(isClosed ? { workers: `${workers}x${Math.min(loops, MOST_LOOPS)}` } : { rate: 'recorded' }),
      transport: `${transport},${beside}`,
      ...(argv.codec !== undefined && { codec: `${codec},${given('codec')}` }),
      ...(launches !== undefined && alone),
      controls: false,
      traffic: path,
      channel: String(channel.number),
    },
    readSurroundings(environment),
  );
}

/**
 * @param {Record<string, any>} argv
 * @param {TrafficOptions} options
 * @param {{ gain: Gain, replay: Replay, rows: Prepared }} planned   `gain` is modified
 * @param {() => Promise<void>} show
 * @param {Host} host
 * @param {OutputClaims} claims
 */
async function measure(argv, options, { gain, replay, rows }, show, host, claims) {
  const { isForced, isQuiet } = options;
  const present = await prepareRows(argv, options, replay, host, CHECK_LAUNCHES);
  const { outDir, release } = await openRunFolder(rows.options, rows.chosen.has('out'), { isForced, claims });
  const resultsPath = join(outDir, RESULTS_FILE);
  /** @type {string[]} */
  const paths = [];
  let stoppedWith = null;
  let fault = null;
  try {
    if (!isQuiet) {
      const length = durationText(sumBy([present, rows], ({ plan }) => greatestMs(plan.estimate)));
      host.stderr.write(`Replaying channel ${replay.channel.number}: at most about ${length}.\n`);
    }
    const { responses, messageUs } = /** @type {Conversation} */ (gain.conversation);
    const directions = { hasResponses: responses !== null, isFromMaster: replay.isFromMaster };
    const check = await replayRecorded(present, directions, host);
    stoppedWith = check.stoppedWith;
    if (check.messageUs.length === 0) gain.why = 'its replay failed';
    else gain.check = checkReplay(messageUs, check.messageUs);
    if (stoppedWith === null && gain.check?.isAlike) {
      const side = { ...rows, resultsPath };
      const measured = await measureSides([side], { ...rows.options, live: false }, host);
      ({ stoppedWith, fault } = measured);
      const results = /** @type {Results | undefined} */ (measured.results[0]);
      if (results !== undefined) {
        if (fault === null) paths.push(resultsPath);
        readRows(gain, results, rows, replay.row, options);
      }
    }
    if (stoppedWith !== null) Object.assign(gain, { why: 'measuring was stopped', check: null, rows: [] });
    await show();
  } finally {
    await release();
  }
  if (paths.length > 0 && !isQuiet) await printSaved(paths, host.stderr);
  if (fault === null) return stoppedWith ?? gainExitCode(gain);
  const next = `what is saved: ${COMMAND} report ${shellWord(shownPaths(resultsPath))}`;
  const exit = showFault(fault, next, host);
  return stoppedWith ?? exit;
}

/**
 * Modifies `gain`.
 * @param {Gain} gain
 * @param {Results} results
 * @param {Prepared} prepared
 * @param {string} reference
 * @param {TrafficOptions} options
 */
function readRows(gain, results, { plugins }, reference, { needs }) {
  const isFit = (/** @type {Cell} */ cell) => {
    const transport = plugins.transports.get(cell.transport)?.plugin;
    const traits = /** @type {KnownTraits} */ ({
      ...(transport && resolveTraits(transport, cell.settings)),
      ...transportFacts(results, cell),
    });
    // Without needs, rows of threads are included and marked as another kind.
    return needs.length === 0 || unmetNeed(traits, needs) === '';
  };
  const { perSecond } = /** @type {Conversation} */ (gain.conversation);
  gain.rows = gainRows(results, { reference, perSecond, isFit });
  if (gain.rows.length === 0)
    gain.why = 'all launches of the present mechanism failed; ipc-bench run --traffic shows why';
  for (const [name, { plugin }] of plugins.codecs)
    if (!OF_NODE.includes(name)) gain.requires[name] = plugin.summary;
}
