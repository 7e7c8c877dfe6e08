// A peer as its controller has it: a process that is told words on its stdin and answers each of them on its stdout. It ends when
// its stdin does, and with the process that started it. It may be a script that has started others: they end with it.

import { spawn } from 'node:child_process';
import { BenchError } from '../errors.js';
import { printable, quoted } from '../format/printable.js';
import { waitForExit } from './child-exit.js';
import { childEnvironment, pinnedCommand, placeStarted, withStreams } from './launcher.js';
import { guardGroup, IN_OWN_GROUP, killGroup } from './process-group.js';
import { withDeadline } from './with-deadline.js';

/** @import { PeerHello, PeerProgram, PeerWord } from '../types/index.js' */

// A report of 64 workers with all their sightings has some 50 MB.
const LONGEST_LINE = 134_217_728;
const WORD_DEADLINE_MS = 5_000; // between two messages that it handles it has time for a word

export class PeerProcess {
  /**
   * @param {PeerProgram} program
   * @param {object} [how]
   * @param {number[] | null} [how.cpus]       null: free
   * @param {readonly any[]} [how.streams]      that it has as descriptors from 3 on; ours are closed
   * @param {'inherit' | 'ignore'} [how.stderr]
   * @param {boolean} [how.inOwnGroup]          absent: in that of this process, which its own parent ends
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
    /** @type {Map<string, (word: any) => void>} by the word that is awaited */
    this.awaited = new Map();
    /** @type {(error: Error) => void} */
    this.fail = () => {};
    /** Rejects as soon as it says what it should not, or dies. @type {Promise<never>} */
    this.trouble = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.trouble.catch(() => {}); // it may come when nobody waits, and is raised at the next wait
    /** Resolves when it has ended, in whichever way. */
    this.ended = waitForExit(child).then((how) => {
      if (!this.isDismissed) this.fail(new BenchError('PROCESS_DIED', `${this.name} ${how}`));
    });
    /** @type {Promise<PeerHello>} */
    this.hello = this.hears('hello');
    this.hello.catch(() => {}); // likewise
    child.stdin?.on('error', () => {}); // EPIPE: its exit tells
    const read = lineReader(
      (line) => this.hear(line),
      LONGEST_LINE,
      () => this.blame('it sent a line that exceeds the size limit'),
    );
    child.stdout?.setEncoding('utf8').on('data', read);
  }

  /** @param {string} line */
  hear(line) {
    /** @type {PeerWord} */
    let word;
    try {
      word = peerWord(line);
    } catch (error) {
      return this.blame(/** @type {Error} */ (error).message);
    }
    if (word.control === 'failed') {
      return this.fail(new BenchError('TRANSPORT', `${this.name}: ${printable(word.message)}`));
    }
    const answered = this.awaited.get(word.control);
    if (answered === undefined) return this.blame(`it sent ${word.control} without a request`);
    this.awaited.delete(word.control);
    answered(word);
  }

  /** @param {string} why */
  blame(why) {
    this.fail(new BenchError('PROTOCOL', `${this.name}: ${why}`));
  }

  /** @param {string} control @returns {Promise<any>} the next word of that kind */
  hears(control) {
    const heard = new Promise((resolve) => {
      this.awaited.set(control, resolve);
    });
    return Promise.race([heard, this.trouble]);
  }

  /** @param {number} [deadlineMs] @returns {Promise<PeerHello>} */
  async greeted(deadlineMs = WORD_DEADLINE_MS) {
    const hello = await this.inTime(this.hello, 'say hello', deadlineMs);
    const why = peerProtocolProblem(hello);
    if (why !== null) throw new BenchError('PROTOCOL', `${this.name}: ${why}`);
    return hello;
  }

  /** @param {Record<string, unknown> & { control: string }} word */
  tell(word) {
    if (this.child.stdin?.writable) this.child.stdin.write(`${JSON.stringify(word)}\n`);
  }

  /**
   * @param {Record<string, unknown> & { control: string }} word
   * @param {string} [answer]        the word that answers it; absent: the same
   * @param {number} [deadlineMs]
   * @returns {Promise<any>}
   */
  ask(word, answer = word.control, deadlineMs = WORD_DEADLINE_MS) {
    const heard = this.hears(answer);
    this.tell(word);
    return this.inTime(heard, `respond to ${word.control}`, deadlineMs);
  }

  /**
   * @template T
   * @param {Promise<T>} awaited
   * @param {string} what          that it is to do
   * @param {number} deadlineMs
   * @returns {Promise<T>}
   */
  inTime(awaited, what, deadlineMs) {
    return withDeadline(awaited, deadlineMs, () => {
      throw new BenchError('DEADLINE', `${this.name} did not ${what} within ${Math.round(deadlineMs)} ms`);
    });
  }

  /**
   * Ends its stdin, which is the order to end.
   * @param {number} [deadlineMs]
   * @throws {BenchError} DEADLINE when it had to be killed; PROCESS_DIED when it did not end in good order
   */
  async dismiss(deadlineMs = WORD_DEADLINE_MS) {
    this.isDismissed = true;
    this.child.stdin?.end();
    await this.inTime(this.ended, 'end after its stdin closed', deadlineMs).catch((error) => {
      this.kill();
      throw error;
    });
    this.letGo();
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
    this.letGo();
  }

  /** What it has started may hold its pipes open, which would keep this process. */
  letGo() {
    this.endGroup?.();
    this.child.stdin?.destroy();
    this.child.stdout?.destroy();
  }
}

