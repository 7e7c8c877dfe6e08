// Hooks of threads: messages of workers and ports, and the memory in which each thread collects its facts, shared with the main thread,
// which writes what a thread no longer can.

import diagnostics from 'node:diagnostics_channel';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import { hasEnded } from './fact-writer.js';
import { addLink, guard, keepError, noteReceived, noteSent, now, replace, writer } from './recording.js';

/** @import { Shared } from './fact-writer.js' */
/** @import { LinkPeer, RecordedLink } from './recorded-link.js' */

// Captured now, since the program may replace these functions later.
const { MessagePort, BroadcastChannel, MessageChannel, Worker, isMainThread, parentPort, threadId } = threads;
const { receiveMessageOnPort } = threads;
const { apply, construct } = Reflect;

const MAX_SEARCHED = 1_000; // number of objects in workerData that are searched for ports
const HYBRID_DISPATCH = Symbol.for('nodejs.internal.kHybridDispatch');
const RECEIVED_PORTS = Symbol.for('nodejs.internal.kCurrentlyReceivingPorts');
const SHARE = 'ipc-bench record';

// A port has a link to the thread that has the other port of its channel. All ports between two threads share one link.

/**
 * A MessageChannel that this thread created; each list has an element per port.
 * @typedef {{ peers: (LinkPeer | null)[], links: (RecordedLink | null)[] }} RecordedChannel
 *   peers: where the port was sent, null if it is still here; links: link of a port, if it was used while both ports were here
 */

/** @type {WeakMap<object, RecordedLink | null>} null for ports that are not recorded, such as those of Node.js */
const linkOfPort = new WeakMap();
/** @type {WeakMap<object, { channel: RecordedChannel, end: number }>} ports that this thread created */
const endOfPort = new WeakMap();
/** @type {WeakMap<object, LinkPeer>} port that this thread received → the thread that sent it */
const senderOfPort = new WeakMap();
/** @type {WeakMap<object, object[]>} the port over which Node.js starts a thread → the ports in its workerData */
const portsInWorkerData = new WeakMap();
/** @type {Map<string, RecordedLink | null>} links of ports by the JSON of the peer; null if there were MAX_LINKS already */
const portLinks = new Map();
/** @type {Set<string>} */
const connected = new Set();
/** @type {LinkPeer} */
const PARENT = { parentThread: true };

/** @param {LinkPeer} peer @returns {RecordedLink | null} */
function linkOfPeer(peer) {
  const key = JSON.stringify(peer);
  const known = portLinks.get(key);
  if (known !== undefined) return known;
  const link = addLink('MessagePort', 'v8', peer);
  portLinks.set(key, link);
  return link;
}

/** @type {Set<unknown> | undefined} */
let portsOfWorkerData;

/** @param {unknown} port @returns {boolean} whether the port came with the workerData of this thread */
function isInWorkerData(port) {
  portsOfWorkerData ??= new Set(findPorts(threads.workerData));
  return portsOfWorkerData.has(port);
}

/** @param {unknown} value @returns {object[]} ports in the first MAX_SEARCHED objects of received data, which has no getters */
function findPorts(value) {
  const pending = [value];
  for (let at = 0; at < Math.min(pending.length, MAX_SEARCHED); at += 1) {
    const part = pending[at];
    if (typeof part !== 'object' || part === null || part instanceof MessagePort || ArrayBuffer.isView(part))
      continue;
    pending.push(...(part instanceof Map || part instanceof Set ? [...part].flat() : Object.values(part)));
  }
  return pending.filter((part) => part instanceof MessagePort);
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
    const sender = senderOfPort.get(port);
    if (sender !== undefined) return linkOfPeer(sender);
    // Other ports are those of Node.js, for example of module hooks or structuredClone().
    return isInWorkerData(port) ? linkOfPeer(PARENT) : null;
  }
  const { channel, end } = own;
  const peer = channel.peers[1 - end];
  if (peer !== null) return linkOfPeer(peer);
  // The other port is still in this thread.
  channel.links[end] = addLink('MessagePort', 'v8', { thisThread: true });
  return channel.links[end];
}

