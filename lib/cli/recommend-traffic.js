// `ipc-bench recommend --traffic`: estimates what a recorded program would gain from other transports and codecs. It replays one channel,
// by default the most expensive one, under the recorder, to check that the replay represents the program. Then it measures the replay
// beside other rows. Messages are sent at the recorded rate and arrivals, or in closed loops if the program sent them so.

import { join } from 'node:path';
import { seriesLabel } from '../cell/labels.js';
import { unmetNeed } from '../cell/needs.js';
import { exitCode } from '../errors.js';
import { COMMAND, shellWord } from '../format/flag-text.js';
import { durationText } from '../format/numbers.js';
import { shownPaths } from '../format/redact.js';
import { MS_PER_S } from '../format/units.js';
import { MAX_WIDTH } from '../format/wrapped.js';
import { unique } from '../options/quantities.js';
import { describeReplay, readConcurrency, readRate } from '../options/recorded-traffic.js';
import { greatestMs } from '../plan/duration-estimate.js';
import { readTraffic } from '../record/saved-traffic.js';
import { findConversations, IDLE_SHARE, isClosedLoop } from '../record/traffic-costs.js';
import { refuseChannel } from '../record/traffic-file.js';
import { gainText } from '../report/columns/gain-table.js';
import { knownTraits } from '../report/recommend/fitting.js';
import { checkReplay, gainFindings, gainRows } from '../report/recommend/gain-findings.js';
import { phrase } from '../report/text/phrase-table.js';
import { sumBy } from '../statistics/sum.js';
import { printSaved } from './documents.js';
import { measureSides, showFault } from './measuring.js';
import { openRunFolder, RESULTS_FILE } from './output-paths.js';
import { prepared, readSurroundings } from './prepare.js';
import { readColumns, showText } from './process-io.js';
import { replayRecorded } from './recorded-replay.js';

/** @import { RecommendOptions } from '../options/recommend-options.js' */
/** @import { Replay } from '../options/recorded-traffic.js' */
/** @import { Conversation } from '../record/traffic-costs.js' */
/** @import { RecordedTraffic, TrafficChannel } from '../types/recordings.js' */
/** @import { Replayed } from '../report/recommend/gain-findings.js' */
/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Cell, Finding, FoundRow, Options, Reason, ReplaySizes, Results } from '../types/index.js' */
/** @import { Host } from './main.js' */
/** @import { PreparedOptions } from './prepare.js' */
/** @typedef {RecommendOptions & { path: string }} TrafficOptions */
/**
 * @typedef {object} MeasuredReplay
 * @property {Replayed} replayed
 * @property {Results | null} results   null if the rows were not measured
 * @property {string} resultsPath
 * @property {number | null} stoppedWith   exit code
 * @property {import('../results/write.js').ResultsError | null} fault
 */

const MIN_MESSAGES = 1_000;
const CHECK_LAUNCHES = 5;
const LAUNCHES = 5;
// Transports that may be cheaper than the recorded mechanism.
const ALTERNATIVES = Object.freeze({
  'process.send': ['unix', 'threads-message'],
  postMessage: ['threads-shared', 'unix'],
  MessagePort: ['threads-shared', 'unix'],
});
const NOT_RECORDED = /\(not recorded\)$/; // the end of the label of a process or thread
const WINDOW_MS = { least: 400, most: 1_500 };
const MESSAGES = 1_000; // number that a window should contain; WINDOW_MS limits its length
const MAX_LOOPS = 8; // Per worker. With one loop for each request that a busy program has in flight, the buffers of a channel could fill.
/** @type {Replayed} */
const STOPPED = { why: { code: 'stopped' } };
const OF_NODE = ['json', 'v8', 'string']; // codecs that Node.js has built in

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
  const coreShare = sumBy(conversations, ({ share }) => share);
  const conversation = chooseConversation(conversations, coreShare, options, traffic);
  const program = { traffic, coreShare, conversation };
  const show = (/** @type {Replayed} */ replayed) => showGain(gainFindings(program, replayed), options, host);
  if (conversation === null) return show({});
  const why = notReplayedReason(conversation.channel);
  if (why !== null) return show({ why });
  const replay = describeReplay(traffic, conversation.channel);
  const rows = await prepareRows(argv, options, replay, host);
  const sizes = rows.options.messageFile?.replaySizes ?? [];
  const present = rows.plan.cells.find(({ cell }) => seriesLabel(cell) === replay.row);
  if (present === undefined || present.skip !== null) {
    const cause = present?.skip ?? 'it is not among the rows';
    return show({ why: { code: 'reference-skipped', row: replay.row }, cause, sizes });
  }
  const planned = { conversation, replay, rows, sizes };
  const { replayed, results, resultsPath, stoppedWith, fault } = await measure(
    argv,
    options,
    planned,
    host,
    claims,
  );
  const code = await show({ sizes, ...replayed });
  if (fault === null) {
    if (results !== null && !options.isQuiet) await printSaved([resultsPath], host.stderr);
    return stoppedWith ?? code;
  }
  const next = `what is saved: ${COMMAND} report ${shellWord(shownPaths(resultsPath))}`;
  const exit = showFault(fault, next, host);
  return stoppedWith ?? exit;
}

