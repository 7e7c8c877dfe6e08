// The master's half of a launch where a peer plays it: to its controller it is a listener and a half as any other, which only hands
// on what the peer is to do and what it has counted.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PeerProcess } from '../../children/peer-process.js';
import { removeFolder } from '../../children/run-directory.js';
import { BenchError } from '../../errors.js';
import { formatCount } from '../../format/numbers.js';
import { sharedNowMs, toSharedMs } from '../../machine/clock.js';
import { untilSettled } from '../../scenario/endpoints/exchange.js';
import { sum } from '../../statistics/sum.js';
import { encodeFrame } from '../../transport/framing.js';
import { otherProcess } from './master-process.js';

/** @import { Endpoint, EndpointReport, ForkWishes, HostContext, Listener, LoadClock, PeerCount, PeerListening, PeerPlace, PeerProgram, PeerReport, Transport, WorkerStreams } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { GroupMember } from './worker-group.js' */

const SAME_CLOCK_MS = 5; // the instant that it tells lies between question and answer, and is rounded by it

/** @implements {Endpoint} @implements {Listener} */
export class PeerMaster {
  /** @param {PeerProgram} program @param {LaunchSpec} spec @param {(workerId: string) => string[]} payloadsOf */
  constructor(program, spec, payloadsOf) {
    this.program = program;
    this.spec = spec;
    this.payloadsOf = payloadsOf;
    this.isTaking = spec.cell.scenario === 'stream';
    this.payloadsFolder = join(spec.scratchDir, 'payloads');
    this.address = '';
    /** @type {ForkWishes | undefined} */
    this.fork = undefined;
    /** @type {PeerPlace | null} */
    this.place = null;
    /** @type {WorkerStreams[]} */
    this.streams = [];
    /** @type {PeerProcess | null} */
    this.peer = null;
    /** @type {Promise<unknown> | null} */
    this.counting = null;
    this.counted = 0;
    /** @type {PeerReport | null} */
    this.told = null;
    /** Of a load that is counted by the clock: the peer has a clock of its own, which is told the window. @type {LoadClock | undefined} */
    this.meter = this.isTaking
      ? {
          schedule: ({ fromMs, toMs, binMs }) =>
            this.peer?.tell({
              control: 'measure',
              fromMs: toSharedMs(fromMs),
              toMs: toSharedMs(toMs),
              binMs,
            }),
          tickAt() {},
          giveUp() {},
        }
      : undefined;
  }

  /**
   * As a transport does, but that the peer is started when its workers are: it is handed the streams of some.
   * @param {Transport} transport
   * @param {HostContext} host
   * @returns {Listener}
   */
  listen({ name, peerEnd }, host) {
    if (peerEnd === undefined) throw new Error(`${name} has no end for a peer`);
    this.host = host;
    this.place = peerEnd(host);
    this.fork = this.place.fork;
    return this;
  }

  /** @param {unknown} _line @param {string} _id @param {WorkerStreams} streams */
  adopt(_line, _id, streams) {
    this.streams.push(streams);
  }

  /** Starts the peer, which listens then. @param {readonly GroupMember[]} members */
  async open(members) {
    const { program, spec } = this;
    const place = /** @type {PeerPlace} */ (this.place);
    const { cell, cpus, deadlines, token, maxMessageBytes } = spec;
    // Its end of a worker's output is read from, that of its input is written to.
    const streams = this.streams.flatMap((ends) => (ends === null ? [] : [ends.stdout, ends.stdin]));
    if (this.isTaking) await this.writePayloads(this.payloadsFolder, members);
    this.peer = new PeerProcess(program, { cpus: cpus?.master, streams });
    this.peer.trouble.catch((error) => this.host?.onError(error));
    await this.peer.greeted(deadlines.connectMs);
    const askedMs = sharedNowMs();
    const order = {
      control: 'listen',
      scenario: cell.scenario,
      transport: cell.transport,
      codec: cell.codec,
      token,
      maxMessageBytes,
      workers: cell.workers,
      ...(this.isTaking && { payloads: this.payloadsFolder }),
      ...place.order,
    };
    /** @type {PeerListening} */
    const listening = await this.peer.ask(order, 'listening', deadlines.connectMs);
    const nowMs = sharedNowMs();
    if (!(listening.nowMs > askedMs - SAME_CLOCK_MS && listening.nowMs < nowMs + SAME_CLOCK_MS)) {
      const what = `${listening.nowMs} ms where CLOCK_MONOTONIC shows ${Math.round(nowMs)}`;
      throw new BenchError('PROTOCOL', `${this.peer.name}: its clock is not that of this host: ${what}`);
    }
    this.address = place.address(listening);
    return otherProcess(this.peer.pid);
  }

  /** @param {string} folder @param {readonly GroupMember[]} members */
  async writePayloads(folder, members) {
    await mkdir(folder, { mode: 0o700 });
    for (const { id } of members) {
      const frames = this.payloadsOf(id).map((payload) => {
        const frame = encodeFrame(payload);
        frame[0] &= 0x7f; // without the bit that says ASCII: the length alone
        return frame;
      });
      await writeFile(join(folder, id), Buffer.concat(frames), { mode: 0o600 });
    }
  }

