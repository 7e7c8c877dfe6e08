// `ipc-bench recommend --traffic`: what a recorded program would gain. Each channel that carries a relevant share is replayed as
// it is, under the recorder, which shows whether the replay represents the program; then in closed loops beside other rows;
// then, with those that are cheaper, at its recorded rate and arrivals.

import { join } from 'node:path';
import { seriesLabel } from '../cell/labels.js';
import { resolveTraits } from '../cell/traits.js';
import { counted } from '../format/lists.js';
import { durationText } from '../format/numbers.js';
import { MS_PER_S } from '../format/units.js';
import { readRate, recordedReplay } from '../options/recorded-traffic.js';
import { findConversations, IDLE_SHARE, isClosedLoop } from '../record/traffic-costs.js';
import { readTraffic, refuseChannel } from '../record/traffic-file.js';
import { GREATEST_WIDTH } from '../report/columns/aligned.js';
import { gainJson, gainLines } from '../report/recommend/gain-words.js';
import { checkReplay, chooseRows, evidenceIn, gainRows } from '../report/recommend/traffic-gain.js';
import { isMeasured } from '../report/text/groups.js';
import { kindsIn, transportFacts } from '../report/text/transport-kinds.js';
import { sumBy } from '../statistics/sum.js';
import { openRunFolder, sayWhatIsSaved } from './documents.js';
import { replayHeard } from './heard-replay.js';
import { measureSides } from './measuring.js';
import { prepared, readSurroundings } from './prepare.js';
import { showText } from './process-io.js';

/** @import { RecommendOptions } from '../options/recommend-options.js' */
/** @import { Conversation } from '../record/traffic-costs.js' */
/** @import { Traffic, TrafficChannel } from '../record/traffic-file.js' */
/** @import { ChannelGain, Evidence } from '../report/recommend/traffic-gain.js' */
/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Cell, KnownTraits, Results } from '../types/index.js' */
/** @import { Host } from './main.js' */
/** @import { Prepared } from './prepare.js' */
/** @typedef {RecommendOptions & { path: string }} Wish   path: of the recorded traffic */
/**
 * @typedef {object} Replay        of a channel
 * @property {Conversation} conversation
 * @property {string} why          it cannot be replayed; '': it can
 * @property {string} reference
 * @property {boolean} isFromMaster   the master of its replay sends the messages
 * @property {Prepared | null} heard
 * @property {Prepared | null} rows
 */

const RELEVANT = 0.1; // of what all channels take
const MOST_CHANNELS = 3;
const LEAST_MESSAGES = 1_000;
const CHECK_LAUNCHES = 5;
const LAUNCHES = 5;
const STOPPED = 'measuring was stopped';
const UNLIKE_MESSAGES = 'its messages are JSON, and those of its replay are not';
const NOTHING_MEASURED = 'all launches of the present way failed; ipc-bench run --traffic shows why';
const ROWS_MS = 25_000;
const ROWS_WINDOW = '240ms';
// What may be cheaper than a mechanism.
const RIVALS = Object.freeze({
  'process.send': 'unix,threads-message',
  postMessage: 'threads-shared,unix',
  MessagePort: 'threads-shared,unix',
});
const NOT_HEARD = /\bnot heard\b/; // in the name of an end
const WINDOW_MS = { least: 400, most: 1_500 };
const MESSAGES = 1_000; // of a window, where its length allows
const MOST_RECORDED_ROWS = 3;
const MOST_LOOPS = 8;

/** @param {Record<string, any>} argv @param {Wish} wish @param {Host} host @param {OutputClaims} claims @returns {Promise<number>} the exit code */
export async function recommendTraffic(argv, wish, host, claims) {
  const traffic = readTraffic(wish.path);
  const conversations = findConversations(traffic);
  const relevant = chooseRelevant(traffic, conversations, wish);
  const others = conversations.filter((each) => !relevant.includes(each));
  const replays = await Promise.all(relevant.map((each) => planReplay(argv, wish, traffic, each, host)));
  const able = replays.filter(({ why }) => why === '');
  if (able.length === 0) {
    await show({ traffic, gains: replays.map(withoutRows), others }, wish, host);
    return 0;
  }
  return measure(argv, wish, { traffic, replays, others }, host, claims);
}

