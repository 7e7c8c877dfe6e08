// Joins the recordings of processes and threads to channels.

import { groupedBy } from '../format/lists.js';
import { US_PER_MS } from '../format/units.js';
import { studentQuantile } from '../statistics/student.js';
import { sumBy } from '../statistics/sum.js';
import { timeDecoding } from './decode-cost.js';
import { UNMEASURED, UNSIZABLE } from './fact-format.js';
import { idOf, PeerFinder } from './peer-finder.js';
import { readPercentile, WeightedHistogram } from './weighted-histogram.js';

/** @import { ChannelEnd } from './peer-finder.js' */
/** @import { Mechanism } from './recorded-link.js' */
/** @import { LinkEnd, RecordedProcess, SampledMessage, SizeSums } from './read-part.js' */
/** @import { RecordedTraffic as Traffic, TrafficChannel } from '../types/recordings.js' */

/**
 * @typedef {{ mechanism: Mechanism, from: ChannelEnd, to: ChannelEnd, received: number, links: LinkEnd[] }} Edge
 *   received: number of messages that `to` received; links: links of `from` that sent messages to `to`
 */

const MAX_ARRIVALS = 4_000;
const STRETCHES = 32;
const MAX_SAMPLED = 200;
const MAX_CHARACTERS = 2 ** 22; // in the JSON of all sampled messages of a channel
const TAIL = 0.025; // share of the distribution on each side of a 95 % interval
/** @param {number} ms */
const round = (ms) => Math.round(ms * US_PER_MS) / US_PER_MS;

/**
 * @typedef {object} Joining
 * @property {(name: string) => string} [replaceName]   replaces the name of a field
 * @property {(pid: number) => boolean} [isRunning]   whether a process outlives the recording
 * @property {typeof timeDecoding} [decode]
 */

/**
 * @param {RecordedProcess[]} unsorted
 * @param {Joining} [joining]
 * @returns {Pick<Traffic, 'durationMs' | 'stopped' | 'processes' | 'threads' | 'notRecorded' | 'errors' | 'recorderUs' | 'recorderShare' |
 *   'channels'>}
 */
export function joinParts(
  unsorted,
  { replaceName = (name) => name, isRunning = () => false, decode = timeDecoding } = {},
) {
  const internal = new Set(
    unsorted.flatMap(({ pid, threads = [] }) =>
      threads.filter(({ isInternal }) => isInternal).map(({ thread }) => idOf({ pid, thread })),
    ),
  );
  const parts = unsorted
    .filter((part) => part.notRecorded === undefined && !internal.has(idOf(part)))
    .sort((one, other) => one.startedMs - other.startedMs);
  const beganMs = Math.min(...parts.map(({ startedMs }) => startedMs));
  const endedMs = Math.max(...parts.map(({ writtenMs }) => writtenMs));
  const groups = groupedBy(findEdges(parts), ({ mechanism, from, to }) =>
    JSON.stringify([mechanism, from.label, to.label]),
  );
  const channels = [...groups.values()]
    .map((edges) => joinEdges(edges, { beganMs, replaceName, decode }))
    .filter(({ messages, lost = 0 }) => messages + lost > 0)
    .sort((one, other) => other.messages - one.messages)
    .map((channel, index) => ({ ...channel, number: index + 1 }));
  const stopped = parts[0]?.stopped ?? null;
  const facts = sumBy(parts, ({ own }) => own.facts);
  const recorderUs =
    (US_PER_MS * sumBy(parts, ({ own }) => own.ms)) /
    Math.max(
      1,
      sumBy(parts, ({ own }) => own.timed),
    );
  const durationMs = endedMs - beganMs;
  return {
    durationMs,
    ...(stopped !== null && { stopped: { ms: stopped.ms - beganMs, why: stopped.why } }),
    processes: parts.filter(({ thread }) => thread === 0).length,
    threads: parts.filter(({ thread }) => thread > 0).length,
    notRecorded: findUnrecorded(unsorted, internal, isRunning),
    errors: [...new Set(parts.flatMap(({ errors }) => errors))],
    recorderUs,
    recorderShare: durationMs > 0 ? (recorderUs * facts) / US_PER_MS / durationMs : 0,
    channels,
  };
}

