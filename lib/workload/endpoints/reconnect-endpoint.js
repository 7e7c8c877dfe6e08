// The endpoint of a worker that connects repeatedly: each loop opens a connection, waits for the first verified response, and closes the
// connection. Each loop has a separate requester.

import { NS_PER_MS } from '../../format/units.js';
import { LOST } from '../../measure/meter.js';
import { LatencyCounts } from '../../statistics/latency-counts.js';
import { firstResponses, Requester, RequestersEndpoint, responseClock, sweepUntilDone } from './requester.js';

/** @import { Cell, Channel, Endpoint, MessageCodec } from '../../types/index.js' */
/** @import { RequestParts } from './request-endpoint.js' */

/** @extends {RequestersEndpoint<RequestParts>} @implements {Endpoint} */
export class ReconnectEndpoint extends RequestersEndpoint {
  /**
   * @param {Pick<Cell, 'loops'>} cell
   * @param {MessageCodec} codec
   * @param {RequestParts} parts     `channel` carries only the first request of the launch
   */
  constructor({ loops }, codec, parts) {
    super(parts);
    const { channel, payloads, responses, meter, transport, messages } = parts;
    if (messages === null) meter.countWhole();
    this.firstLoop = meter.addLoops(loops);
    // The meter of the requesters counts no responses, since an operation ends when its connection is closed.
    this.requesters = Array.from(
      { length: loops },
      () =>
        new Requester({
          channel,
          codec,
          payloads,
          responses,
          loops: 1,
          meter: responseClock(meter),
          transport,
        }),
    );
    this.toConnect = new LatencyCounts();
    this.toFirstAnswer = new LatencyCounts();
  }

  async ready() {
    const [requester] = this.requesters;
    this.hand(requester, this.parts.channel);
    requester.begin(0);
    await firstResponses([requester], [requester.request(0)]);
  }

  run() {
    const loops = this.requesters.map((requester, loop) => this.loop(requester, this.firstLoop + loop));
    return sweepUntilDone(this.requesters, this.parts.replyMs, Promise.all(loops));
  }

  /** @param {Requester} requester @param {number} loop   index in the meter */
  async loop(requester, loop) {
    const { meter } = this.parts;
    let beganMs = performance.now();
    for (let endedMs = beganMs; requester.shouldContinue(0); beganMs = endedMs) {
      const channel = await this.parts.connect();
      const connectedMs = performance.now();
      this.hand(requester, channel);
      requester.begin(0);
      const outcome = await requester.request(0);
      const answeredMs = performance.now();
      await channel.close();
      meter.isFresh = false;
      endedMs = meter.stamp();
      if (outcome === LOST) {
        meter.pass(loop, endedMs);
        continue;
      }
      const isCounted = meter.isCounting(loop);
      meter.count(loop, beganMs, endedMs);
      if (!isCounted) continue;
      this.toConnect.record(Math.round((connectedMs - beganMs) * NS_PER_MS));
      this.toFirstAnswer.record(Math.round((answeredMs - beganMs) * NS_PER_MS));
    }
  }

  /** @param {Requester} requester @param {Channel} channel */
  hand(requester, channel) {
    requester.useChannel(channel);
    channel.onClose = () => {}; // the deadline detects a missing response
  }

  report() {
    return this.reportWith({ timeToConnect: this.toConnect, timeToFirstAnswer: this.toFirstAnswer });
  }
}
