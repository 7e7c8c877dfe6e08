// Hooks of threads: messages of workers and ports, and the memory in which each thread collects its facts, shared with the main thread,
// which writes what a thread no longer can.

import diagnostics from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { hasEnded } from './fact-writer.js';
import { isInert } from './message-shape.js';
import { MAX_PLACES } from './recorded-link.js';
import { addLink, guard, keepError, noteReceived, noteSent, now, replace, writer } from './recording.js';

/** @import { Shared } from './fact-writer.js' */
/** @import { PortPeer, PortPlace, RecordedLink, SentRequest } from './recorded-link.js' */

// Captured now, since the program may replace these functions later.
const { MessagePort, BroadcastChannel, MessageChannel, Worker, isMainThread, parentPort, threadId } = threads;
const { receiveMessageOnPort } = threads;
const { apply, construct } = Reflect;

const MAX_SEARCHED = 1_000; // number of objects in workerData that are searched for ports
const MAX_SEARCHED_OF_MESSAGE = 50; // fewer, to save time
const HYBRID_DISPATCH = Symbol.for('nodejs.internal.kHybridDispatch');
const RECEIVED_PORTS = Symbol.for('nodejs.internal.kCurrentlyReceivingPorts');
const SHARE = 'ipc-bench record';

// Ports arrive in the order in which they are sent. So their numbers are the same at both ends of a link, and the reader of the facts follows
// a port from thread to thread.

/**
 * A MessageChannel that this thread created; each list has an element per port.
 * @typedef {object} RecordedChannel
 * @property {(PortPlace | null)[]} places   where the port was sent, null if it is still here
 * @property {(RecordedLink | null)[]} links   link of a port, if it was used while both ports were here
 * @property {SentRequest | null} request   the message that one port was sent with, until the other has received its response
 */

/** @type {WeakMap<object, RecordedLink | null>} null for ports that are not recorded, such as those of Node.js */
const linkOfPort = new WeakMap();
/** @type {WeakMap<object, { channel: RecordedChannel, end: number }>} ports that this thread created */
const endOfPort = new WeakMap();
/** @type {WeakMap<object, PortPlace>} ports that this thread received */
const placeOfPort = new WeakMap();
/** @type {WeakMap<object, object[]>} the port over which Node.js starts a thread → the ports in its workerData */
const portsInWorkerData = new WeakMap();
/** @type {Map<string, RecordedLink | null>} links of ports by the JSON of the peer; null if there were MAX_LINKS already */
const portLinks = new Map();
/** JSON of the facts that writeOnce() has written. @type {Set<string>} */
const writtenOnce = new Set();
/** @type {RecordedLink | null} */
let parentLink = null;

/** @param {PortPeer} peer @returns {RecordedLink | null} */
function linkOfPeer(peer) {
  const key = JSON.stringify(peer);
  const known = portLinks.get(key);
  if (known !== undefined) return known;
  const link = addLink('MessagePort', 'v8', peer);
  portLinks.set(key, link);
  return link;
}

/** @param {number} nth   of a port in workerData */
const numberInWorkerData = (nth) => -1 - Math.min(nth, MAX_PLACES);

let isWorkerDataSearched = false;

/** @param {object} port @returns {PortPlace | undefined} where this thread received it; undefined for ports of Node.js */
function placeOf(port) {
  const known = placeOfPort.get(port);
  if (known !== undefined || isWorkerDataSearched || parentLink === null) return known;
  isWorkerDataSearched = true;
  const { number } = parentLink;
  for (const [nth, found] of findPorts(threads.workerData, MAX_SEARCHED).entries())
    placeOfPort.set(found, [number, numberInWorkerData(nth)]);
  return placeOfPort.get(port);
}

/**
 * @param {unknown} value   without getters, such as received data
 * @param {number} most   number of objects that are searched
 * @returns {object[]} ports
 */
function findPorts(value, most) {
  const found = new Set([value]); // grows during the loop
  let left = most;
  for (const part of found) {
    if (left === 0) break;
    left -= 1;
    if (typeof part !== 'object' || part === null || part instanceof MessagePort || ArrayBuffer.isView(part))
      continue;
    const items = part instanceof Map || part instanceof Set ? [...part].flat() : Object.values(part);
    for (const item of items) if (typeof item === 'object' && item !== null) found.add(item);
  }
  return [...found].filter((part) => part instanceof MessagePort);
}

/** @param {any} port @returns {RecordedLink | null} */
function linkFor(port) {
  const known = linkOfPort.get(port);
  if (known !== undefined) return known;
  const link = findLink(port);
  linkOfPort.set(port, link);
  return link;
}

/** @param {any} port @returns {RecordedLink | null} */
function findLink(port) {
  const own = endOfPort.get(port);
  if (own === undefined) {
    const received = placeOf(port);
    // Other ports are those of Node.js, for example of module hooks or structuredClone().
    return received === undefined ? null : linkOfPeer({ received });
  }
  const { channel, end } = own;
  const sent = channel.places[1 - end];
  if (sent !== null) return linkOfPeer({ sent });
  // The other port is still in this thread.
  channel.links[end] = addLink('MessagePort', 'v8', { thisThread: true });
  return channel.links[end];
}

