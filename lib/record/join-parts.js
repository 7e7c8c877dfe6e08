// The parts that processes and threads wrote → channels. Each part knows its own ends; here it is found who is at the other one.

import { groupedBy } from '../format/lists.js';
import { sumBy } from '../statistics/sum.js';
import { strongest } from './heard-link.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { Mechanism, Peer, SavedLink } from './heard-link.js' */
/** @import { Part } from './preload.js' */
/** @import { Traffic, TrafficChannel } from './traffic-file.js' */

/** @typedef {{ id: string, label: string }} End */
/** @typedef {{ mechanism: Mechanism, from: End, to: End, sent: number, received: number, links: SavedLink[] }} Edge   links: of the sender */

const MOST_SAMPLED = 200;
const MOST_ARRIVALS = 1_000;

/** @param {{ pid: number, thread: number }} part */
const idOf = ({ pid, thread }) => `${pid}/${thread}`;

/** @param {Part} part @returns {End} */
function endOf(part) {
  const kind = part.thread > 0 ? ' (thread)' : part.isChild ? ' (child)' : '';
  return { id: idOf(part), label: `${part.label}${kind}` };
}

/**
 * @param {Part[]} unsorted
 * @param {(name: string) => string} replaceName   of a field
 * @returns {Pick<Traffic, 'durationMs' | 'processes' | 'threads' | 'notHeard' | 'errors' | 'channels'>}
 */
export function joinParts(unsorted, replaceName) {
  // A folder lists its files in any order.
  const parts = unsorted.toSorted((one, other) => one.startedMs - other.startedMs);
  const beganMs = Math.min(...parts.map(({ startedMs }) => startedMs));
  const endedMs = Math.max(...parts.map(({ writtenMs }) => writtenMs));
  const groups = groupedBy(findEdges(parts), ({ mechanism, from, to }) =>
    JSON.stringify([mechanism, from.label, to.label]),
  );
  const channels = [...groups.values()]
    .map((group) => joinEdges(group, beganMs, replaceName))
    .filter(({ messages }) => messages > 0)
    .sort((one, other) => other.messages - one.messages)
    .map((channel, place) => ({ ...channel, number: place + 1 }));
  return {
    durationMs: endedMs - beganMs,
    processes: parts.filter(({ thread }) => thread === 0).length,
    threads: parts.filter(({ thread }) => thread > 0).length,
    notHeard: findUnheard(parts),
    errors: [...new Set(parts.flatMap(({ errors }) => errors))],
    channels,
  };
}

/** @param {Part[]} parts @returns {Edge[]} from an end to another one, each once */
function findEdges(parts) {
  const ends = new PeerFinder(parts);
  /** @type {Map<string, Edge>} */
  const edges = new Map();
  const edge = (/** @type {SavedLink} */ { mechanism }, /** @type {End} */ from, /** @type {End} */ to) => {
    const key = JSON.stringify([mechanism, from.id, to.id]);
    const found = edges.get(key) ?? { mechanism, from, to, sent: 0, received: 0, links: [] };
    edges.set(key, found);
    return found;
  };
  for (const part of parts) {
    const own = endOf(part);
    for (const link of part.links) {
      const peer = ends.find(part, link.peer);
      if (peer === null) continue;
      const out = edge(link, own, peer);
      out.sent += link.sent;
      out.links.push(link);
      edge(link, peer, own).received += link.received;
    }
  }
  return [...edges.values()];
}