/** @param {any} second   second argument of postMessage() @returns {any[]} */
function transferListOf(second) {
  if (Array.isArray(second)) return second;
  return Array.isArray(second?.transfer) ? second.transfer : [];
}

/** @param {object[]} ports @param {LinkPeer} to */
function onTransferred(ports, to) {
  for (const port of ports) {
    const own = endOfPort.get(port);
    if (own === undefined) continue;
    const { channel, end } = own;
    channel.peers[end] = to;
    const other = channel.links[1 - end];
    if (other) writer.write({ transferred: { link: other.number, to } });
    const others = channel.peers[1 - end];
    if (others === null) continue;
    const between = JSON.stringify([to, others]);
    if (connected.has(between)) continue;
    connected.add(between);
    writer.write({ between: [to, others] });
  }
}

/** @param {any} port @param {any} message   message that the port receives */
function onDispatch(port, message) {
  try {
    const link = linkFor(port);
    if (link === null) return;
    noteReceived(link, message);
    const ports = port[RECEIVED_PORTS];
    if (Array.isArray(ports)) for (const received of ports) senderOfPort.set(received, link.facts.peer);
  } catch (error) {
    keepError(error);
  }
}

/** @param {any} port @param {any} message   result of receiveMessageOnPort() for the port */
function onTaken(port, message) {
  guard(() => {
    const link = linkFor(port);
    if (link === null) return;
    noteReceived(link, message);
    findReceivedPorts(message, link);
  });
}

/**
 * @param {any} message   result of receiveMessageOnPort(); only the message and its fields are searched for ports, to save time
 * @param {RecordedLink} link
 */
function findReceivedPorts(message, link) {
  if (message instanceof MessagePort) senderOfPort.set(message, link.facts.peer);
  else if (typeof message === 'object' && message !== null && !ArrayBuffer.isView(message))
    for (const name in message)
      if (message[name] instanceof MessagePort) senderOfPort.set(message[name], link.facts.peer);
}

function recordPorts() {
  replace(
    MessagePort.prototype,
    'postMessage',
    (postMessage) =>
      function (message, second) {
        /** @type {RecordedLink | null} */
        let link = null;
        /** @type {any[]} */
        let transferred = [];
        let before;
        try {
          link = linkFor(this);
          if (second !== undefined) {
            transferred = transferListOf(second);
            if (link === null && message?.type === 'loadScript') portsInWorkerData.set(this, transferred);
            else if (link !== null && transferred.length > 0 && writer.stoppedBy === null)
              before = link.beforeTransfer(message);
          }
        } catch (error) {
          keepError(error);
        }
        // biome-ignore lint/complexity/noArguments: without an argument, Node.js throws.
        const all = arguments;
        if (link === null || all.length === 0) return apply(postMessage, this, all);
        const ms = now();
        const result =
          second === undefined ? postMessage.call(this, message) : postMessage.call(this, message, second);
        noteSent(link, message, ms, now(), null, before);
        if (transferred.length > 0) {
          const { peer } = link.facts;
          guard(() => onTransferred(transferred, peer));
        }
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
  if (parentPort !== null) linkOfPort.set(parentPort, addLink('postMessage', 'v8', PARENT));
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
  const channel = { peers: [null, null], links: [null, null] };
  endOfPort.set(port1, { channel, end: 0 });
  endOfPort.set(port2, { channel, end: 1 });
}

/** @param {any} worker */
function onWorker(worker) {
  // Node.js runs module hooks in a thread that it starts itself.
  const isInternal = worker.constructor.name === 'InternalWorker';
  const { threadId: thread } = worker;
  writer.write({ thread: { thread, isInternal } });
  for (const symbol of Object.getOwnPropertySymbols(worker)) {
    const port = worker[symbol];
    if (!(port instanceof MessagePort)) continue;
    onTransferred(portsInWorkerData.get(port) ?? [], { thread });
    if (symbol.description === 'kPublicPort' && !isInternal)
      linkOfPort.set(port, addLink('postMessage', 'v8', { thread }));
  }
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
