// Joins the parts of processes and threads to channels. A part contains one end of each of its channels; this module finds the other end.

import { groupedBy } from '../format/lists.js';
import { sumBy } from '../statistics/sum.js';
import { selectSample } from './recorded-link.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { Mechanism, Peer, SavedLink } from './recorded-link.js' */
/** @import { Part } from './recorder.js' */
/** @import { RecordedTraffic as Traffic, TrafficChannel } from '../types/recordings.js' */
/** @import { SavedHistogram } from './weighted-histogram.js' */

/** @typedef {{ id: string, label: string, isWhole?: boolean }} End   isWhole: recorded until the process or thread ended */
/**
 * @typedef {{ mechanism: Mechanism, from: End, to: End, received: number, links: SavedLink[] }} Edge
 *   received: number of messages that `to` received; links: links of `from` that sent messages to `to`
 */

const MOST_ARRIVALS = 1_000;

/** @param {{ pid: number, thread: number }} part */
const idOf = ({ pid, thread }) => `${pid}/${thread}`;

/** @param {Part} part @returns {End} */
function endOf(part) {
  const kind = part.thread > 0 ? ' (thread)' : part.isChild ? ' (child)' : '';
  return { id: idOf(part), label: `${part.label}${kind}`, isWhole: part.isWhole };
}

/**
 * @param {Part[]} unsorted
 * @param {(name: string) => string} replaceName   replaces the name of a field
 * @param {(pid: number) => boolean} isRunning
 * @returns {Pick<Traffic, 'durationMs' | 'processes' | 'threads' | 'notRecorded' | 'errors' | 'channels'>}
 */
export function joinParts(unsorted, replaceName, isRunning = () => false) {
  const parts = unsorted
    .filter(({ notRecorded }) => notRecorded === undefined)
    .sort((one, other) => one.startedMs - other.startedMs);
  const beganMs = Math.min(...parts.map(({ startedMs }) => startedMs));
  const endedMs = Math.max(...parts.map(({ writtenMs }) => writtenMs));
  const groups = groupedBy(findEdges(parts), ({ mechanism, from, to }) =>
    JSON.stringify([mechanism, from.label, to.label]),
  );
  const channels = [...groups.values()]
    .map((edges) => joinEdges(edges, beganMs, replaceName))
    .filter(({ messages, lost = 0 }) => messages + lost > 0)
    .sort((one, other) => other.messages - one.messages)
    .map((channel, place) => ({ ...channel, number: place + 1 }));
  return {
    durationMs: endedMs - beganMs,
    processes: parts.filter(({ thread }) => thread === 0).length,
    threads: parts.filter(({ thread }) => thread > 0).length,
    notRecorded: findUnrecorded(unsorted, isRunning),
    errors: [...new Set(parts.flatMap(({ errors }) => errors))],
    channels,
  };
}

/** @param {Part[]} parts @returns {Edge[]} */
function findEdges(parts) {
  const ends = new PeerFinder(parts);
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  const edge = (/** @type {Mechanism} */ mechanism, /** @type {End} */ from, /** @type {End} */ to) => {
    const key = JSON.stringify([mechanism, from.id, to.id]);
    const found = edges.get(key) ?? { mechanism, from, to, received: 0, links: [] };
    edges.set(key, found);
    return found;
  };
  for (const part of parts) {
    const end = endOf(part);
    for (const link of part.links) {
      const peer = ends.find(part, link.peer);
      if (peer === null) continue;
      if (link.sent > 0) edge(link.mechanism, end, peer).links.push(link);
      if (link.received > 0) edge(link.mechanism, peer, end).received += link.received;
    }
  }
  return [...edges.values()];
}

class PeerFinder {
  /** @param {Part[]} parts */
  constructor(parts) {
    this.parts = parts;
    this.byId = new Map(parts.map((part) => [idOf(part), part]));
    /** @type {Map<string, End>} name of a port → the end that it was transferred to */
    this.placeOfPort = new Map();
    /** @type {Map<string, string[]>} id of a thread → names of ports that were transferred to it */
    this.portsSentTo = new Map();
    for (const part of parts) {
      for (const { port, to } of part.transfers) {
        const place = this.find(part, to);
        if (place === null) continue;
        this.placeOfPort.set(port, place);
        this.portsSentTo.set(place.id, [...(this.portsSentTo.get(place.id) ?? []), port]);
      }
    }
  }