/**
 * @param {Conversation[]} conversations   the most costly first
 * @param {number} coreShare   share of a core that they take together
 * @param {TrafficOptions} options
 * @param {RecordedTraffic} traffic
 * @returns {Conversation | null} the one with the user's channel, by default the most costly; null if the user names no channel and all of
 *   them take next to no CPU time
 */
function chooseConversation(conversations, coreShare, { channel: wanted, path }, { channels }) {
  if (wanted === undefined) return coreShare >= IDLE_SHARE ? conversations[0] : null;
  const isWanted = (/** @type {Conversation} */ { channel, responses }) =>
    [channel.number, responses?.number].includes(wanted);
  return conversations.find(isWanted) ?? refuseChannel(channels, path);
}

/** @param {Finding[]} findings   the answer first @param {TrafficOptions} options @param {Host} host @returns {Promise<number>} exit code */
async function showGain(findings, { needs, jsonPath }, { stdout }) {
  const sentences = findings.flatMap((finding) => phrase(finding, false));
  const document = JSON.stringify({ needs, findings, sentences }, null, 2);
  const text = gainText(findings, readColumns(stdout, MAX_WIDTH));
  await showText(text, `${document}\n`, jsonPath, stdout);
  if (findings.some(({ kind, why }) => kind === 'replay' && why !== null)) return exitCode('inconclusive');
  return findings[0].why === null ? 0 : exitCode('nothing');
}

/** @param {TrafficChannel} channel @returns {Reason | null} why the channel cannot be replayed; null if it can */
function notReplayedReason({ messages, sample, sendUs, to, withTransfer }) {
  if (messages < MIN_MESSAGES) return { code: 'few-messages', least: MIN_MESSAGES };
  if (sample.length === 0) return { code: 'no-sample' };
  if (sendUs.count === 0) return { code: 'sender-not-recorded' };
  if (NOT_RECORDED.test(to)) return { code: 'receiver-not-recorded' };
  return withTransfer > 0 ? { code: 'transfers-memory' } : null;
}

/**
 * @param {Record<string, any>} argv
 * @param {TrafficOptions} options
 * @param {Replay} replay
 * @param {Host} host
 * @param {{ isAlone?: boolean }} [rows]   isAlone: whether only the recorded mechanism is measured
 * @returns {Promise<PreparedOptions>}
 */
function prepareRows(argv, { path }, replay, { environment }, { isAlone = false } = {}) {
  const { json: _json, 'max-time': _time, need: _need, ...kept } = argv;
  const { channel } = replay;
  return prepared(
    {
      ...kept,
      ...(!isClosedLoop(channel) && { rate: 'recorded' }),
      controls: false,
      traffic: path,
      channel: channel.number,
    },
    readSurroundings(environment),
    (given, chosen) => {
      const options = replayOptions(given, chosen, replay);
      if (!isAlone) return options;
      const { stop: _stop, ...fixed } = options;
      const [transports, codecs] = [options.transports, options.codecs].map((all) => all.slice(0, 1));
      return /** @type {Options} */ ({ ...fixed, transports, codecs, launches: CHECK_LAUNCHES });
    },
  );
}

/**
 * @param {Options} options
 * @param {ReadonlySet<string>} chosen   flags of the user
 * @param {Replay} replay
 * @returns {Options} for the run that replays the channel; what the user has not chosen follows from the recording. The recorded transport
 *   and codec come first, so that the others are compared with them
 */