/**
 * @param {Traffic} traffic
 * @param {Conversation[]} conversations   the most costly first
 * @param {Wish} wish
 * @returns {Conversation[]} none, where all of it takes next to nothing
 */
function chooseRelevant({ channels }, conversations, { channel: number, path }) {
  if (number !== undefined) {
    const chosen = conversations.find(
      ({ channel, responses }) => channel.number === number || responses?.number === number,
    );
    if (chosen === undefined) return refuseChannel(channels, path);
    return [chosen];
  }
  const total = sumBy(conversations, ({ share }) => share);
  if (total < IDLE_SHARE) return [];
  const large = conversations.filter(({ share }, place) => place === 0 || share >= RELEVANT * total);
  return large.slice(0, MOST_CHANNELS);
}

/** @param {Record<string, any>} argv @returns {Record<string, any>} what it has for a run */
function keptArgv(argv) {
  const { json: _json, png: _png, 'max-time': _time, need: _need, 'min-effect': _effect, ...kept } = argv;
  // The processes of a program are on no CPU of their own: a receiver that wakes up may take that of its sender.
  return { placement: 'free', ...kept, controls: false };
}

/** @param {TrafficChannel} channel @returns {string} why it cannot be repeated; '' where it can */
function whyNotRepeated(channel) {
  if (channel.messages < LEAST_MESSAGES)
    return `${counted(channel.messages, 'message', 'messages')} cannot show what they cost once V8 has compiled the code: record the program for longer`;
  if (channel.sample.length === 0) return 'no message of it was looked at';
  if (channel.sendUs.count === 0) return 'its sender was not heard';
  if (NOT_HEARD.test(channel.to)) return 'its receiver was not heard';
  if (channel.withTransfer > 0) return 'it hands over memory, which no other way does';
  return '';
}

/**
 * @param {Record<string, any>} argv
 * @param {Wish} wish
 * @param {Traffic} traffic
 * @param {Conversation} conversation
 * @param {Host} host
 * @returns {Promise<Replay>}
 */
async function planReplay(argv, { path }, traffic, conversation, { environment }) {
  const { channel } = conversation;
  const notReplayed = (/** @type {string} */ why) => ({
    conversation,
    why,
    reference: '',
    isFromMaster: false,
    heard: null,
    rows: null,
  });
  const why = whyNotRepeated(channel);
  if (why !== '') return notReplayed(why);
  const surroundings = readSurroundings(environment);
  const { row: reference, shape, isFromMaster } = recordedReplay(traffic, channel);
  const [transport, codec] = rowParts(reference);
  const usual = RIVALS[channel.mechanism];
  const given = (/** @type {'transport' | 'codec'} */ flag) => [argv[flag]].flat().join(',');
  const own = {
    ...keptArgv(argv),
    traffic: path,
    channel: String(channel.number),
    transport: `${transport},${argv.transport === undefined ? usual : given('transport')}`,
    ...(argv.codec !== undefined && { codec: `${codec},${given('codec')}` }),
    'max-time': `${ROWS_MS}ms`,
    measure: argv.measure ?? ROWS_WINDOW,
  };
  const rows = await prepared({ ...own, workers: closedShape(channel, shape) }, surroundings);
  const present = rows.plan.cells.find(({ cell }) => seriesLabel(cell) === reference);
  if (present?.skip !== null) {
    return notReplayed(
      `${reference} cannot be measured here: ${present?.skip ?? 'it is not among the rows'}`,
    );
  }
  const heard = await prepared(
    {
      ...own,
      ...recordedLoad(channel, [reference]),
      'max-time': undefined,
      launches: String(CHECK_LAUNCHES),
    },
    surroundings,
  );
  return { conversation, why: '', reference, isFromMaster, heard, rows };
}

