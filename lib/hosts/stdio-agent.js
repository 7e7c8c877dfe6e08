// Orders over stdin and stdout, a line of JSON each: whatever starts a program on another host and carries its bytes can be an
// engine by it. Both ends say once a second that they live.

import { createInterface } from 'node:readline';
import { Heartbeat } from '../launch/control/heartbeat.js';

/** @import { News, Obey, Order, OrderEnd } from '../types/index.js' */
/**
 * @typedef {{ beat: true } | { order: Order, id: number, launchId: string } | { stop: number }} ToAgent
 * @typedef {{ beat: true } | { id: number, news: News } | { id: number, end: OrderEnd }} FromAgent
 */

/**
 * @param {Obey} obey
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream }} streams
 * @returns {Promise<void>} when the run has hung up, or has not been heard for 3 s: all work has been stopped then
 */
export function serveStdio(obey, { input, output }) {
  /** @type {Map<number, AbortController>} */
  const working = new Map();
  /** @type {Promise<unknown>} one order after the other */
  let last = Promise.resolve();
  /** @param {FromAgent} message */
  const say = (message) => output.write(`${JSON.stringify(message)}\n`);
  return new Promise((resolve) => {
    const end = async () => {
      heartbeat.end();
      for (const controller of working.values()) controller.abort(new Error('the run is gone'));
      await last;
      resolve();
    };
    const heartbeat = new Heartbeat(() => say({ beat: true }), end);
    say({ beat: true });
    const lines = createInterface({ input });
    lines.on('close', end);
    output.on('error', end);
    // A long order is heard before it is whole.
    input.on('data', () => heartbeat.heard());
    lines.on('line', (line) => {
      const message = parseMessage(line);
      if ('stop' in message) working.get(message.stop)?.abort(new Error('the run has gone on without it'));
      if (!('order' in message)) return;
      const { id, launchId, order } = message;
      const controller = new AbortController();
      working.set(id, controller);
      last = last.then(async () => {
        const { signal } = controller;
        const done = await obey(order, { launchId, signal, tell: (news) => say({ id, news }) });
        working.delete(id);
        say({ id, end: done });
      });
    });
  });
}

/** @param {string} line @returns {any} nothing known where it is no message: what a shell prints at a login, for one */
export function parseMessage(line) {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