  /** @param {Part} part @param {Peer} peer @returns {End | null} null if both ends are in one thread */
  find(part, peer) {
    if ('pid' in peer) return this.process(peer.pid, part);
    if ('parentProcess' in peer) return this.process(part.parentPid, part);
    if ('thread' in peer) return this.thread(part.pid, peer.thread);
    if ('parentThread' in peer) return this.parentThread(part);
    if ('port' in peer) return this.otherEnd(part, peer.port);
    const name = this.portsSentTo.get(idOf(part))?.[peer.unknownPort];
    return name === undefined ? this.parentThread(part) : this.otherEnd(part, name);
  }

  /** @param {number} pid @param {Part} from @returns {End} */
  process(pid, from) {
    const found = this.byId.get(`${pid}/0`);
    if (found !== undefined) return endOf(found);
    const started = from.processes.find((process) => process.pid === pid);
    return { id: `${pid}/0`, label: `${started?.label ?? 'a process'} (not recorded)` };
  }

  /** @param {number} pid @param {number} thread @returns {End} */
  thread(pid, thread) {
    const found = this.byId.get(`${pid}/${thread}`);
    return found === undefined ? { id: `${pid}/${thread}`, label: 'a thread (not recorded)' } : endOf(found);
  }

  /** @param {Part} part @returns {End} */
  parentThread({ pid, thread }) {
    const parent = this.parts.find((part) => part.pid === pid && part.threads.includes(thread));
    return parent === undefined ? this.thread(pid, 0) : endOf(parent);
  }

  /** @param {Part} part @param {string} port   at this end @returns {End | null} */
  otherEnd(part, port) {
    const other = port.replace(/[12]$/, (end) => (end === '1' ? '2' : '1'));
    const place = this.placeOfPort.get(other);
    if (place !== undefined) return place.id === idOf(part) ? null : place;
    const [pid, thread] = port.split('-').map(Number);
    const maker = this.byId.get(`${pid}/${thread}`);
    // No transfer of the other port was recorded: it is used in the thread that created it, or in an unknown thread.
    const isUsedThere = maker?.links.some(({ peer }) => 'port' in peer && peer.port === other) ?? false;
    if (maker === undefined || idOf(maker) !== idOf(part)) return this.thread(pid, thread);
    return isUsedThere ? null : { id: `${pid}/${thread} ${other}`, label: 'another thread' };
  }
}

/**
 * @param {Edge[]} edges   edges of one mechanism between ends with the same labels
 * @param {number} beganMs
 * @param {(name: string) => string} replaceName
 * @returns {TrafficChannel}
 */
function joinEdges(edges, beganMs, replaceName) {
  const [{ mechanism, from, to }] = edges;
  const links = edges.flatMap((edge) => edge.links);
  const total = (/** @type {(link: SavedLink) => number} */ read) => sumBy(links, read);
  const histogram = (/** @type {'bytes' | 'sendUs' | 'decodeUs'} */ name) =>
    joinHistograms(links.map((link) => link[name]));
  const first = links.flatMap(({ firstMs }) => firstMs ?? []);
  const last = links.flatMap(({ lastMs }) => lastMs ?? []);
  const counts = edges.map(countMessages);
  const lost = sumBy(counts, (count) => count.lost);
  const pairs = links.flatMap((link) => link.pairs ?? []);
  return {
    number: 0,
    mechanism,
    serialisation: links[0]?.serialisation ?? (mechanism === 'process.send' ? 'json' : 'v8'),
    from: from.label,
    to: to.label,
    ...(isFromMaster(edges) && { fromMaster: /** @type {const} */ (true) }),
    links: edges.length,
    atOnce: mostAtOnce(edges),
    messages: sumBy(counts, (count) => count.messages),
    ...(lost > 0 && { lost }),
    kinds: {
      text: total(({ kinds }) => kinds.text),
      bytes: total(({ kinds }) => kinds.bytes),
      value: total(({ kinds }) => kinds.value),
    },
    withTransfer: total(({ withTransfer }) => withTransfer),
    unsized: total(({ unsized }) => unsized),
    bytes: histogram('bytes'),
    sendUs: histogram('sendUs'),
    decodeUs: histogram('decodeUs'),
    firstMs: first.length === 0 ? null : Math.min(...first) - beganMs,
    lastMs: last.length === 0 ? null : Math.max(...last) - beganMs,
    arrivals: joinArrivals(links).map((ms) => Math.round((ms - beganMs) * 1_000) / 1_000),
    pairs:
      pairs.length === 0
        ? null
        : {
            requests: sumBy(pairs, ({ requests }) => requests),
            paired: sumBy(pairs, ({ paired }) => paired),
            field: replaceName(pairs[0].field),
            roundTripUs: joinHistograms(pairs.map(({ roundTripUs }) => roundTripUs)),
            inFlight: joinHistograms(pairs.map(({ inFlight }) => inFlight)),
          },
    sample: selectSample(links.flatMap(({ sample }) => sample)),
  };
}

