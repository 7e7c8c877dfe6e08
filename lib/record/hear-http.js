// Hears HTTP within this host: of node:http and of undici, which is fetch(), by the channels that both have for it. Bodies are
// counted where they enter or leave a message. What their sockets carry is not counted once more.

import diagnostics from 'node:diagnostics_channel';
import http from 'node:http';
import { US_PER_MS } from '../format/units.js';
import { findJson } from './framings.js';
import { endpointOf } from './hear-sockets.js';
import { now, replace } from './recorder.js';

/** @import { HeardLink } from './heard-link.js' */
/** @import { Connection, SocketEar } from './hear-sockets.js' */
/** @import { Recorder } from './recorder.js' */

const MOST_BODY = 2 ** 20; // in one part
const MOST_PARTS = 2 ** 14; // many of them may be under way
const { apply } = Reflect;

/** The body of a message, as it comes in or goes out. */
class Body {
  /** @param {() => void} [onEnd] */
  constructor(onEnd) {
    this.size = 0;
    /** @type {(string | Uint8Array)[] | null} null: it is too large to be looked at */
    this.parts = [];
    this.onEnd = onEnd;
  }

  /** @param {unknown} chunk @param {unknown} encoding */
  add(chunk, encoding) {
    if (typeof chunk === 'string')
      this.size += Buffer.byteLength(
        chunk,
        typeof encoding === 'string' ? /** @type {BufferEncoding} */ (encoding) : 'utf8',
      );
    else if (chunk instanceof Uint8Array) this.size += chunk.length;
    else return;
    if (this.size > (this.parts?.length === 0 ? MOST_BODY : MOST_PARTS)) this.parts = null;
    this.parts?.push(chunk);
  }

  /** @param {HeardLink | null} link @param {number} ms @param {number} [size] */
  heard(link, ms, size = this.size) {
    const { parts } = this;
    const [first] = parts ?? [];
    const jsonAt =
      size === this.size && first !== undefined
        ? findJson(first.length, (place) =>
            typeof first === 'string' ? first.charCodeAt(place) : first[place],
          )
        : -1;
    const isJson = jsonAt !== -1;
    const readBody = () =>
      Buffer.concat(
        (parts ?? []).map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
      ).subarray(jsonAt);
    link?.heard(size, isJson ? 'value' : 'bytes', isJson ? readBody : null, ms);
  }
}

/**
 * A request of a client, and its response.
 * @typedef {object} Exchange
 * @property {string} endpoint
 * @property {number} startMs
 * @property {Body} body
 * @property {number} inFlight
 * @property {Connection | null} connection   of undici, and what follows
 * @property {number} readAt                  bytes that it had read before
 * @property {number | null} size             of the response; null: it does not tell
 * @property {number} headBytes
 */