/** @param {TrafficChannel} channel @param {string} shape   of its replay @returns {string} workers and loops: what a busy program has in flight fills all buffers in closed loops */
function closedShape(channel, shape) {
  const [workers, loops] = shape.split('x').map(Number);
  return `${workers}x${isClosedLoop(channel) ? loops : Math.min(loops, MOST_LOOPS)}`;
}

/** @param {string} row @returns {string[]} its transport and its codec */
function rowParts(row) {
  const at = row.lastIndexOf('/');
  return [row.slice(0, at), row.slice(at + 1)];
}

/** @param {TrafficChannel} channel @param {string[]} rows @returns {Record<string, any>} */
function recordedLoad(channel, rows) {
  const parts = rows.map(rowParts);
  const joined = (/** @type {number} */ part) => [...new Set(parts.map((each) => each[part]))].join(',');
  const windowMs = Math.round((MESSAGES / readRate(channel)) * MS_PER_S);
  return {
    transport: joined(0),
    codec: joined(1),
    ...(!isClosedLoop(channel) && { rate: 'recorded' }),
    measure: `${Math.min(WINDOW_MS.most, Math.max(WINDOW_MS.least, windowMs))}ms`,
  };
}

/**
 * @param {Record<string, any>} argv
 * @param {Wish} wish
 * @param {{ traffic: Traffic, replays: Replay[], others: Conversation[] }} asked
 * @param {Host} host
 * @param {OutputClaims} claims
 */
async function measure(argv, wish, { traffic, replays, others }, host, claims) {
  const able = replays.filter(({ why }) => why === '');
  const [{ rows: first }] = able;
  if (first === null) throw new Error('a replay that can be made has rows');
  const { outDir, release } = await openRunFolder(first.options, first.chosen.has('out'), {
    isForced: wish.isForced,
    claims,
  });
  /** @type {string[]} */
  const paths = [];
  /** @type {ChannelGain[]} */
  const gains = [];
  let stoppedWith = null;
  try {
    if (!wish.isQuiet) announce(able, host);
    for (const replay of replays) {
      if (stoppedWith !== null) break;
      if (replay.why !== '') {
        gains.push(withoutRows(replay));
        continue;
      }
      const measured = await measureChannel(argv, wish, replay, { outDir, paths }, host);
      stoppedWith = measured.stoppedWith;
      gains.push(stoppedWith === null ? measured.gain : { ...measured.gain, why: STOPPED, rows: [] });
    }
    await show({ traffic, gains, others }, wish, host);
  } finally {
    await release();
  }
  if (paths.length > 0 && !wish.isQuiet) await sayWhatIsSaved(paths, host.stderr);
  return stoppedWith ?? 0;
}

/** @param {Replay} replay @returns {ChannelGain} */
function withoutRows({ conversation, why, reference, rows }) {
  const sizes = rows?.options.messageFile?.replaySizes ?? [];
  return { conversation, why, reference, sizes, check: null, rows: [], others: [] };
}

/** @param {Replay[]} able @param {Host} host */
function announce(able, { stderr }) {
  const ms = able.reduce((sum, { heard, rows }) => {
    const launchMs = (heard?.plan.estimate.ms ?? 0) / CHECK_LAUNCHES;
    const { ms: least = 0, mostMs = least } = rows?.plan.estimate ?? {};
    return sum + mostMs + launchMs * (CHECK_LAUNCHES + LAUNCHES * MOST_RECORDED_ROWS);
  }, 0);
  const channels = able.map(({ conversation: { channel } }) => channel.number);
  const what = channels.length === 1 ? `channel ${channels[0]}` : `channels ${channels.join(', ')}`;
  stderr.write(`Replaying ${what}: at most about ${durationText(ms)}.\n`);
}

/**
 * @param {Record<string, any>} argv
 * @param {Wish} wish
 * @param {Replay} replay
 * @param {{ outDir: string, paths: string[] }} place   paths: gets those of the results
 * @param {Host} host
 * @returns {Promise<{ gain: ChannelGain, stoppedWith: number | null }>}
 */
