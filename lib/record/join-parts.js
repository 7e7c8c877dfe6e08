// The parts that processes and threads wrote → channels. Each part knows its own ends; here it is found who is at the other one.

import { groupedBy } from '../format/lists.js';
import { sumBy } from '../statistics/sum.js';
import { strongest } from './heard-link.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { Framing, Mechanism, Peer, SavedLink, SocketPeer } from './heard-link.js' */
/** @import { Part } from './preload.js' */
/** @import { Traffic, TrafficChannel } from './traffic-file.js' */

/** @typedef {{ id: string, label: string }} End */
/** @typedef {{ mechanism: Mechanism, framing?: Framing, fromServer?: boolean, from: End, to: End, sent: number, received: number, links: SavedLink[], incoming: SavedLink[] }} Edge   fromServer: of a socket; incoming: of what the other end received */

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
  const groups = groupedBy(findEdges(parts), ({ mechanism, framing, fromServer, from, to }) =>
    JSON.stringify([mechanism, framing, fromServer, from.label, to.label]),
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
  const edge = (
    /** @type {SavedLink} */ { mechanism, framing, peer, isIncoming },
    /** @type {End} */ from,
    /** @type {End} */ to,
  ) => {
    const fromServer = 'isServer' in peer ? peer.isServer !== (isIncoming === true) : undefined;
    const key = JSON.stringify([mechanism, framing, fromServer, from.id, to.id]);
    const found = edges.get(key) ?? {
      mechanism,
      framing,
      fromServer,
      from,
      to,
      sent: 0,
      received: 0,
      links: [],
      incoming: [],
    };
    edges.set(key, found);
    return found;
  };
  for (const part of parts) {
    const own = endOf(part);
    for (const link of part.links) {
      const peer = ends.find(part, link.peer);
      if (peer === null) continue;
      if (link.isIncoming) {
        const to = edge(link, peer, own);
        to.received += link.sent;
        to.incoming.push(link);
        continue;
      }
      const out = edge(link, own, peer);
      out.sent += link.sent;
      out.links.push(link);
      if (!('isServer' in link.peer)) edge(link, peer, own).received += link.received;
    }
  }
  // How the system cuts what was written into reads says nothing, where the writes were heard.
  const sendersOfWrites = new Set(
    [...edges.values()].filter(({ framing, sent }) => framing === 'writes' && sent > 0).map(placesOf),
  );
  return [...edges.values()].filter(
    (each) => each.framing !== 'writes' || each.sent > 0 || !sendersOfWrites.has(placesOf(each)),
  );
}

/** @param {Edge} edge */
const placesOf = ({ mechanism, fromServer, from, to }) =>
  JSON.stringify([mechanism, fromServer, from.id, to.id]);

class PeerFinder {
  /** @param {Part[]} parts */
  constructor(parts) {
    this.parts = parts;
    this.byId = new Map(parts.map((part) => [idOf(part), part]));
    /** @type {Map<string, End>} name of a port → where it was sent */
    this.placeOfPort = new Map();
    /** @type {Map<string, string[]>} a thread → names of ports that it was sent */
    this.portsSentTo = new Map();
    /** @type {Map<string, Part[]>} an end of a connection → where it is */
    this.partsOfSocket = new Map();
    for (const part of parts)
      for (const socket of part.sockets)
        if (!('path' in socket)) addTo(this.partsOfSocket, socketKey(socket, socket.isServer), part);
    /** @type {Map<string, Part[]>} an end of a connection over a path → where its other end is */
    this.otherOfPath = matchPaths(parts);
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
    if ('isServer' in peer) return this.socket(part, peer);
    if ('name' in peer) return { id: `"${peer.name}"`, label: `all of "${peer.name}"` };
    if ('port' in peer) return this.otherEnd(part, peer.port);
    const name = this.portsSentTo.get(idOf(part))?.[peer.unknownPort];
    return name === undefined ? this.parentThread(part) : this.otherEnd(part, name);
  }