class PeerFinder {
  /** @param {Part[]} parts */
  constructor(parts) {
    this.parts = parts;
    this.byId = new Map(parts.map((part) => [idOf(part), part]));
    /** @type {Map<string, End>} name of a port → where it was sent */
    this.placeOfPort = new Map();
    /** @type {Map<string, string[]>} a thread → names of ports that it was sent */
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

  /** @param {Part} part @param {Peer} peer @returns {End | null} null: it is the same thread */
  find(part, peer) {
    if ('pid' in peer) return this.process(peer.pid, part);
    if ('parentProcess' in peer) return this.process(part.parentPid, part);
    if ('thread' in peer) return this.thread(part.pid, peer.thread);
    if ('parentThread' in peer) return this.parentThread(part);
    if ('port' in peer) return this.otherEnd(part, peer.port);
    const name = this.portsSentTo.get(idOf(part))?.[peer.unknownPort];
    return name === undefined ? this.parentThread(part) : this.otherEnd(part, name);
  }

  /** @param {number} pid @param {Part} asking @returns {End} */
  process(pid, asking) {
    const found = this.byId.get(`${pid}/0`);
    if (found !== undefined) return endOf(found);
    const started = asking.processes.find((each) => each.pid === pid);
    return {
      id: `${pid}/0`,
      label: started === undefined ? 'a process that was not heard' : `${started.label} (not heard)`,
    };
  }

  /** @param {number} pid @param {number} thread @returns {End} */
  thread(pid, thread) {
    const found = this.byId.get(`${pid}/${thread}`);
    return found === undefined
      ? { id: `${pid}/${thread}`, label: 'a thread that was not heard' }
      : endOf(found);
  }

  /** @param {Part} part @returns {End} */
  parentThread({ pid, thread }) {
    const parent = this.parts.find(
      (each) => each.pid === pid && each.threads.some((started) => started.thread === thread),
    );
    return parent === undefined ? this.thread(pid, 0) : endOf(parent);
  }

  /** @param {Part} part @param {string} port   at this end @returns {End | null} */
  otherEnd(part, port) {
    const other = port.replace(/[12]$/, (end) => (end === '1' ? '2' : '1'));
    const place = this.placeOfPort.get(other);
    if (place !== undefined) return place.id === idOf(part) ? null : place;
    const [pid, thread] = port.split('-').map(Number);
    const maker = this.byId.get(`${pid}/${thread}`);
    // It stayed with the thread that made it, or went where nobody was heard.
    const isUsedThere = maker?.links.some(({ peer }) => 'port' in peer && peer.port === other) ?? false;
    if (maker === undefined || idOf(maker) !== idOf(part)) return this.thread(pid, thread);
    return isUsedThere ? null : { id: `${pid}/${thread} ${other}`, label: 'another thread' };
  }
}

/** @param {Edge[]} edges   of one mechanism between ends of the same names @param {number} beganMs @param {(name: string) => string} replaceName @returns {TrafficChannel} */
function joinEdges(edges, beganMs, replaceName) {
  const [{ mechanism, from, to }] = edges;
  const links = edges.flatMap((edge) => edge.links).filter(({ sent }) => sent > 0);
  const total = (/** @type {(link: SavedLink) => number} */ read) => sumBy(links, read);
  const histogram = (/** @type {'bytes' | 'sendUs' | 'decodeUs'} */ name) =>
    joinHistograms(links.map((link) => link[name]));
  const first = links.flatMap(({ firstMs }) => firstMs ?? []);
  const last = links.flatMap(({ lastMs }) => lastMs ?? []);
  return {
    number: 0,
    mechanism,
    serialisation: links[0]?.serialisation ?? (mechanism === 'process.send' ? 'json' : 'v8'),
    from: from.label,
    to: to.label,
    ...(isFromMaster(edges) && { fromMaster: /** @type {const} */ (true) }),
    links: edges.filter(({ sent, received }) => sent + received > 0).length,
    atOnce: mostAtOnce(edges),
    // The end that received them counts as well: the sender may not have been heard, or not until its end.
    messages: sumBy(edges, ({ sent, received }) => Math.max(sent, received)),
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
    busiestSecond: Math.max(0, ...links.map(({ busiestSecond }) => busiestSecond)),
    busiest10Ms: Math.max(0, ...links.map(({ busiest10Ms }) => busiest10Ms)),
    arrivals: joinArrivals(links).map((ms) => Math.round((ms - beganMs) * 1_000) / 1_000),
    pairs: joinPairs(links, replaceName),
    sample: strongest(
      links.flatMap(({ sample }) => sample),
      MOST_SAMPLED,
    ),
  };
}

/**
 * One that sends to several is their master. Of as many senders as receivers, the one that started the other.
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
  if ('port' in peer || 'unknownPort' in peer) return threadIn(from.id) < threadIn(to.id);
  return 'pid' in peer || 'thread' in peer;
}

/** @param {string} id   of an end @returns {number} its thread, 0: the main one; NaN: nobody knows */
function threadIn(id) {
  return Number(/^\d+\/(\d+)$/.exec(id)?.[1]);
}

/** @param {Edge[]} edges @returns {number | undefined} of them that were in use at the same time, at most; undefined: nobody knows when they were */
function mostAtOnce(edges) {
  const changes = edges.flatMap(({ links }) => {
    const first = Math.min(...links.flatMap(({ firstMs }) => firstMs ?? []));
    const last = Math.max(...links.flatMap(({ lastMs }) => lastMs ?? []));
    return first <= last
      ? [
          [first, 1],
          [last, -1],
        ]
      : [];
  });
  // Of two at the same time the one that begins comes first: both were in use.
  changes.sort(([one, begins], [other, ends]) => one - other || ends - begins);
  let inUse = 0;
  let most = 0;
  for (const [, change] of changes) {
    inUse += change;
    most = Math.max(most, inUse);
  }
  return most === 0 ? undefined : most;
}

/** @param {import('./weighted-histogram.js').SavedHistogram[]} saved */
function joinHistograms(saved) {
  const all = new WeightedHistogram();
  for (const each of saved) all.add(each);
  return all.save();
}

/** @param {SavedLink[]} links @returns {number[]} of all, up to where the first one was not kept any more */
function joinArrivals(links) {
  const ends = links
    .filter(({ sent, arrivals }) => sent > arrivals.length)
    .map(({ arrivals }) => Number(arrivals.at(-1)));
  const end = Math.min(Infinity, ...ends);
  const all = links.flatMap(({ arrivals }) => arrivals.filter((ms) => ms <= end));
  return all.sort((left, right) => left - right).slice(0, MOST_ARRIVALS);
}

/** @param {SavedLink[]} links @param {(name: string) => string} replaceName @returns {TrafficChannel['pairs']} */
function joinPairs(links, replaceName) {
  const found = links.flatMap(({ pairs }) => pairs ?? []);
  if (found.length === 0) return null;
  return {
    requests: sumBy(found, ({ requests }) => requests),
    paired: sumBy(found, ({ paired }) => paired),
    field: replaceName(found[0].field),
    roundTripUs: joinHistograms(found.map(({ roundTripUs }) => roundTripUs)),
    inFlight: joinHistograms(found.map(({ inFlight }) => inFlight)),
  };
}

/** @param {Part[]} parts @returns {string[]} */
function findUnheard(parts) {
  const ids = new Set(parts.map(idOf));
  const tooOld = parts.flatMap(({ label, pid, notHeard }) =>
    notHeard === null ? [] : [`${label} (pid ${pid}): ${notHeard}`],
  );
  const processes = parts.flatMap((part) =>
    part.processes
      .filter(({ pid, isNode }) => isNode && !ids.has(`${pid}/0`))
      .map(({ pid, label, isHeard }) =>
        isHeard
          ? `${label} (pid ${pid}): it ended before it could be heard, or ignores NODE_OPTIONS`
          : `${label} (pid ${pid}): ${part.label} started it with NODE_OPTIONS of its own`,
      ),
  );
  const threads = parts.flatMap((part) =>
    part.threads
      .filter(({ thread }) => !ids.has(`${part.pid}/${thread}`))
      .map(
        ({ thread }) =>
          `thread ${thread} of ${part.label}: it runs a string (eval), has an environment of its own, or ended too early`,
      ),
  );
  return [...tooOld, ...processes, ...threads];
}