async function measureChannel(argv, wish, replay, { outDir, paths }, host) {
  const { conversation, reference, isFromMaster, heard, rows } = replay;
  if (heard === null || rows === null) throw new Error('it cannot be replayed');
  const { channel, responses, perSecond, messageUs } = conversation;
  const gain = withoutRows(replay);
  const { launches, stoppedWith } = await replayHeard(
    heard,
    { hasResponses: responses !== null, isFromMaster },
    host,
  );
  if (launches.length === 0) return { gain: { ...gain, why: 'its replay failed' }, stoppedWith };
  if (channel.decodeUs.count > 0 && launches.every(({ decoded }) => decoded === 0))
    return { gain: { ...gain, why: UNLIKE_MESSAGES }, stoppedWith };
  gain.check = checkReplay(
    messageUs,
    launches.map(({ fromUs, toUs }) => fromUs + toUs),
  );
  if (stoppedWith !== null || !gain.check.isAlike) return { gain, stoppedWith };
  const measureInto = async (
    /** @type {Prepared} */ { options, plugins, plan },
    /** @type {string} */ name,
  ) => {
    const resultsPath = join(outDir, `channel-${channel.number}-${name}.json`);
    const side = { options, plugins, plan, resultsPath };
    const measured = await measureSides([side], { ...options, live: false }, host);
    if (measured.results.length > 0) paths.push(resultsPath);
    return {
      results: /** @type {Results | undefined} */ (measured.results[0]),
      stoppedWith: measured.stoppedWith,
    };
  };
  const closed = await measureInto(rows, 'rows');
  if (closed.results === undefined || closed.stoppedWith !== null)
    return { gain, stoppedWith: closed.stoppedWith };
  const found = evidence(closed.results, rows, { reference, ratePerSecond: null });
  if (found === null) return { gain: { ...gain, why: NOTHING_MEASURED }, stoppedWith: null };
  const { chosen, others } = chooseRows(found, reference, wish.needs);
  gain.others = others;
  if (chosen.length === 0) return { gain, stoppedWith: null };
  const names = [reference, ...chosen.map(({ name }) => name)];
  const recorded = await prepared(
    {
      ...keptArgv(argv),
      traffic: wish.path,
      channel: String(channel.number),
      ...recordedLoad(channel, names),
      launches: String(LAUNCHES),
    },
    readSurroundings(host.environment),
  );
  const cells = recorded.plan.cells.filter(({ cell }) => names.includes(seriesLabel(cell)));
  const open = await measureInto({ ...recorded, plan: { ...recorded.plan, cells } }, 'recorded');
  if (open.results !== undefined) {
    const ratePerSecond = recorded.options.open?.ratesPerSecond[0] ?? null;
    const there = evidence(open.results, recorded, { reference, ratePerSecond });
    if (there === null) gain.why = NOTHING_MEASURED;
    else gain.rows = gainRows(there, reference, perSecond, kindsIn(open.results));
  }
  return { gain, stoppedWith: open.stoppedWith };
}

/**
 * @param {Results} results
 * @param {Prepared} prepared
 * @param {{ reference: string, ratePerSecond: number | null }} what
 * @returns {Evidence | null} null: all launches of the reference failed
 */
function evidence(results, { plugins }, { reference, ratePerSecond }) {
  const traitsFor = (/** @type {Cell} */ cell) => {
    const transport = plugins.transports.get(cell.transport)?.plugin;
    return /** @type {KnownTraits} */ ({
      ...(transport && resolveTraits(transport, cell.settings)),
      ...transportFacts(results, cell),
    });
  };
  if (!results.outcomes.some((each) => isMeasured(each) && seriesLabel(each.cell) === reference)) return null;
  return evidenceIn(results, ratePerSecond, traitsFor);
}

/**
 * @param {{ traffic: Traffic, gains: ChannelGain[], others: Conversation[] }} answer
 * @param {Wish} wish
 * @param {Host} host
 */
async function show(answer, { jsonPath }, { stdout }) {
  const columns = Math.min(stdout.columns ?? GREATEST_WIDTH, GREATEST_WIDTH);
  const lines = gainLines(answer, columns);
  const document = JSON.stringify(gainJson(answer), null, 2);
  await showText(`${lines.join('\n')}\n`, `${document}\n`, jsonPath, stdout);
}