  /** As it was told last; asks anew, so that the next look finds more. */
  progress() {
    const { peer, told } = this;
    if (peer !== null && told === null) {
      this.counting ??= this.count(peer).catch((error) => this.host?.onError(error));
    }
    return this.counted;
  }

  /** @param {PeerProcess} peer */
  async count(peer) {
    /** @type {PeerCount} */
    const { operations } = await peer.ask({ control: 'count' });
    this.counted = operations;
    this.counting = null;
  }

  /** @param {readonly EndpointReport[]} reports   of the workers */
  async settled(reports) {
    const peer = /** @type {PeerProcess} */ (this.peer);
    const expected = sumExpected(reports);
    await untilSettled({
      isComplete: () => this.counted >= expected.operations,
      progress: () => this.progress(),
      replyMs: this.spec.deadlines.replyMs,
      handleMs: 0,
    });
    await this.counting;
    /** @type {PeerReport} */
    const told = await peer.ask({ control: 'report' }, 'report', this.spec.deadlines.finishMs);
    const why = reportProblem(told, expected, this.isTaking);
    if (why !== null) throw new BenchError('INTEGRITY', `${peer.name} ${why}`);
    this.told = told;
    this.expected = expected;
  }

  report() {
    const { told, expected, isTaking } = this;
    if (told === null || expected === undefined) throw new Error('a report before the load was over');
    return toEndpointReport(told, expected, isTaking);
  }

  /** In good order, when the load is over. */
  async end() {
    await this.peer?.dismiss(this.spec.deadlines.exitMs);
    this.peer = null;
  }

  async close() {
    const { peer } = this;
    this.peer = null;
    peer?.kill();
    await peer?.ended;
    await this.place?.cleanUp?.();
    await removeFolder(this.payloadsFolder);
  }
}

// What a peer says that it has counted, against what the other ends of its connections have: a peer counts, and is not believed.

/**
 * @typedef {object} Expected
 * @property {number} operations                 that the workers know of
 * @property {Record<string, number>} streams    messages sent, by stream
 */

/** @param {readonly EndpointReport[]} reports   of the workers @returns {Expected} */
export function sumExpected(reports) {
  const streams = Object.assign({}, ...reports.map((report) => report.streams ?? {}));
  const sent = sum(Object.values(streams));
  const asked = sum(reports.map((report) => report.asked ?? 0));
  return { operations: Object.keys(streams).length > 0 ? sent : asked, streams };
}

/**
 * @param {PeerReport} told
 * @param {Expected} expected
 * @param {boolean} isTaking    a stream, and not questions
 * @returns what follows its name; null: nothing speaks against it
 */
export function reportProblem(told, { operations, streams }, isTaking) {
  const { operations: counted, undecodable, atOpen = 0, bins, streams: taken } = told;
  if (!isTaking) {
    // A worker without a response has failed already, unless that was not reported.
    if (counted + undecodable === operations) return null;
    return `reported ${formatCount(counted)} responses, but its workers sent ${formatCount(operations)} requests`;
  }
  if (bins === undefined || taken === undefined)
    return 'did not report the messages received in the window and per stream';
  const ofStreams = sum(Object.values(taken).map((stream) => stream.taken));
  if (ofStreams !== counted) {
    return `reported ${formatCount(counted)} messages received, but ${formatCount(ofStreams)} over all streams`;
  }
  if (atOpen + sum(bins) > counted) {
    return `reported ${formatCount(atOpen + sum(bins))} messages received by the end of the window, but ${formatCount(counted)} in total`;
  }
  for (const [name, stream] of Object.entries(taken)) {
    if (stream.taken > (streams[name] ?? 0)) {
      return `reported ${formatCount(stream.taken)} messages received from ${name}, which sent ${formatCount(streams[name] ?? 0)}`;
    }
  }
  return null;
}

/**
 * @param {PeerReport} told     of which nothing is untrue
 * @param {Expected} expected
 * @param {boolean} isTaking
 * @returns {EndpointReport}
 */
export function toEndpointReport(
  { undecodable, rejectedConnections, atOpen = 0, bins = [], streams = {} },
  expected,
  isTaking,
) {
  if (!isTaking) return { mistakes: { corrupt: undecodable }, rejectedConnections };
  const taken = Object.entries(streams);
  const lost = Object.entries(expected.streams).map(([name, sent]) => sent - (streams[name]?.taken ?? 0));
  return {
    operations: sum(bins),
    bins,
    values: { atOpen },
    sightings: Object.fromEntries(taken.map(([name, { sightings = [] }]) => [name, sightings])),
    mistakes: {
      corrupt: undecodable + sum(taken.map(([, { wrong }]) => wrong)),
      outOfOrder: sum(taken.map(([, { outOfOrder }]) => outOfOrder)),
      lost: Math.max(0, sum(lost) - undecodable),
    },
    rejectedConnections,
  };
}