/**
 * Node.js accepts any iterable as a transfer list, also one that can be read only once.
 * @param {any} second   second argument of postMessage()
 * @returns {any} the argument with an array for its iterable
 */
function withArray(second) {
  if (typeof second !== 'object' || second === null || Array.isArray(second)) return second;
  if (typeof second[Symbol.iterator] === 'function') return [...second];
  const { transfer } = second;
  const isOther = !Array.isArray(transfer) && typeof transfer?.[Symbol.iterator] === 'function';
  return isOther ? { transfer: [...transfer] } : second;
}

/** @param {any} second   as withArray() returns it @returns {any[]} */
function transferListOf(second) {
  if (Array.isArray(second)) return second;
  return Array.isArray(second?.transfer) ? second.transfer : [];
}

/** @param {object} fact */
function writeOnce(fact) {
  const key = JSON.stringify(fact);
  if (writtenOnce.has(key)) return;
  writtenOnce.add(key);
  writer.write(fact);
}

/**
 * @param {object} port
 * @param {PortPlace} to
 * @returns {RecordedChannel | null} its channel, if this thread has the other port
 */
function onPortSent(port, to) {
  const own = endOfPort.get(port);
  if (own === undefined) {
    const from = placeOf(port);
    if (from !== undefined) writeOnce({ passed: [from, to] });
    return null;
  }
  const { channel, end } = own;
  channel.places[end] = to;
  const other = channel.links[1 - end];
  if (other) writer.write({ link: { number: other.number, ...other.facts, peer: { sent: to } } });
  const otherTo = channel.places[1 - end];
  if (otherTo === null) return channel;
  writeOnce({ between: [to, otherTo] });
  return null;
}

/**
 * @param {object[]} transferred   transfer list of a message that was sent
 * @param {RecordedLink} link
 * @returns {number | undefined} number of the message as a request, if the other port of one that it transfers is in this thread
 */
function onPortsSent(transferred, link) {
  /** @type {number | undefined} */
  let request;
  guard(() => {
    for (const port of transferred) {
      if (!(port instanceof MessagePort)) continue;
      const channel = onPortSent(port, [link.number, Math.min(link.portsSent, MAX_PLACES)]);
      link.portsSent += 1;
      if (channel === null || request !== undefined) continue;
      request = link.requests;
      link.requests += 1;
      channel.request = { link: link.number, number: request };
    }
  });
  return request;
}

/** @param {any[]} ports   in the order in which they were transferred @param {RecordedLink} link */
function onPortsReceived(ports, link) {
  for (const port of ports) {
    placeOfPort.set(port, [link.number, Math.min(link.portsReceived, MAX_PLACES)]);
    link.portsReceived += 1;
  }
}

/** @param {any} port @param {RecordedLink} link @param {any} message   message that the port receives */
function onMessage(port, link, message) {
  const channel = link.facts.mechanism === 'MessagePort' ? endOfPort.get(port)?.channel : undefined;
  if (!channel?.request) noteReceived(link, message);
  else {
    noteReceived(link, message, channel.request);
    channel.request = null;
  }
}

/** @param {any} port @param {any} message   message that the port receives */
function onDispatch(port, message) {
  try {
    const link = linkFor(port);
    if (link === null) return;
    onMessage(port, link, message);
    const ports = port[RECEIVED_PORTS];
    if (Array.isArray(ports)) onPortsReceived(ports, link);
  } catch (error) {
    keepError(error);
  }
}

/** @param {any} port @param {any} message   result of receiveMessageOnPort() for the port */
function onTaken(port, message) {
  guard(() => {
    const link = linkFor(port);
    if (link === null) return;
    onMessage(port, link, message);
    if (typeof message === 'object') onPortsReceived(findPorts(message, MAX_SEARCHED_OF_MESSAGE), link);
  });
}