/** @param {RecordedProcess[]} parts @returns {Edge[]} */
function findEdges(parts) {
  const ends = new PeerFinder(parts);
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  /** @param {Mechanism} mechanism @param {ChannelEnd} from @param {ChannelEnd} to */
  const edge = (mechanism, from, to) => {
    const key = JSON.stringify([mechanism, from.id, to.id]);
    const found = edges.get(key) ?? { mechanism, from: { ...from }, to: { ...to }, received: 0, links: [] };
    edges.set(key, found);
    found.from.isComplete &&= from.isComplete;
    found.to.isComplete &&= to.isComplete;
    return found;
  };
  for (const part of parts) {
    for (const link of part.links) {
      const found = ends.find(part, link);
      if (found === null) continue;
      const { own, other } = found;
      const { mechanism } = link.facts;
      if (link.sent > 0) edge(mechanism, own, other).links.push(link);
      if (link.received > 0) edge(mechanism, other, own).received += link.received;
    }
  }
  return [...edges.values()];
}

/**
 * @param {Edge[]} edges   edges of one mechanism between ends with the same labels
 * @param {Required<Pick<Joining, 'replaceName' | 'decode'>> & { beganMs: number }} joining
 * @returns {TrafficChannel}
 */
function joinEdges(edges, { beganMs, replaceName, decode }) {
  const [{ mechanism, from, to }] = edges;
  const links = edges.flatMap((edge) => edge.links);
  /** @param {(link: LinkEnd) => number} read */
  const total = (read) => sumBy(links, read);
  const counts = edges.map(countMessages);
  const lost = sumBy(counts, (count) => count.lost);
  const pairs = links.flatMap((link) => link.pairs ?? []);
  const sentMs = links.flatMap((link) => link.sentMs).sort((one, other) => one - other);
  const serialisation = links[0]?.facts.serialisation ?? (mechanism === 'process.send' ? 'json' : 'v8');
  const bytes = joinHistograms(links.map((link) => link.bytes));
  const sizes = joinSizes(links);
  const sample = matchSizes(joinSamples(links), links.length === 0 ? null : bytes);
  return {
    number: 0,
    mechanism,
    serialisation,
    from: from.label,
    to: to.label,
    ...(isFromMaster(edges) && { fromMaster: true }),
    links: edges.length,
    atOnce: mostAtOnce(edges),
    messages: sumBy(counts, (count) => count.messages),
    ...(lost > 0 && { lost }),
    ...(counts.some(({ isLeast }) => isLeast) && { isLeast: true }),
    kinds: {
      text: total(({ kinds }) => kinds.text),
      bytes: total(({ kinds }) => kinds.bytes),
      value: total(({ kinds }) => kinds.value),
    },
    withTransfer: total(({ withTransfer }) => withTransfer),
    unsized: total(({ unsized }) => unsized),
    bytes,
    ...(sizes.weights > sizes.messages && { sizeSample: describeSample(bytes.sum / bytes.count, sizes) }),
    sendUs: joinHistograms(links.map((link) => link.sendUs)),
    decodeUs: decode(sample, serialisation),
    firstMs: sentMs.length === 0 ? null : sentMs[0] - beganMs,
    lastMs: sentMs.length === 0 ? null : sentMs[sentMs.length - 1] - beganMs,
    arrivals: stretchesOf(sentMs),
    pairs:
      pairs.length === 0
        ? null
        : {
            requests: sumBy(pairs, ({ requests }) => requests),
            paired: sumBy(pairs, ({ paired }) => paired),
            field: pairs[0].name === null ? null : replaceName(pairs[0].name),
            roundTripUs: joinHistograms(pairs.map(({ roundTripUs }) => roundTripUs)),
            inFlight: joinHistograms(pairs.map(({ inFlight }) => inFlight)),
          },
    sample: sample.map(({ key: _key, bytes: _bytes, ...content }) => content),
  };
}

/**
 * If both ends were recorded until they ended, messages that were not received are lost; if only the sender was, those whose sending
 * failed. If neither was, the number of messages is a lower bound.
 * @param {Edge} edge
 */
function countMessages({ links, from, to, received }) {
  const sent = sumBy(links, (link) => link.sent);
  const arrived = sent - sumBy(links, (link) => link.failed);
  if (to.isComplete)
    return { messages: received, lost: from.isComplete ? Math.max(0, sent - received) : 0, isLeast: false };
  if (from.isComplete) return { messages: arrived, lost: sent - arrived, isLeast: false };
  return { messages: Math.max(arrived, received), lost: 0, isLeast: true };
}

