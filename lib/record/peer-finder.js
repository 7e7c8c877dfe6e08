// Finds the other end of the links of processes and threads. A port is followed from thread to thread: each thread has recorded as which
// port of a link it received the port, and as which port of another link it sent it on.

/** @import { LinkPeer, PortPeer } from './recorded-link.js' */
/** @import { LinkEnd, RecordedProcess } from './read-part.js' */

/** @typedef {{ id: string, label: string, isComplete?: boolean }} ChannelEnd   isComplete: whether it was recorded until it ended */
/**
 * The thread that uses a port.
 * @typedef {{ part: RecordedProcess, peer: PortPeer, isShared: boolean }} PortUser
 *   peer: that of the port's link there; isShared: whether another thread may have used the port before
 */
/**
 * @typedef {{ numbers: Map<string, number>, next: Map<string, PortPeer[]> }} KnownPorts
 *   numbers: of links, by the JSON of mechanism and peer; next: where the port of a peer, by its JSON, was sent on or came from
 */

const MAX_STEPS = 100; // threads through which a port is followed

/** @param {{ pid: number, thread: number }} part */
export const idOf = ({ pid, thread }) => `${pid}/${thread}`;

/** @param {RecordedProcess} part @returns {ChannelEnd} */
function endOf(part) {
  const kind = part.thread > 0 ? ' (thread)' : part.isChild ? ' (child)' : '';
  return {
    id: idOf(part),
    label: `${part.label}${kind}`,
    isComplete: part.isComplete && part.stopped === null,
  };
}

/** @param {RecordedProcess} part @returns {KnownPorts} */
function readPorts({ links, passed, between }) {
  const numbers = new Map(
    links.map((link, number) => [JSON.stringify([link.facts.mechanism, link.facts.peer]), number]),
  );
  /** @type {KnownPorts['next']} */
  const next = new Map();
  /** @param {PortPeer} peer @param {PortPeer} to */
  const add = (peer, to) => {
    const key = JSON.stringify(peer);
    next.set(key, [...(next.get(key) ?? []), to]);
  };
  for (const [received, sent] of passed) {
    add({ received }, { sent });
    add({ sent }, { received });
  }
  for (const [one, other] of between) {
    add({ sent: one }, { sent: other });
    add({ sent: other }, { sent: one });
  }
  return { numbers, next };
}

export class PeerFinder {
  /** @param {RecordedProcess[]} parts */
  constructor(parts) {
    this.byId = new Map(parts.map((part) => [idOf(part), part]));
    /** Id of a thread → the process or thread that started it. */
    this.parents = new Map(
      parts.flatMap((part) => part.threads.map(({ thread }) => [idOf({ pid: part.pid, thread }), part])),
    );
    this.ports = new Map(parts.map((part) => [part, readPorts(part)]));
  }

  /**
   * @param {RecordedProcess} part
   * @param {LinkEnd} link
   * @returns {{ own: ChannelEnd, other: ChannelEnd } | null} the ends of a link of `part`; null if both are in one thread. The end of a port that
   *   several threads used counts as incomplete.
   */
  find(part, link) {
    const { peer } = link.facts;
    const isPort = 'sent' in peer || 'received' in peer;
    const other = isPort ? this.portEnd(part, peer) : this.end(part, peer);
    if (other === null) return null;
    const own = endOf(part);
    return {
      own: isPort && this.portsOf(part).next.has(JSON.stringify(peer)) ? incomplete(own) : own,
      other,
    };
  }

  /** @param {RecordedProcess} part @param {LinkPeer} peer @returns {ChannelEnd | null} */
  end(part, peer) {
    if ('pid' in peer) return this.process(peer.pid, part);
    if ('parentProcess' in peer) return this.process(part.parentPid, part);
    if ('thread' in peer) return this.thread(part.pid, peer.thread);
    if (!('parentThread' in peer)) return null;
    const parent = this.parents.get(idOf(part));
    return parent === undefined ? this.thread(part.pid, 0) : endOf(parent);
  }