function recordPorts() {
  replace(
    MessagePort.prototype,
    'postMessage',
    (postMessage) =>
      function (message, list) {
        const second = withArray(list);
        /** @type {RecordedLink | null} */
        let link = null;
        /** @type {any[]} */
        let transferred = [];
        let before;
        try {
          link = linkFor(this);
          if (second !== undefined) {
            transferred = transferListOf(second);
            if (link === null && message?.type === 'loadScript') {
              const { workerData } = message;
              const ports = isInert(workerData) ? findPorts(workerData, MAX_SEARCHED) : transferred;
              portsInWorkerData.set(this, ports);
            }
            if (link !== null && transferred.length > 0 && writer.stoppedBy === null)
              before = link.beforeTransfer(message);
          }
        } catch (error) {
          keepError(error);
        }
        // biome-ignore lint/complexity/noArguments: without an argument, Node.js throws.
        const all = arguments;
        if (all.length === 0) return apply(postMessage, this, all);
        const ms = now();
        const result =
          second === undefined ? postMessage.call(this, message) : postMessage.call(this, message, second);
        if (link === null) return result;
        const endMs = now();
        let request;
        if (transferred.length > 0) request = onPortsSent(transferred, link);
        noteSent(link, message, ms, endMs, null, before, request);
        return result;
      },
  );
  if (typeof (/** @type {any} */ (MessagePort.prototype)[HYBRID_DISPATCH]) === 'function')
    replace(
      MessagePort.prototype,
      HYBRID_DISPATCH,
      (dispatch) =>
        function (message, type, event) {
          if (type === 'message') onDispatch(this, message);
          return dispatch.call(this, message, type, event);
        },
    );
  replace(
    threads,
    'receiveMessageOnPort',
    (receive) =>
      function (port) {
        const received = receive.call(this, port);
        if (received !== undefined && port instanceof MessagePort) onTaken(port, received.message);
        return received;
      },
  );
  if (parentPort !== null) {
    parentLink = addLink('postMessage', 'v8', { parentThread: true });
    linkOfPort.set(parentPort, parentLink);
  }
  threads.MessageChannel = new Proxy(MessageChannel, {
    construct(target, args, newTarget) {
      const made = construct(target, args, newTarget);
      guard(() => onChannel(made));
      return made;
    },
  });
  globalThis.MessageChannel = /** @type {any} */ (threads.MessageChannel);
  syncBuiltinESMExports();
}

/** @param {import('node:worker_threads').MessageChannel} made */
function onChannel({ port1, port2 }) {
  const channel = { places: [null, null], links: [null, null], request: null };
  endOfPort.set(port1, { channel, end: 0 });
  endOfPort.set(port2, { channel, end: 1 });
}

/** @param {any} worker */
function onWorker(worker) {
  // Node.js runs module hooks in a thread that it starts itself.
  const isInternal = worker.constructor.name === 'InternalWorker';
  const { threadId: thread } = worker;
  writer.write({ thread: { thread, isInternal } });
  /** @type {object[]} */
  let ports = [];
  let publicPort;
  for (const symbol of Object.getOwnPropertySymbols(worker)) {
    const port = worker[symbol];
    if (!(port instanceof MessagePort)) continue;
    ports = portsInWorkerData.get(port) ?? ports;
    if (symbol.description === 'kPublicPort') publicPort = port;
  }
  if (isInternal || publicPort === undefined) return;
  const link = addLink('postMessage', 'v8', { thread });
  linkOfPort.set(publicPort, link);
  if (link !== null)
    for (const [nth, port] of ports.entries()) onPortSent(port, [link.number, numberInWorkerData(nth)]);
}

export function recordThreads() {
  recordPorts();
  diagnostics.subscribe('worker_threads', (message) =>
    guard(() => onWorker(/** @type {any} */ (message).worker)),
  );
  replace(
    Worker.prototype,
    'terminate',
    (terminate) =>
      function (...args) {
        const thread = this.threadId;
        guard(() => flushThreads(thread));
        const result = apply(terminate, this, args);
        guard(() => result.then(() => endThread(thread)).catch(keepError));
        return result;
      },
  );
}

// A thread shares the memory of its fact writer with the main thread, which writes the last facts if the thread cannot.

/** @type {Map<number, Shared>} by id of the thread */
const sharedBy = new Map();
/** @type {import('node:worker_threads').BroadcastChannel | null} */
let sharing = null;

export function shareMemory() {
  sharing = new BroadcastChannel(SHARE);
  sharing.unref();
  if (isMainThread) {
    sharing.onmessage = ({ data }) => guard(() => addShared(data));
    return;
  }
  sharing.postMessage({ thread: threadId, path: writer.path, memory: writer.memory });
  sharing.close();
  sharing = null;
}

/** @param {any} data */
function addShared({ thread, path, memory }) {
  for (const [id, shared] of sharedBy) if (hasEnded(shared)) sharedBy.delete(id);
  sharedBy.set(thread, { path, memory });
}

/** @param {number} [only]   id of a thread; without it, all threads are written */
export function flushThreads(only) {
  if (sharing === null) return;
  for (
    let found = receiveMessageOnPort(/** @type {any} */ (sharing));
    found !== undefined;
    found = receiveMessageOnPort(/** @type {any} */ (sharing))
  )
    addShared(found.message);
  for (const [thread, shared] of sharedBy)
    if (only === undefined || thread === only) writer.writeForThread(shared, false);
}

/** @param {number} thread */
function endThread(thread) {
  const shared = sharedBy.get(thread);
  if (shared === undefined) return;
  writer.writeForThread(shared, true);
  sharedBy.delete(thread);
}

/** Writes the last facts of all threads. */
export function endThreads() {
  flushThreads();
  for (const thread of [...sharedBy.keys()]) endThread(thread);
}
