// A peer: a process that reads control messages from its stdin and responds on its stdout (docs/extending.md). It ends when its stdin
// closes, and with its parent. It may be a script that has started other processes, which end with it if it leads a process group.

import { spawn } from 'node:child_process';
import { BenchError } from '../errors.js';
import { printable, quoted } from '../format/printable.js';
import { waitForExit } from './child-exit.js';
import { childEnvironment, pinnedCommand, placeStarted, withStreams } from './launcher.js';
import { guardGroup, IN_OWN_GROUP, killGroup } from './process-group.js';
import { withDeadline } from './with-deadline.js';

/** @import { PeerHello, PeerProgram, PeerMessage } from '../types/index.js' */

// Limit of a line in characters. The longest report, of a master with 64 workers and all their timestamp samples, has about 50 million; the
// rest is reserve.
const MAX_LINE = 134_217_728;
const RESPONSE_DEADLINE_MS = 5_000;

export class PeerProcess {
  /**
   * @param {PeerProgram} program
   * @param {object} [how]
   * @param {number[] | null} [how.cpus]
   * @param {readonly any[]} [how.streams]   become descriptors from 3 on, and are closed in this process
   * @param {'inherit' | 'ignore'} [how.stderr]
   * @param {boolean} [how.inOwnGroup]   starts the peer in a separate process group
   */
  constructor(
    { name, command, args },
    { cpus = null, streams = [], stderr = 'inherit', inOwnGroup = false } = {},
  ) {
    const words = pinnedCommand(command, args, { cpus, dieWithParent: true });
    const child = withStreams(
      spawn(words.command, words.args, {
        stdio: ['pipe', 'pipe', stderr, ...streams],
        env: childEnvironment(),
        ...(inOwnGroup && IN_OWN_GROUP),
      }),
    );
    placeStarted(child.pid, cpus);
    this.endGroup = inOwnGroup ? guardGroup(child) : null;
    for (const stream of streams) stream.destroy();
    this.child = child;
    this.pid = child.pid ?? 0;
    this.name = `the peer ${printable(name)} (pid ${child.pid ?? 'none'})`;
    this.isDismissed = false;
    /** @type {Map<string, (word: any) => void>} resolve functions by the kind of the awaited message */
    this.awaited = new Map();
    /** @type {(error: Error) => void} */
    this.fail = () => {};
    /** Rejects if the peer reports a failure, violates the protocol or dies. @type {Promise<never>} */
    this.trouble = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.trouble.catch(() => {}); // a failure between two waits is raised at the next one
    this.ended = waitForExit(child).then((how) => {
      if (!this.isDismissed) this.fail(new BenchError('PROCESS_DIED', `${this.name} ${how}`));
    });
    /** @type {Promise<PeerHello>} */
    this.hello = this.receive('hello');
    this.hello.catch(() => {}); // raised by readHello()
    child.stdin?.on('error', () => {}); // EPIPE after the exit of the peer
    const read = lineReader(
      (line) => this.onLine(line),
      MAX_LINE,
      () => this.reject('it sent a line that exceeds the size limit'),
    );
    child.stdout?.setEncoding('utf8').on('data', read);
  }

  /** @param {string} line */
  onLine(line) {
    /** @type {PeerMessage} */
    let word;
    try {
      word = peerWord(line);
    } catch (error) {
      return this.reject(/** @type {Error} */ (error).message);
    }
    if (word.control === 'failed') {
      return this.fail(new BenchError('TRANSPORT', `${this.name}: ${printable(word.message)}`));
    }
    const resolve = this.awaited.get(word.control);
    if (resolve === undefined) return this.reject(`it sent ${word.control} without a request`);
    this.awaited.delete(word.control);
    resolve(word);
  }

  /** @param {string} why */
  reject(why) {
    this.fail(new BenchError('PROTOCOL', `${this.name}: ${why}`));
  }

  /** @param {string} control @returns {Promise<any>} the next message of that kind */
  receive(control) {
    const received = new Promise((resolve) => {
      this.awaited.set(control, resolve);
    });
    return Promise.race([received, this.trouble]);
  }

  /** @param {number} [deadlineMs] @returns {Promise<PeerHello>} */
  async readHello(deadlineMs = RESPONSE_DEADLINE_MS) {
    const hello = await this.inTime(this.hello, 'say hello', deadlineMs);
    const why = peerProtocolProblem(hello);
    if (why !== null) throw new BenchError('PROTOCOL', `${this.name}: ${why}`);
    return hello;
  }

  /** @param {Record<string, unknown> & { control: string }} word */
  send(word) {
    if (this.child.stdin?.writable) this.child.stdin.write(`${JSON.stringify(word)}\n`);
  }

  /**
   * @param {Record<string, unknown> & { control: string }} word
   * @param {string} [response]   kind of the response
   * @param {number} [deadlineMs]
   * @returns {Promise<any>}
   */
  request(word, response = word.control, deadlineMs = RESPONSE_DEADLINE_MS) {
    const received = this.receive(response);
    this.send(word);
    return this.inTime(received, `respond to ${word.control}`, deadlineMs);
  }

  /**
   * @template T
   * @param {Promise<T>} awaited
   * @param {string} what   continues 'did not' in the error message
   * @param {number} deadlineMs
   * @returns {Promise<T>}
   */
  inTime(awaited, what, deadlineMs) {
    return withDeadline(awaited, deadlineMs, () => {
      throw new BenchError('DEADLINE', `${this.name} did not ${what} within ${Math.round(deadlineMs)} ms`);
    });
  }