function replayOptions(options, chosen, { channel, transports, codecs }) {
  const { stop, open, ...rest } = options;
  const { workers, loops } = readConcurrency(channel, 0.5);
  const windowMs = Math.round((MESSAGES / readRate(channel)) * MS_PER_S);
  const others = chosen.has('transport')
    ? options.transports
    : ALTERNATIVES[channel.mechanism].map((name) => ({ name, settings: {} }));
  const isUsualStop = stop?.mostLaunches !== undefined && !chosen.has('launches');
  return {
    ...rest,
    // Programs are rarely pinned, and a receiver that wakes up may then take the CPU of its sender.
    placements: chosen.has('placement') ? options.placements : ['free'],
    launches: chosen.has('launches') ? options.launches : LAUNCHES,
    ...(stop !== undefined && !isUsualStop && { stop }),
    measureMs: chosen.has('measure')
      ? options.measureMs
      : Math.min(WINDOW_MS.most, Math.max(WINDOW_MS.least, windowMs)),
    ...(open === undefined
      ? { shapes: [{ workers, loops: Math.min(loops, MAX_LOOPS) }] }
      : { open: { ...open, isWindowChosen: true } }),
    transports: unique([{ name: transports[0], settings: {} }, ...others], (choice) =>
      JSON.stringify(choice),
    ),
    codecs: unique([codecs[0], ...options.codecs]),
  };
}

/**
 * Replays the recorded mechanism alone, and then, if that represents the program, beside the other rows.
 * @param {Record<string, any>} argv
 * @param {TrafficOptions} options
 * @param {{ conversation: Conversation, replay: Replay, rows: PreparedOptions, sizes: ReplaySizes[] }} planned
 * @param {Host} host
 * @param {OutputClaims} claims
 * @returns {Promise<MeasuredReplay>}
 */
async function measure(argv, options, { conversation, replay, rows, sizes }, host, claims) {
  const present = await prepareRows(argv, options, replay, host, { isAlone: true });
  const how = { isForced: options.isForced, claims };
  const { outDir, release } = await openRunFolder(rows.options, rows.chosen.has('out'), how);
  const resultsPath = join(outDir, RESULTS_FILE);
  const unmeasured = { results: null, resultsPath, stoppedWith: null, fault: null };
  try {
    if (!options.isQuiet) {
      const length = durationText(sumBy([present, rows], ({ plan }) => greatestMs(plan.estimate)));
      host.stderr.write(`Replaying channel ${replay.channel.number}: at most about ${length}.\n`);
    }
    const directions = { hasResponses: conversation.responses !== null, isFromMaster: replay.isFromMaster };
    const { messageUs, stoppedWith } = await replayRecorded(present, directions, host);
    if (stoppedWith !== null) return { ...unmeasured, replayed: STOPPED, stoppedWith };
    if (messageUs.length === 0) return { ...unmeasured, replayed: { why: { code: 'replay-failed' } } };
    const check = checkReplay(replay.row, conversation.messageUs, messageUs, sizes);
    if (check.why !== null) return { ...unmeasured, replayed: { check } };
    const side = { ...rows, resultsPath };
    const measured = await measureSides([side], { ...rows.options, isRanked: false }, host);
    const [results = null] = measured.results;
    const found = results === null ? [] : findRows(results, rows, replay, conversation, options);
    const replayed =
      measured.stoppedWith !== null
        ? STOPPED
        : found.length === 0
          ? { check, why: { code: 'reference-failed' } }
          : { check, rows: found };
    return { replayed, results, resultsPath, stoppedWith: measured.stoppedWith, fault: measured.fault };
  } finally {
    await release();
  }
}

/**
 * @param {Results} results
 * @param {PreparedOptions} prepared
 * @param {Replay} replay
 * @param {Conversation} conversation
 * @param {TrafficOptions} options
 * @returns {FoundRow[]}
 */
function findRows(results, { plugins }, { row: reference }, { perSecond }, { needs }) {
  // Without needs, rows of threads are included and marked as another kind.
  const isFit = (/** @type {Cell} */ cell) =>
    needs.length === 0 || unmetNeed(knownTraits(results, cell, plugins.transports), needs) === null;
  const foreign = [...plugins.codecs].filter(([name]) => !OF_NODE.includes(name));
  const needed = Object.fromEntries(foreign.map(([name, { plugin }]) => [name, plugin.summary]));
  return gainRows(results, { reference, perSecond, isFit, needed });
}
