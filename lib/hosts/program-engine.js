// Orders over the stdin and stdout of a program that starts an agent somewhere and carries its bytes, as ssh does: a line of JSON each.
// Both ends say once a second that they live. The agents end with their connection.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { stderrTail } from '../children/child-exit.js';
import { childEnvironment, withStreams } from '../children/launcher.js';
import { BenchError } from '../errors.js';
import { Heartbeat } from '../launch/control/tcp-control-channel.js';

/** @import { Engine, News, Obey, Order, OrderEnd } from '../types/index.js' */
/** @typedef {{ onNews: (news: News) => void, resolve: (end: OrderEnd) => void, reject: (error: Error) => void }} Pending */
/** @typedef {{ say: (message: ToAgent) => void, pending: Map<number, Pending>, gone: string | null, close: () => Promise<void> }} Line */

const CLOSE_DEADLINE_MS = 3_000;
const START_DEADLINE_MS = 15_000; // of ssh and of Node, on a crowded host

/** @implements {Engine} */
export class ProgramEngine {
  /** @param {(agent: string) => string[]} wordsFor   the command line that starts an agent with --stdio; throws where there is no such agent */
  constructor(wordsFor) {
    this.wordsFor = wordsFor;
    /** @type {Map<string, Line>} */
    this.lines = new Map();
    this.orders = 0;
  }

  /** @type {Engine['hand']} */
  hand(agent, launchId, order, onNews) {
    this.orders += 1;
    const id = this.orders;
    const line = this.lineTo(agent);
    /** @type {Promise<OrderEnd>} */
    const ended = new Promise((resolve, reject) => {
      if (line.gone !== null) reject(new BenchError('HOST', line.gone));
      else line.pending.set(id, { onNews, resolve, reject });
    });
    ended.catch(() => {}); // the caller that stopped it does not await it
    line.say({ order, id, launchId });
    return { ended, stop: () => void (line.pending.delete(id) && line.say({ stop: id })) };
  }

  /** @param {string} agent @returns that lives, or has just ended */
  lineTo(agent) {
    const known = this.lines.get(agent);
    if (known !== undefined && known.gone === null) return known;
    const line = openLine(agent, this.wordsFor(agent));
    this.lines.set(agent, line);
    return line;
  }

  async close() {
    await Promise.all([...this.lines.values()].map((line) => line.close()));
  }
}

/** @param {string} agent @param {string[]} words   of a program that starts it somewhere, and carries its stdin and stdout */
function openLine(agent, [command, ...args]) {
  const child = withStreams(
    spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: childEnvironment() }),
  );
  const stderr = stderrTail();
  stderr.take(child.stderr);
  /** @type {Map<number, Pending>} */
  const pending = new Map();
  /** @param {string} how */
  const end = (how) => {
    clearTimeout(startDeadline);
    heartbeat?.end();
    if (line.gone !== null) return;
    const why = stderr.lines().at(-1);
    line.gone = `host ${agent} ${how}${why === undefined ? '' : `: ${why}`}`;
    for (const { reject } of pending.values()) reject(new BenchError('HOST', line.gone));
    pending.clear();
    child.kill('SIGKILL');
  };
  const ended = new Promise((resolve) => {
    child.once('close', (code) => {
      const since = heartbeat === null ? '' : ' any more';
      end(`cannot be reached${since}: ${command} ended with ${code}`);
      resolve(undefined);
    });
    child.once('error', ({ message }) => {
      end(`cannot be reached: ${message}`);
      resolve(undefined);
    });
  });
  /** @type {Line} */
  const line = {
    pending,
    gone: null,
    say: (message) => void (child.stdin.writable && child.stdin.write(`${JSON.stringify(message)}\n`)),
    async close() {
      child.stdin.end();
      const deadline = setTimeout(() => child.kill('SIGKILL'), CLOSE_DEADLINE_MS);
      await ended;
      clearTimeout(deadline);
    },
  };
  /** @type {Heartbeat | null} null: its agent has not begun to speak, which is slower than all that follows */
  let heartbeat = null;
  const startDeadline = setTimeout(
    () => end(`has not answered within ${START_DEADLINE_MS} ms`),
    START_DEADLINE_MS,
  );
  child.stdin.on('error', () => {}); // its end explains that better
  // A long answer is heard before it is whole.
  child.stdout.on('data', () => heartbeat?.heard());
  createInterface({ input: child.stdout }).on('line', (text) => {
    clearTimeout(startDeadline);
    heartbeat ??= new Heartbeat(
      () => line.say({ beat: true }),
      () => end('has not been heard for 3 s: its agent hangs, or it is off the net'),
    );
    const { id, news, end: how } = parseMessage(text);
    if (news !== undefined) pending.get(id)?.onNews(news);
    if (how === undefined) return;
    pending.get(id)?.resolve(how);
    pending.delete(id);
  });
  return line;
}

// Orders over stdin and stdout, a line of JSON each: whatever starts a program on another host and carries its bytes can be an
// engine by it. Both ends say once a second that they live.

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
