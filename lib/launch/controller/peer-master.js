// Replaces the master's endpoint in the controller if a peer runs that endpoint: it has the interfaces of a listener and an endpoint,
// forwards commands to the peer, and returns the peer's counts.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeFrame } from '../../channels/framing.js';
import { PeerProcess } from '../../children/peer-process.js';
import { removeFolder } from '../../children/run-directory.js';
import { BenchError } from '../../errors.js';
import { formatCount } from '../../format/numbers.js';
import { sharedNowMs, toSharedMs } from '../../machine/clock.js';
import { sum } from '../../statistics/sum.js';
import { untilSettled } from '../../workload/endpoints/exchange.js';
import { otherProcess } from './master-process.js';

/** @import { Endpoint, EndpointReport, ForkOptions, HostContext, Listener, LoadClock, PeerCount } from '../../types/index.js' */
/** @import { PeerListening, PeerStart, PeerProgram, PeerReport, Transport, WorkerStreams } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { GroupMember } from './worker-group.js' */

const SAME_CLOCK_MS = 5; // tolerance, since the peer rounds its instant, which lies between request and response

/** @implements {Endpoint} @implements {Listener} */
export class PeerMaster {
  /** @param {PeerProgram} program @param {LaunchSpec} spec @param {(workerId: string) => string[]} payloadsOf */
  constructor(program, spec, payloadsOf) {
    this.program = program;
    this.spec = spec;
    this.payloadsOf = payloadsOf;
    this.isConsumer = spec.cell.scenario === 'stream';
    this.payloadsFolder = join(spec.scratchDir, 'payloads');
    this.address = '';
    /** @type {ForkOptions | undefined} */
    this.fork = undefined;
    /** Parameters with which the transport lets a peer listen; null before `listen`. @type {PeerStart | null} */
    this.start = null;
    /** @type {WorkerStreams[]} */
    this.streams = [];
    /** The process of the peer; null before `open`. @type {PeerProcess | null} */
    this.peer = null;
    /** The pending request for a count, if there is one. @type {Promise<unknown> | null} */
    this.counting = null;
    this.counted = 0;
    /** The peer's report; null until the load is over. @type {PeerReport | null} */
    this.peerReport = null;
    /**
     * Sends the window to a peer that consumes a stream and counts by its own clock. Undefined in other scenarios, whose workers count.
     * @type {LoadClock | undefined}
     */
    this.meter = this.isConsumer
      ? {
          schedule: ({ fromMs, toMs, binMs }) =>
            this.peer?.send({
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
   * Does not listen yet: open() starts the peer after the workers, since the peer may receive their streams.
   * @param {Transport} transport
   * @param {HostContext} host
   * @returns {Listener}
   */
  listen({ name, peerEnd }, host) {
    if (peerEnd === undefined) throw new Error(`${name} does not support peers`);
    this.host = host;
    this.start = peerEnd(host);
    this.fork = this.start.fork;
    return this;
  }

  /** @param {unknown} _line @param {string} _id @param {WorkerStreams} streams */
  adopt(_line, _id, streams) {
    this.streams.push(streams);
  }

  /** Starts the peer, which then listens. @param {readonly GroupMember[]} members */
  async open(members) {
    const { program, spec } = this;
    const start = /** @type {PeerStart} */ (this.start);
    const { cell, cpus, deadlines, token, maxMessageBytes } = spec;
    // The peer reads from the stdout of a worker, and writes to its stdin.
    const streams = this.streams.flatMap((ends) => (ends === null ? [] : [ends.stdout, ends.stdin]));
    if (this.isConsumer) await this.writePayloads(this.payloadsFolder, members);
    this.peer = new PeerProcess(program, { cpus: cpus?.master, streams });
    this.peer.trouble.catch((error) => this.host?.onError(error));
    await this.peer.readHello(deadlines.connectMs);
    const sentMs = sharedNowMs();
    const order = {
      control: 'listen',
      scenario: cell.scenario,
      transport: cell.transport,
      codec: cell.codec,
      token,
      maxMessageBytes,
      workers: cell.workers,
      ...(this.isConsumer && { payloads: this.payloadsFolder }),
      ...start.order,
    };
    /** @type {PeerListening} */
    const listening = await this.peer.request(order, 'listening', deadlines.connectMs);
    const nowMs = sharedNowMs();
    if (!(listening.nowMs > sentMs - SAME_CLOCK_MS && listening.nowMs < nowMs + SAME_CLOCK_MS)) {
      const what = `${listening.nowMs} ms where CLOCK_MONOTONIC shows ${Math.round(nowMs)}`;
      throw new BenchError('PROTOCOL', `${this.peer.name}: its clock is not that of this host: ${what}`);
    }
    this.address = start.address(listening);
    return otherProcess(this.peer.pid);
  }

  /** @param {string} folder @param {readonly GroupMember[]} members */
  async writePayloads(folder, members) {
    await mkdir(folder, { mode: 0o700 });
    for (const { id } of members) {
      const frames = this.payloadsOf(id).map((payload) => {
        const frame = encodeFrame(payload);
        frame[0] &= 0x7f; // clears the bit that marks ASCII
        return frame;
      });
      await writeFile(join(folder, id), Buffer.concat(frames), { mode: 0o600 });
    }
  }

  /** Returns the number of operations that the peer reported last, and requests a new number unless a request is pending. */
  progress() {
    const { peer, peerReport } = this;
    if (peer !== null && peerReport === null) {
      this.counting ??= this.count(peer).catch((error) => this.host?.onError(error));
    }
    return this.counted;
  }

  /** @param {PeerProcess} peer */
  async count(peer) {
    /** @type {PeerCount} */
    const { operations } = await peer.request({ control: 'count' });
    this.counted = operations;
    this.counting = null;
  }

  /** @param {readonly EndpointReport[]} reports   the workers' reports */
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
    const report = await peer.request({ control: 'report' }, 'report', this.spec.deadlines.finishMs);
    const why = reportProblem(report, expected, this.isConsumer);
    if (why !== null) throw new BenchError('INTEGRITY', `${peer.name} ${why}`);
    this.peerReport = report;
    this.expected = expected;
  }

  report() {
    const { peerReport, expected, isConsumer } = this;
    if (peerReport === null || expected === undefined) throw new Error('a report before the load was over');
    return toEndpointReport(peerReport, expected, isConsumer);
  }

  async end() {
    await this.peer?.dismiss(this.spec.deadlines.exitMs);
    this.peer = null;
  }

  async close() {
    const { peer } = this;
    this.peer = null;
    peer?.kill();
    await peer?.ended;
    await this.start?.cleanUp?.();
    await removeFolder(this.payloadsFolder);
  }
}

/**
 * The counts of the workers, which the report of a peer has to match.
 * @typedef {object} Expected
 * @property {number} operations
 * @property {Record<string, number>} streams   messages sent, by stream
 */

/** @param {readonly EndpointReport[]} reports   the workers' reports @returns {Expected} */
export function sumExpected(reports) {
  const streams = Object.assign({}, ...reports.map((report) => report.streams ?? {}));
  const sent = sum(Object.values(streams));
  const requests = sum(reports.map((report) => report.requests ?? 0));
  return { operations: Object.keys(streams).length > 0 ? sent : requests, streams };
}

/**
 * @param {PeerReport} report
 * @param {Expected} expected
 * @param {boolean} isConsumer   the peer consumes streams instead of responding to requests
 * @returns the rest of a sentence that begins with the name of the peer; null if the report matches
 */
export function reportProblem(report, { operations, streams }, isConsumer) {
  const { operations: counted, undecodable, atOpen = 0, bins, streams: received } = report;
  if (!isConsumer) {
    // A missing response has usually failed its worker already. This check finds the other cases.
    if (counted + undecodable === operations) return null;
    return `reported ${formatCount(counted)} responses, but its workers sent ${formatCount(operations)} requests`;
  }
  if (bins === undefined || received === undefined)
    return 'did not report the messages received in the window and per stream';
  const overStreams = sum(Object.values(received).map((stream) => stream.taken));
  if (overStreams !== counted) {
    return `reported ${formatCount(counted)} messages received, but ${formatCount(overStreams)} over all streams`;
  }
  if (atOpen + sum(bins) > counted) {
    return `reported ${formatCount(atOpen + sum(bins))} messages received by the end of the window, but ${formatCount(counted)} in total`;
  }
  for (const [name, stream] of Object.entries(received)) {
    if (stream.taken > (streams[name] ?? 0)) {
      return `reported ${formatCount(stream.taken)} messages received from ${name}, which sent ${formatCount(streams[name] ?? 0)}`;
    }
  }
  return null;
}

/**
 * @param {PeerReport} report     a report that matches the counts of the workers
 * @param {Expected} expected
 * @param {boolean} isConsumer
 * @returns {EndpointReport}
 */
export function toEndpointReport(
  { undecodable, rejectedConnections, atOpen = 0, bins = [], streams = {} },
  expected,
  isConsumer,
) {
  if (!isConsumer) return { mistakes: { corrupt: undecodable }, rejectedConnections };
  const received = Object.entries(streams);
  const lost = Object.entries(expected.streams).map(([name, sent]) => sent - (streams[name]?.taken ?? 0));
  return {
    operations: sum(bins),
    bins,
    values: { atOpen },
    sightings: Object.fromEntries(received.map(([name, { sightings = [] }]) => [name, sightings])),
    mistakes: {
      corrupt: undecodable + sum(received.map(([, { wrong }]) => wrong)),
      outOfOrder: sum(received.map(([, { outOfOrder }]) => outOfOrder)),
      lost: Math.max(0, sum(lost) - undecodable),
    },
    rejectedConnections,
  };
}