  /** @param {Part} part @param {SocketPeer} peer @returns {End | null} */
  socket(part, peer) {
    const key = 'path' in peer ? pathKey(part, peer.number) : socketKey(peer, !peer.isServer);
    const found = ('path' in peer ? this.otherOfPath : this.partsOfSocket).get(key) ?? [];
    if (found.includes(part)) return null;
    const ends = found.map(endOf);
    if (ends.length > 0 && ends.every(({ label }) => label === ends[0].label)) return ends[0];
    if (ends.length > 0) return { id: key, label: `${ends.length} programs` };
    const where = whereOf(peer);
    return peer.isServer
      ? { id: `clients of ${where}`, label: 'a client that was not heard' }
      : { id: where, label: `${where} (not heard)` };
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

/** @template Value @param {Map<string, Value[]>} map @param {string} key @param {Value} value */
function addTo(map, key, value) {
  const found = map.get(key);
  if (found === undefined) map.set(key, [value]);
  else if (!found.includes(value)) found.push(value);
}

/** @param {SocketPeer} peer @param {boolean} isServer @returns {string} this end of it, or, the other way round, the other one */
function socketKey(peer, isServer) {
  if ('zeromq' in peer) return `${isServer ? 'at' : 'to'} ${peer.zeromq}`;
  const ports = /** @type {{ tcp: [number, number] }} */ (peer).tcp;
  return JSON.stringify(isServer === peer.isServer ? ports : ports.toReversed());
}

/** @param {Part} part @param {number} number   of its sockets */
const pathKey = (part, number) => `${idOf(part)} ${number}`;

/** @param {SocketPeer} peer @returns {string} without the folders of its path */
function whereOf(peer) {
  if ('tcp' in peer) return `port ${peer.tcp[peer.isServer ? 0 : 1]}`;
  const path = 'path' in peer ? peer.path : peer.zeromq;
  const port = /^tcp:.*:(\d+)$/.exec(path)?.[1];
  return port === undefined ? String(path.split(/[\\/]/).at(-1)) : `port ${port}`;
}

/**
 * A connection over a path has no number of its own: an end that accepts goes with that which connected at about the same time.
 * @param {Part[]} parts
 * @returns {Map<string, Part[]>}
 */
function matchPaths(parts) {
  const all = parts.flatMap((part) =>
    part.sockets.flatMap((socket) =>
      'path' in socket ? [{ ...socket, part, key: pathKey(part, socket.number) }] : [],
    ),
  );
  /** @type {Map<string, Part[]>} */
  const others = new Map();
  const clients = new Set(all.filter(({ isServer }) => !isServer));
  for (const server of all
    .filter(({ isServer }) => isServer)
    .sort((one, other) => one.openedMs - other.openedMs)) {
    const [client] = [...clients]
      .filter(({ path }) => path === server.path)
      .sort(
        (one, other) => Math.abs(one.openedMs - server.openedMs) - Math.abs(other.openedMs - server.openedMs),
      );
    if (client === undefined) continue;
    clients.delete(client);
    others.set(server.key, [client.part]);
    others.set(client.key, [server.part]);
  }
  return others;
}

/** @param {Edge[]} edges   of one mechanism between ends of the same names @param {number} beganMs @param {(name: string) => string} replaceName @returns {TrafficChannel} */
function joinEdges(edges, beganMs, replaceName) {
  const [{ mechanism, framing, from, to }] = edges;
  const senders = edges.flatMap((edge) => edge.links).filter(({ sent }) => sent > 0);
  const receivers = edges.flatMap(({ incoming }) => incoming);
  // The sender knows best, if it was heard; of some clients only the receiver sees what a message is.
  const hasValues = (/** @type {SavedLink[]} */ saved) => saved.some(({ kinds }) => kinds.value > 0);
  const links = senders.length === 0 || (!hasValues(senders) && hasValues(receivers)) ? receivers : senders;
  const total = (/** @type {(link: SavedLink) => number} */ read) => sumBy(links, read);
  const histogram = (/** @type {'bytes' | 'sendUs' | 'decodeUs'} */ name) =>
    joinHistograms((name === 'sendUs' ? senders : links).map((link) => link[name]));
  const first = links.flatMap(({ firstMs }) => firstMs ?? []);
  const last = links.flatMap(({ lastMs }) => lastMs ?? []);
  return {
    number: 0,
    mechanism,
    ...(framing && { framing }),
    ...(mechanism === 'Redis' && { commands: joinCommands([...senders, ...receivers]) }),
    serialisation: links[0]?.serialisation ?? (mechanism === 'process.send' ? 'json' : 'v8'),
    from: from.label,
    to: to.label,
    ...(isFromMaster(edges) && { fromMaster: /** @type {const} */ (true) }),
    links: edges.filter(({ sent, received }) => sent + received > 0).length,
    atOnce: mostAtOnce(edges),
    // The end that received them counts as well: the sender may not have been heard, or not until its end.
    messages: countMessages(edges),
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
    pairs: joinPairs(senders, replaceName),
    sample: strongest(
      links.flatMap(({ sample }) => sample),
      MOST_SAMPLED,
    ),
  };
}

/**
 * One that sends to several is their master. Of as many senders as receivers, the one that accepted the connection or started the other.
 * @param {Edge[]} edges
 */
function isFromMaster(edges) {
  const [froms, tos] = /** @type {const} */ (['from', 'to']).map(
    (end) => new Set(edges.map((edge) => edge[end].id)).size,
  );
  if (froms !== tos) return froms < tos;
  const [{ fromServer, links, from, to }] = edges;
  if (fromServer !== undefined) return fromServer;
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
  const changes = edges.flatMap(({ links, incoming }) => {
    const all = [...links, ...incoming];
    const first = Math.min(...all.flatMap(({ firstMs }) => firstMs ?? []));
    const last = Math.max(...all.flatMap(({ lastMs }) => lastMs ?? []));
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

/**
 * Processes that accept the connections of one port are one end to a client, which may then know one of them alone: what both sides
 * counted is compared for all of them together.
 * @param {Edge[]} edges
 */
function countMessages(edges) {
  const [{ framing, fromServer }] = edges;
  const countOf = (/** @type {number} */ sent, /** @type {number} */ received) =>
    framing === 'writes' && sent > 0 ? sent : Math.max(sent, received);
  if (fromServer === undefined) return sumBy(edges, ({ sent, received }) => countOf(sent, received));
  return countOf(
    sumBy(edges, ({ sent }) => sent),
    sumBy(edges, ({ received }) => received),
  );
}

/** @param {SavedLink[]} links @returns {Record<string, number>} */
function joinCommands(links) {
  /** @type {Record<string, number>} */
  const all = {};
  for (const { commands = {} } of links)
    for (const [name, count] of Object.entries(commands)) all[name] = (all[name] ?? 0) + count;
  return all;
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
    field: found[0].field === '' ? '' : replaceName(found[0].field),
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