/**
 * If the receiver was recorded until its end, its count is exact, and all other sent messages were lost. Otherwise the count is the greater
 * of messages received and messages sent without an error, since either end may have been killed before its last write.
 * @param {Edge} edge
 */
function countMessages({ links, to, received }) {
  const sent = sumBy(links, (link) => link.sent);
  const failed = sumBy(links, (link) => link.failed);
  const messages = to.isWhole ? received : Math.max(sent - failed, received);
  return { messages, lost: Math.max(0, sent - messages) };
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
  const [peer] = links.map((link) => link.peer);
  if (peer === undefined) return false;
  const threadIn = (/** @type {string} */ id) => Number(/^\d+\/(\d+)$/.exec(id)?.[1]);
  if ('port' in peer || 'unknownPort' in peer) return threadIn(from.id) < threadIn(to.id);
  return 'pid' in peer || 'thread' in peer;
}

/** @param {Edge[]} edges @returns {number | undefined} the most edges in use at the same time, or undefined if their times are unknown */
function mostAtOnce(edges) {
  const spans = edges.flatMap(({ links }) => {
    const first = Math.min(...links.flatMap(({ firstMs }) => firstMs ?? []));
    const last = Math.max(...links.flatMap(({ lastMs }) => lastMs ?? []));
    return first <= last ? [{ first, last }] : [];
  });
  if (spans.length === 0) return undefined;
  // The maximum is reached when an edge begins.
  const countAt = (/** @type {number} */ ms) =>
    spans.filter(({ first, last }) => first <= ms && ms <= last).length;
  return Math.max(...spans.map(({ first }) => countAt(first)));
}

/** @param {SavedHistogram[]} saved */
function joinHistograms(saved) {
  const all = new WeightedHistogram();
  for (const histogram of saved) all.add(histogram);
  return all.save();
}

/** @param {SavedLink[]} links @returns {number[]} at most MOST_ARRIVALS, sorted; ends when the first incomplete list of a link ends */
function joinArrivals(links) {
  const ends = links
    .filter(({ sent, arrivals }) => sent > arrivals.length)
    .map(({ arrivals }) => Number(arrivals.at(-1)));
  const end = Math.min(Infinity, ...ends);
  const all = links.flatMap(({ arrivals }) => arrivals.filter((ms) => ms <= end));
  return all.sort((left, right) => left - right).slice(0, MOST_ARRIVALS);
}

/** @param {Part[]} parts @param {(pid: number) => boolean} isRunning @returns {string[]} */
function findUnrecorded(parts, isRunning) {
  const ids = new Set(parts.map(idOf));
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
        return `${label} (pid ${pid}): ${why || usual}`;
      }),
  );
  const threads = parts.flatMap(({ pid, label, threads: started = [] }) =>
    started
      .filter((thread) => !ids.has(`${pid}/${thread}`))
      .map(
        (thread) =>
          `thread ${thread} of ${label}: it runs a string (eval), has an environment of its own, or ended too early`,
      ),
  );
  return [...obstacles, ...running, ...processes, ...threads];
}