/** @param {LinkEnd[]} links @returns {SizeSums} */
function joinSizes(links) {
  /** @param {keyof SizeSums} name */
  const total = (name) => sumBy(links, ({ sizes }) => sizes[name]);
  return {
    messages: total('messages'),
    weights: total('weights'),
    squares: total('squares'),
    weighted: total('weighted'),
    weightedSquare: total('weightedSquare'),
  };
}

/**
 * Computes the interval of the mean size from the weighted variance of the measured sizes and Kish's effective sample size.
 * @param {number} mean
 * @param {SizeSums} sums
 * @returns {NonNullable<TrafficChannel['sizeSample']>}
 */
function describeSample(mean, { messages, weights, squares, weighted, weightedSquare }) {
  const effective = weights ** 2 / squares;
  if (effective <= 2) return { messages, low: 0, high: null };
  const variance = Math.max(0, weightedSquare - 2 * mean * weighted + mean ** 2 * squares) / weights ** 2;
  const error = Math.sqrt((variance * effective) / (effective - 1)) * studentQuantile(TAIL, effective - 1);
  return { messages, low: Math.max(0, mean - error), high: mean + error };
}

/**
 * Each link has kept its messages with the lowest random keys, so a full sample lacks messages above its highest key. Up to the lowest of
 * these limits, the messages of all links are a uniform sample.
 * @param {LinkEnd[]} links
 * @returns {SampledMessage[]}
 */
function joinSamples(links) {
  const samples = links.map(({ sample, sampleSize }) => ({
    all: sample.toSorted((one, other) => one.key - other.key).slice(0, sampleSize),
    isFull: sample.length >= sampleSize,
  }));
  const limits = samples.filter(({ isFull }) => isFull).map(({ all }) => Number(all.at(-1)?.key));
  const limit = Math.min(Infinity, ...limits);
  let left = MAX_CHARACTERS;
  return samples
    .flatMap(({ all }) => all.filter(({ key }) => key <= limit))
    .sort((one, other) => one.key - other.key)
    .filter(({ key: _key, bytes: _bytes, ...content }) => {
      left -= JSON.stringify(content).length;
      return left >= 0;
    });
}

/**
 * Chooses messages of a sample, some repeatedly, so that their sizes are distributed as the recorded sizes. If no sizes were recorded, or no
 * message of the sample has a known size, returns the first messages of the sample.
 * @param {SampledMessage[]} sample
 * @param {TrafficChannel['bytes'] | null} sizes   null if there are no recorded links
 * @returns {SampledMessage[]} at most MAX_SAMPLED
 */
function matchSizes(sample, sizes) {
  const sized = sample
    .filter(({ bytes }) => bytes !== UNMEASURED && bytes !== UNSIZABLE)
    .sort((one, other) => one.bytes - other.bytes);
  if (sizes === null || sizes.count === 0 || sized.length === 0) return sample.slice(0, MAX_SAMPLED);
  const count = Math.min(MAX_SAMPLED, sizes.count);
  /** @type {Map<number, number>} index of the first message of a size → number of messages of this size that were chosen */
  const next = new Map();
  return Array.from({ length: count }, (_, index) => {
    const bytes = readPercentile(sizes, (index + 0.5) / count);
    let near = 0;
    for (let at = 1; at < sized.length; at += 1)
      if (Math.abs(sized[at].bytes - bytes) < Math.abs(sized[near].bytes - bytes)) near = at;
    // Messages of the same size take turns.
    const used = next.get(near) ?? 0;
    next.set(near, used + 1);
    let alike = 1;
    while (sized[near + alike]?.bytes === sized[near].bytes) alike += 1;
    return sized[near + (used % alike)];
  });
}

/**
 * @param {number[]} sentMs   in ascending order
 * @returns {TrafficChannel['arrivals']} all times; if there are more than MAX_ARRIVALS, a stretch from each of STRETCHES equal parts of the
 *   recording, which begins at a random time of its part
 */