  /**
   * Closes stdin, after which the peer has to end.
   * @param {number} [deadlineMs]
   * @throws {BenchError} DEADLINE if the peer had to be killed; PROCESS_DIED if its exit code is not 0
   */
  async dismiss(deadlineMs = RESPONSE_DEADLINE_MS) {
    this.isDismissed = true;
    this.child.stdin?.end();
    await this.inTime(this.ended, 'end after its stdin closed', deadlineMs).catch((error) => {
      this.kill();
      throw error;
    });
    this.release();
    if (this.child.exitCode === 0) return;
    const how = this.child.signalCode ?? `exit code ${this.child.exitCode}`;
    throw new BenchError(
      'PROCESS_DIED',
      `${this.name} ended with ${how} after its stdin closed, instead of exit code 0`,
    );
  }

  kill() {
    this.isDismissed = true;
    if (this.endGroup === null) this.child.kill('SIGKILL');
    else killGroup(this.child);
    this.release();
  }

  /**
   * Ends what remains of the process group, if the peer leads one, and closes the pipes, because child processes of the peer may hold them
   * open and keep this process alive.
   */
  release() {
    this.endGroup?.();
    this.child.stdin?.destroy();
    this.child.stdout?.destroy();
  }
}

/**
 * @param {PeerProgram} program
 * @returns {Promise<PeerHello>} self-description of the peer, which has ended by then
 * @throws {BenchError} if the program is not a peer
 */
export async function readHello(program) {
  const peer = new PeerProcess(program, { stderr: 'ignore', inOwnGroup: true });
  try {
    const hello = await peer.readHello();
    await peer.dismiss();
    return hello;
  } catch (error) {
    peer.kill();
    throw error;
  }
}

// The messages of a peer, one JSON object per line. They are validated, since the peer may be a program of the user.

const PEER_PROTOCOL = 1;

/** @param {unknown} value */
const isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @param {unknown} value */
const isNames = (value) => Array.isArray(value) && value.every((name) => typeof name === 'string');
/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @param {unknown} value */
const isText = (value) => typeof value === 'string' && value !== '' && value.length <= 200;

/** @param {any} word */
const hasCounts = (word) => [word.operations, word.undecodable, word.rejectedConnections].every(isCount);
/** @param {any} sample   id and timestamp */
const isSample = (sample) =>
  Array.isArray(sample) && sample.length === 2 && isCount(sample[0]) && Number.isFinite(sample[1]);
/** @param {any} stream */
const isStream = (stream) =>
  isObject(stream) &&
  [stream.taken, stream.wrong, stream.outOfOrder].every(isCount) &&
  (stream.sightings === undefined || (Array.isArray(stream.sightings) && stream.sightings.every(isSample)));

/** Whether a message has its required fields, by kind. @type {Record<string, (word: any) => boolean>} */
const SHAPES = {
  hello: ({ protocol, runtime, version, transports, codecs, scenarios, settings = {} }) =>
    isCount(protocol) &&
    [runtime, version].every(isText) &&
    [transports, codecs, scenarios].every(isNames) &&
    isObject(settings) &&
    Object.values(settings).every(isNames),
  listening: ({ port = 0, nowMs }) => isCount(port) && port < 65_536 && Number.isFinite(nowMs),
  count: hasCounts,
  report: (word) =>
    hasCounts(word) &&
    (word.atOpen === undefined || isCount(word.atOpen)) &&
    (word.bins === undefined || (Array.isArray(word.bins) && word.bins.every(isCount))) &&
    (word.streams === undefined || (isObject(word.streams) && Object.values(word.streams).every(isStream))),
  failed: ({ message }) => typeof message === 'string',
};

/** @param {string} line @throws {BenchError} PROTOCOL, quoting the line */
export function peerWord(line) {
  /** @param {string} why */
  const refused = (why) =>
    new BenchError('PROTOCOL', `${why}: ${quoted(printable(line))}; see the protocol in docs/extending.md`);
  let word;
  try {
    word = JSON.parse(line);
  } catch {
    throw refused('it wrote a line to stdout that is not JSON');
  }
  if (!isObject(word) || !Object.hasOwn(SHAPES, word.control)) throw refused('it sent an unknown message');
  if (!SHAPES[word.control](word)) throw refused(`its message ${word.control} lacks required fields`);
  return /** @type {PeerMessage} */ (word);
}

/** @param {PeerHello} hello */
export function peerProtocolProblem({ protocol }) {
  if (protocol === PEER_PROTOCOL) return null;
  return `it uses version ${protocol} of the peer protocol, but this ipc-bench needs version ${PEER_PROTOCOL}`;
}

// Splits a stream of text into lines. Searches each piece once, so the time is linear in the length of a line.

/**
 * @param {(line: string) => void} onLine
 * @param {number} longest          limit in characters for a line whose end has not arrived
 * @param {() => void} onTooLong    called when such a line exceeds the limit; its text so far is dropped
 * @returns {(piece: string) => void}
 */
export function lineReader(onLine, longest, onTooLong) {
  /** @type {string[]} */
  let held = [];
  let characters = 0;
  return (piece) => {
    let start = 0;
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', start)) {
      held.push(piece.slice(start, end));
      const line = held.join('');
      held = [];
      characters = 0;
      start = end + 1;
      onLine(line);
    }
    if (start === piece.length) return;
    held.push(piece.slice(start));
    characters += piece.length - start;
    if (characters <= longest) return;
    held = [];
    characters = 0;
    onTooLong();
  };
}