/**
 * @param {PeerProgram} program
 * @returns {Promise<PeerHello>} what it says of itself; it has ended then
 * @throws {BenchError} when it is none
 */
export async function readHello(program) {
  const peer = new PeerProcess(program, { stderr: 'ignore', inOwnGroup: true });
  try {
    const hello = await peer.greeted();
    await peer.dismiss();
    return hello;
  } catch (error) {
    peer.kill();
    throw error;
  }
}

// What a peer says on its stdout, one JSON object a line, read with distrust: it is a program of somebody else's. The protocol
// stands in docs/extending.md.

/** Of the words: a peer of another version is refused. */
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
/** @param {any} sighting */
const isSighting = (sighting) =>
  Array.isArray(sighting) && sighting.length === 2 && isCount(sighting[0]) && Number.isFinite(sighting[1]);
/** @param {any} stream */
const isStream = (stream) =>
  isObject(stream) &&
  [stream.taken, stream.wrong, stream.outOfOrder].every(isCount) &&
  (stream.sightings === undefined || (Array.isArray(stream.sightings) && stream.sightings.every(isSighting)));

/** What each word has to have. @type {Record<string, (word: any) => boolean>} */
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
  const refused = (/** @type {string} */ why) =>
    new BenchError('PROTOCOL', `${why}: ${quoted(printable(line))}; see the protocol in docs/extending.md`);
  let word;
  try {
    word = JSON.parse(line);
  } catch {
    throw refused('it wrote a line to stdout that is not JSON');
  }
  if (!isObject(word) || !Object.hasOwn(SHAPES, word.control)) throw refused('it sent an unknown message');
  if (!SHAPES[word.control](word)) throw refused(`its message ${word.control} lacks required fields`);
  return /** @type {PeerWord} */ (word);
}

/** @param {PeerHello} hello @returns null: it is understood */
export function peerProtocolProblem({ protocol }) {
  if (protocol === PEER_PROTOCOL) return null;
  return `it uses version ${protocol} of the peer protocol, but this ipc-bench needs version ${PEER_PROTOCOL}`;
}

// Text that comes in pieces → its lines. Each piece is searched once: a long line would be searched anew with each of its pieces
// otherwise.

/**
 * @param {(line: string) => void} onLine
 * @param {number} longest          in characters
 * @param {() => void} onTooLong    a line is longer, and is not given to onLine
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
