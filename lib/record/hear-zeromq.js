// Hears what ZeroMQ sends within this host. Its sockets are those of a native addon: the class that it exports is extended as it
// is loaded. What a socket receives is not heard, since a promise cannot be looked at without being seen.

import { US_PER_MS } from '../format/units.js';
import { isJsonStart } from './framings.js';
import { MOST_SOCKETS } from './hear-sockets.js';
import { now, replace } from './recorder.js';

/** @import { HeardLink, SocketPeer } from './heard-link.js' */
/** @import { SocketEar } from './hear-sockets.js' */
/** @import { Recorder } from './recorder.js' */

const { apply } = Reflect;

/** @param {string} endpoint @returns {boolean} of other processes of this host */
function isLocal(endpoint) {
  return /^(?:ipc:\/\/|tcp:\/\/(?:127\.|localhost:|\[::1\]|\*:|0\.0\.0\.0:))/.test(endpoint);
}

/** @param {any} part */
function sizeOf(part) {
  if (typeof part === 'string') return Buffer.byteLength(part);
  return ArrayBuffer.isView(part) || part instanceof ArrayBuffer ? part.byteLength : 0;
}

/** @param {Recorder} recorder @param {SocketEar} ear */
export function hearZeromq(recorder, ear) {
  /** @type {WeakMap<object, { link: HeardLink | null, endpoint: string, isServer: boolean, peer: SocketPeer | null }>} */
  const known = new WeakMap();

  const open = (
    /** @type {any} */ socket,
    /** @type {unknown} */ endpoint,
    /** @type {boolean} */ isServer,
  ) => {
    if (typeof endpoint === 'string' && !known.has(socket) && isLocal(endpoint))
      known.set(socket, { link: null, endpoint, isServer, peer: null });
    if (!isServer) noted(socket);
  };
  const noted = (/** @type {any} */ socket) => {
    const found = known.get(socket);
    if (found === undefined || found.peer !== null) return found;
    // The port may have been chosen by the system.
    const endpoint = String((found.isServer ? socket.lastEndpoint : null) ?? found.endpoint);
    const zeromq = endpoint.replace(/\/\/(?:0\.0\.0\.0|localhost|\*):/, '//127.0.0.1:');
    found.peer = { zeromq, isServer: found.isServer };
    if (ear.list.length < MOST_SOCKETS) ear.list.push({ ...found.peer, openedMs: now() });
    return found;
  };
  const linkOf = (/** @type {any} */ socket) => {
    const found = noted(socket);
    if (found === undefined || found.peer === null) return null;
    found.link ??= ear.acquire(found.peer, 'ZeroMQ', false);
    return found.link;
  };
  /** @param {HeardLink} link @param {any} message @param {number} ms */
  const heard = (link, message, ms) => {
    const parts = Array.isArray(message) ? message : [message];
    const last = parts.at(-1);
    const first =
      typeof last === 'string'
        ? last.charCodeAt(0)
        : ArrayBuffer.isView(last)
          ? /** @type {any} */ (last)[0]
          : 0;
    const isJson = isJsonStart(first);
    const bytes = parts.reduce((sum, part) => sum + sizeOf(part), 0);
    const readBody = () => (typeof last === 'string' ? last : Buffer.from(last));
    link.heard(
      bytes,
      isJson ? 'value' : typeof last === 'string' ? 'text' : 'bytes',
      isJson || typeof last === 'string' ? readBody : null,
      ms,
    );
  };

  /** @param {any} Native */
  const extended = (Native) => {
    const Heard = class extends Native {};
    Object.defineProperty(Heard, 'name', { value: Native.name, configurable: true });
    for (const [name, isServer] of /** @type {const} */ ([
      ['bind', true],
      ['bindSync', true],
      ['connect', false],
    ]))
      if (typeof Native.prototype[name] === 'function')
        replace(
          Heard.prototype,
          name,
          (original) =>
            function (...args) {
              recorder.guard(() => open(this, args[0], isServer));
              return apply(original, this, args);
            },
        );
    replace(
      Heard.prototype,
      'send',
      (send) =>
        function (...args) {
          /** @type {HeardLink | null} */
          let link = null;
          recorder.guard(() => {
            link = linkOf(this);
          });
          const heardLink = /** @type {HeardLink | null} */ (link);
          if (heardLink === null) return apply(send, this, args);
          const ms = now();
          // It takes the buffers: they are looked at before.
          recorder.guard(() => heard(heardLink, args[0], ms));
          const beganMs = now();
          const result = apply(send, this, args);
          heardLink.sendUs.record((now() - beganMs) * US_PER_MS);
          return result;
        },
    );
    // An end that only receives is found by the other ones.
    replace(
      Heard.prototype,
      'receive',
      (receive) =>
        function (...args) {
          recorder.guard(() => noted(this));
          return apply(receive, this, args);
        },
    );
    return Heard;
  };

  replace(
    process,
    'dlopen',
    (dlopen) =>
      function (...args) {
        const result = apply(dlopen, this, args);
        recorder.guard(() => {
          const exports = args[0]?.exports;
          if (typeof exports?.Socket !== 'function' || typeof exports.Context !== 'function') return;
          if (typeof exports.curveKeyPair === 'function') exports.Socket = extended(exports.Socket);
        });
        return result;
      },
  );
}