  /** @param {number} pid @param {RecordedProcess} from @returns {ChannelEnd} */
  process(pid, from) {
    const found = this.byId.get(`${pid}/0`);
    if (found !== undefined) return endOf(found);
    const started = from.processes.find((process) => process.pid === pid);
    return { id: `${pid}/0`, label: `${started?.label ?? 'a process'} (not recorded)` };
  }

  /** @param {number} pid @param {number} thread @returns {ChannelEnd} */
  thread(pid, thread) {
    const found = this.byId.get(`${pid}/${thread}`);
    return found === undefined ? { id: `${pid}/${thread}`, label: 'a thread (not recorded)' } : endOf(found);
  }

  /** @param {RecordedProcess} part @param {PortPeer} peer @returns {ChannelEnd | null} */
  portEnd(part, peer) {
    const user = this.follow(part, peer, MAX_STEPS);
    if (user?.part === part) return null;
    if (user !== null) return user.isShared ? incomplete(endOf(user.part)) : endOf(user.part);
    const over = part.links[linkOf(peer)]?.facts.peer;
    if (over !== undefined && 'thisThread' in over) return null;
    const end = over === undefined ? null : this.end(part, over);
    return end === null || this.byId.has(end.id)
      ? { id: `${idOf(part)} port`, label: 'another thread' }
      : end;
  }

  /**
   * @param {RecordedProcess} part
   * @param {PortPeer} peer
   * @param {number} steps   at most
   * @returns {PortUser | null} null if a thread on the way was not recorded
   */
  follow(part, peer, steps) {
    const across = steps === 0 ? null : this.otherLink(part, linkOf(peer), steps - 1);
    if (across === null) return null;
    const { part: there, number } = across;
    /** @type {PortPeer} */
    const itsPeer =
      'sent' in peer ? { received: [number, peer.sent[1]] } : { sent: [number, peer.received[1]] };
    const { next, numbers } = this.portsOf(there);
    const found = next.get(JSON.stringify(itsPeer));
    if (found === undefined) return { part: there, peer: itsPeer, isShared: false };
    const user = this.follow(there, found[found.length - 1], steps - 1);
    const wasUsed = numbers.has(JSON.stringify(['MessagePort', itsPeer]));
    return user && { ...user, isShared: user.isShared || wasUsed || found.length > 1 };
  }

  /**
   * @param {RecordedProcess} part
   * @param {number} number   of a link
   * @param {number} steps
   * @returns {{ part: RecordedProcess, number: number } | null} the same link in the thread at its other end
   */
  otherLink(part, number, steps) {
    const link = part.links[number];
    if (link === undefined) return null;
    const { peer } = link.facts;
    /** @type {{ part: RecordedProcess | undefined, peer: LinkPeer } | null} */
    let other = null;
    if ('thread' in peer)
      other = { part: this.byId.get(`${part.pid}/${peer.thread}`), peer: { parentThread: true } };
    else if ('parentThread' in peer)
      other = {
        part: this.parents.get(idOf(part)) ?? this.byId.get(`${part.pid}/0`),
        peer: { thread: part.thread },
      };
    else if ('sent' in peer || 'received' in peer) other = this.follow(part, peer, steps);
    if (!other?.part) return null;
    const found = this.portsOf(other.part).numbers.get(JSON.stringify([link.facts.mechanism, other.peer]));
    return found === undefined ? null : { part: other.part, number: found };
  }

  /** @param {RecordedProcess} part */
  portsOf(part) {
    return /** @type {KnownPorts} */ (this.ports.get(part));
  }
}

/** @param {PortPeer} peer @returns {number} the link over which the port was transferred */
const linkOf = (peer) => ('sent' in peer ? peer.sent : peer.received)[0];

/** @param {ChannelEnd} end @returns {ChannelEnd} */
const incomplete = (end) => ({ ...end, isComplete: false });