/** @param {Recorder} recorder @param {SocketEar} ear */
export function hearHttp(recorder, ear) {
  // What is over is removed: weak maps that grow make the collection of garbage expensive.
  /** @type {WeakMap<object, Body>} by message */
  const bodies = new WeakMap();
  /** @type {WeakMap<object, Exchange>} by request */
  const exchanges = new WeakMap();
  /** @type {Map<string, number>} requests in flight, by endpoint */
  const open = new Map();
  /** @type {Map<string, { out: HeardLink | null, in: HeardLink | null }>} of clients, by endpoint */
  const clientLinks = new Map();

  const on = (/** @type {string} */ channel, /** @type {(message: any) => void} */ listener) =>
    diagnostics.subscribe(channel, (message) => recorder.guard(() => listener(message)));

  const begin = (/** @type {object} */ request, /** @type {string} */ endpoint, /** @type {Body} */ body) => {
    /** @type {Exchange} */
    const exchange = {
      endpoint,
      startMs: now(),
      body,
      inFlight: (open.get(endpoint) ?? 0) + 1,
      connection: null,
      readAt: 0,
      size: null,
      headBytes: 0,
    };
    open.set(endpoint, exchange.inFlight);
    exchanges.set(request, exchange);
    return exchange;
  };
  const end = (/** @type {object} */ request) => {
    const exchange = exchanges.get(request);
    if (exchange === undefined) return undefined;
    exchanges.delete(request);
    const left = (open.get(exchange.endpoint) ?? 1) - 1;
    if (left > 0) open.set(exchange.endpoint, left);
    else open.delete(exchange.endpoint);
    return exchange;
  };
  const linksTo = (/** @type {Connection} */ connection) => {
    if (connection.clientHttp !== null) return connection.clientHttp;
    const key = `${connection.mechanism} ${endpointOf(connection.peer)}`;
    const links = clientLinks.get(key) ?? connection.httpLinks();
    clientLinks.set(key, links);
    connection.http = null; // they are not for the next connection alone
    connection.clientHttp = links;
    return links;
  };
  const heardRequest = (
    /** @type {Exchange} */ exchange,
    /** @type {Connection} */ connection,
    size = exchange.body.size,
  ) => {
    const { out } = linksTo(connection);
    exchange.body.heard(out, exchange.startMs, size);
    out?.sendUs.record(connection.takeHttpUs());
    out?.pairs.asked(exchange.inFlight);
  };

  for (const name of ['write', 'end'])
    replace(
      http.OutgoingMessage.prototype,
      name,
      (original) =>
        function (...args) {
          try {
            let body = bodies.get(this);
            if (body === undefined) {
              body = new Body();
              bodies.set(this, body);
            }
            body.add(args[0], args[1]);
          } catch (error) {
            recorder.keepError(error);
          }
          return apply(original, this, args);
        },
    );
  const { push } = http.IncomingMessage.prototype;
  replace(
    http.IncomingMessage.prototype,
    'push',
    () =>
      function (...args) {
        const body = bodies.get(this);
        if (body !== undefined) {
          try {
            if (args[0] !== null) body.add(args[0], args[1]);
            else {
              bodies.delete(this);
              body.onEnd?.();
            }
          } catch (error) {
            recorder.keepError(error);
          }
        }
        return apply(push, this, args);
      },
  );

  const bodyOf = (/** @type {any} */ message) => {
    const body = message._hasBody === false ? undefined : bodies.get(message);
    bodies.delete(message);
    return body ?? new Body();
  };
  const sizeIn = (/** @type {any} */ message, /** @type {Body} */ body) =>
    message._dumped ? Number(message.headers['content-length'] ?? body.size) : body.size;

  on('http.server.request.start', ({ request, socket }) => {
    const connection = ear.find(socket);
    if (connection === null) return;
    connection.becomeHttp();
    const { in: incoming } = connection.httpLinks();
    const ms = now();
    const body = new Body(() => body.heard(incoming, ms, sizeIn(request, body)));
    bodies.set(request, body);
  });
  on('http.server.response.finish', ({ response, socket }) => {
    const connection = ear.find(socket);
    if (connection === null || !connection.isHttp) return;
    const { out } = connection.httpLinks();
    bodyOf(response).heard(out, now());
    out?.sendUs.record(connection.takeHttpUs());
  });

  on('http.client.request.start', ({ request }) => {
    if (request.getHeader('upgrade') !== undefined) return;
    begin(request, request.socketPath ?? `${request.protocol}${request.getHeader('host')}`, bodyOf(request));
  });
  on('http.client.request.error', ({ request }) => end(request));
  on('http.client.response.finish', ({ request, response }) => {
    const exchange = end(request);
    const connection = exchange === undefined ? null : ear.find(request.socket);
    if (exchange === undefined || connection === null) return;
    connection.becomeHttp();
    heardRequest(exchange, connection);
    const { out, in: incoming } = linksTo(connection);
    const body = new Body(() => {
      const ms = now();
      body.heard(incoming, ms, sizeIn(response, body));
      out?.pairs.answered((ms - exchange.startMs) * US_PER_MS);
    });
    bodies.set(response, body);
  });

  on('undici:client:sendHeaders', ({ request, socket }) => {
    const connection = request.upgrade ? null : ear.find(socket);
    if (connection === null) return;
    connection.becomeHttp();
    const body = new Body();
    body.add(request.body, 'utf8');
    const exchange = begin(request, endpointOf(connection.peer), body);
    exchange.connection = connection;
    exchange.readAt = connection.readBytes;
  });
  on('undici:request:headers', ({ request, response }) => {
    const exchange = exchanges.get(request);
    if (exchange === undefined) return;
    exchange.headBytes = 'HTTP/1.1 \r\n\r\n'.length + 4 + String(response.statusText ?? '').length;
    exchange.size =
      request.method === 'HEAD' || response.statusCode === 204 || response.statusCode === 304 ? 0 : null;
    for (let place = 0; place + 1 < response.headers.length; place += 2) {
      const [name, value] = [String(response.headers[place]), response.headers[place + 1]];
      exchange.headBytes += name.length + value.length + ': \r\n'.length;
      if (name.toLowerCase() === 'content-length') exchange.size ??= Number(value);
    }
  });
  on('undici:request:trailers', ({ request }) => {
    const exchange = end(request);
    if (exchange === undefined || exchange.connection === null) return;
    const { connection } = exchange;
    const ms = now();
    heardRequest(exchange, connection, request.contentLength ?? exchange.body.size);
    const { out, in: incoming } = linksTo(connection);
    const read = connection.readBytes - exchange.readAt - exchange.headBytes;
    incoming?.heard(exchange.size ?? Math.max(0, read), 'bytes', null, ms);
    out?.pairs.answered((ms - exchange.startMs) * US_PER_MS);
  });
  on('undici:request:error', ({ request }) => end(request));
}