function stretchesOf(sentMs) {
  const [firstMs = 0] = sentMs;
  const spanMs = (sentMs.at(-1) ?? 0) - firstMs;
  /** @param {number[]} times @param {number} start */
  const relative = (times, start) => times.map((ms) => round(ms - start));
  if (sentMs.length <= MAX_ARRIVALS) return { ms: round(spanMs), stretches: [relative(sentMs, firstMs)] };
  const partMs = spanMs / STRETCHES;
  const ms = (partMs * MAX_ARRIVALS) / sentMs.length;
  let at = 0;
  const stretches = Array.from({ length: STRETCHES }, (_, part) => {
    const start = firstMs + part * partMs + Math.random() * (partMs - ms);
    while (sentMs[at] < start) at += 1;
    const began = at;
    while (at < sentMs.length && sentMs[at] < start + ms) at += 1;
    return relative(sentMs.slice(began, at), start);
  });
  return { ms: round(ms), stretches };
}

/**
 * Returns true if there are fewer senders than receivers, or as many and the sender started the receiver. For ports, the thread with the
 * lower id counts as the one that started the other.
 * @param {Edge[]} edges
 */
function isFromMaster(edges) {
  const [froms, tos] = /** @type {const} */ (['from', 'to']).map(
    (end) => new Set(edges.map((edge) => edge[end].id)).size,
  );
  if (froms !== tos) return froms < tos;
  const [{ links, from, to }] = edges;
  const [link] = links;
  if (link === undefined) return false;
  const { mechanism, peer } = link.facts;
  /** @param {string} id */
  const threadIn = (id) => Number(/^\d+\/(\d+)$/.exec(id)?.[1]);
  if (mechanism === 'MessagePort') return threadIn(from.id) < threadIn(to.id);
  return 'pid' in peer || 'thread' in peer;
}

/**
 * @param {Edge[]} edges
 * @returns {number | undefined} greatest number of edges in use at the same time, each from its first message to its last; undefined if no
 *   sending was recorded
 */
function mostAtOnce(edges) {
  const spans = edges.flatMap(({ links }) => {
    const first = Math.min(...links.flatMap(({ sentMs }) => sentMs[0] ?? []));
    const last = Math.max(...links.flatMap(({ sentMs }) => sentMs.at(-1) ?? []));
    return first <= last ? [{ first, last }] : [];
  });
  if (spans.length === 0) return undefined;
  // The maximum is reached when an edge begins.
  /** @param {number} ms */
  const countAt = (ms) => spans.filter(({ first, last }) => first <= ms && ms <= last).length;
  return Math.max(...spans.map(({ first }) => countAt(first)));
}

/** @param {Parameters<WeightedHistogram['add']>[0][]} histograms */
function joinHistograms(histograms) {
  const all = new WeightedHistogram();
  for (const histogram of histograms) all.add(histogram);
  return all.save();
}

/**
 * @param {RecordedProcess[]} parts
 * @param {Set<string>} internal   ids of threads that Node.js uses itself
 * @param {(pid: number) => boolean} isRunning   whether a process outlives the recording
 * @returns {string[]} processes, threads and channels that were not recorded, or not to their end, each with the reason
 */
function findUnrecorded(parts, internal, isRunning) {
  const ids = new Set([...parts.map(idOf), ...internal]);
  const mains = parts.filter(({ thread }) => thread === 0);
  const obstacles = mains.flatMap(({ label, pid, notRecorded }) =>
    notRecorded === undefined ? [] : [`${label} (pid ${pid}): ${notRecorded}`],
  );
  const running = mains
    .filter(({ pid }) => isRunning(pid))
    .map(
      ({ label, pid }) =>
        `${label} (pid ${pid}): it outlives the command, and its later messages are missing`,
    );
  const processes = parts.flatMap(({ processes: started = [] }) =>
    started
      .filter(({ pid, isNode }) => isNode && !ids.has(`${pid}/0`))
      .map(({ pid, label, why }) => {
        const usual = 'it ended before it could be recorded, or ignores NODE_OPTIONS';
        return `${label} (pid ${pid}): ${why ?? usual}`;
      }),
  );
  const threads = parts.flatMap(({ pid, label, threads: started = [] }) =>
    started
      .filter(({ thread }) => !ids.has(`${pid}/${thread}`))
      .map(
        ({ thread }) =>
          `thread ${thread} of ${label}: it runs a string (eval), has an environment of its own, or ended too early`,
      ),
  );
  const ports = parts.flatMap(({ label, unrecordedLinks = 0 }) =>
    unrecordedLinks === 0 ? [] : [`${label}: ${unrecordedLinks} channels of it, since it has too many`],
  );
  return [...obstacles, ...running, ...processes, ...threads, ...ports];
}
