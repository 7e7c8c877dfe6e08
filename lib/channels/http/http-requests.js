// A worker's end of HTTP: each request is a POST over connections that are kept alive, by the agent of Node or by undici.

import { connectOptions, hostAndPort } from '../addresses.js';
import { connectRequester, encodeCredentials } from '../request-reply.js';
import { contentTypeFor } from './http-responses.js';
import { readBody } from './request-server.js';

/** @import { RequestChannel, RequestSender } from '../request-reply.js' */
/** @import { GuestContext } from '../../types/index.js' */
/** @typedef {ReturnType<typeof connectOptions>} Target */
/** @typedef {{ protocol: 'http:' | 'https:', target: Target, certificate?: string }} RequestTarget */

/** @param {GuestContext} guest @param {'http:' | 'https:'} protocol */
export function requestOverHttp(guest, protocol) {
  /** @type {import('./http-responses.js').HttpAddress} */
  const { presence, at, certificate } = JSON.parse(guest.address);
  const server = { protocol, target: connectOptions(at), certificate };
  const openRequestSender = guest.settings.client === 'undici' ? requestByUndici : requestByAgent;
  return connectRequester(guest, presence, (channel) => openRequestSender(guest, channel, server));
}

/** @param {GuestContext} guest */
function makeHeaders(guest) {
  return { authorization: encodeCredentials(guest), 'content-type': contentTypeFor(guest.wireKind) };
}

/**
 * @param {GuestContext} guest
 * @param {RequestChannel} channel
 * @param {RequestTarget} server
 * @returns {Promise<RequestSender>}
 */
async function requestByAgent(guest, channel, { protocol, target, certificate }) {
  const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  const connections = Number(guest.settings.connections);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = {
    ...('path' in target ? { socketPath: target.path } : target),
    agent,
    method: 'POST',
    headers: makeHeaders(guest),
    ca: certificate,
    ...('path' in target && { servername: 'localhost' }),
  };
  /** @param {Error} error */
  const failed = (error) => channel.fail(error);
  return {
    send(wire) {
      const call = request(options, (response) => {
        readBody(response, guest.maxMessageBytes, {
          onWhole(bytes) {
            if (response.statusCode === 200) channel.deliver(bytes, wire);
            else failed(new Error(`status ${response.statusCode}`));
          },
          onTooMuch: (bytes) => channel.breakOff(channel.sizeError(bytes, ' or more')),
        });
        response.on('error', failed);
      });
      call.on('error', failed);
      call.end(wire);
    },
    release: () => agent.destroy(),
  };
}

/**
 * @param {GuestContext} guest
 * @param {RequestChannel} channel
 * @param {RequestTarget} server
 * @returns {Promise<RequestSender>}
 */
async function requestByUndici(guest, channel, { protocol, target, certificate }) {
  const { Pool } = await import('undici');
  const origin = 'path' in target ? 'localhost' : hostAndPort(target.host, target.port);
  const pipelining = Number(guest.settings.pipelining);
  const pool = new Pool(`${protocol}//${origin}`, {
    connections: Number(guest.settings.connections),
    pipelining,
    maxResponseSize: guest.maxMessageBytes,
    connect: {
      ...('path' in target && { socketPath: target.path, servername: 'localhost' }),
      ca: certificate,
    },
  });
  // undici pipelines only requests that are marked as idempotent. If one of them fails, undici repeats those that it sent afterwards, which
  // does no harm here, since a failed request ends the channel.
  const options = {
    method: 'POST',
    path: '/',
    headers: makeHeaders(guest),
    idempotent: pipelining > 1,
  };
  /** @param {Error} error */
  const failed = (error) => channel.fail(error);
  /** @param {string | Uint8Array} wire */
  const send = async (wire) => {
    let bytes;
    try {
      const { statusCode, body } = await pool.request({ ...options, body: wire });
      bytes = Buffer.from(await body.arrayBuffer());
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    } catch (error) {
      return failed(/** @type {Error} */ (error));
    }
    channel.deliver(bytes, wire);
  };
  return { send: (wire) => void send(wire), release: () => pool.destroy() };
}
