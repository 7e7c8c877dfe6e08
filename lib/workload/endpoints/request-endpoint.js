// The endpoint of a worker that sends requests: its loops, closed or on the schedule of an open load, and their counts.

import { END_ID, FIRST_ID } from '../messages/message-ids.js';
import {
  ClosedLoop,
  firstResponses,
  Requester,
  RequestersEndpoint,
  RunningLoops,
  sweepUntilDone,
} from './requester.js';

/** @import { Cell, Channel, Endpoint, LoopHandle, MessageCodec, TimeRecorder } from '../../types/index.js' */
/** @import { Meter } from '../../measure/meter.js' */
/** @import { OpenLoad } from '../../measure/open-load.js' */

/**
 * @typedef {Pick<ConstructorParameters<typeof OpenLoad>[0], 'plan' | 'share'> & { OpenLoad: typeof OpenLoad }} OpenPart   the share of this
 *   process in an open load; the class is a parameter, so that only launches with open load import it
 */
/**
 * Parameters of requesting endpoints besides the cell and the codec.
 * @typedef {object} RequestParts
 * @property {Channel} channel           connected before the load begins
 * @property {() => Promise<Channel>} connect   opens a further channel
 * @property {Meter} meter
 * @property {string[]} payloads
 * @property {string[] | null} [responses]   chosen by the id of the request; by default, each response repeats its request
 * @property {number} replyMs             a request that waits longer for its response is lost
 * @property {number | null} messages     messages per loop, or null if the clock ends the load
 * @property {OpenPart | null} open       null for closed loops
 * @property {string} [transport]
 */

const IDS_APART = 1_000_003; // distance between the first ids of two connections

/** @extends {RequestersEndpoint<RequestParts>} @implements {Endpoint} */
export class RequestEndpoint extends RequestersEndpoint {
  /**
   * @param {Pick<Cell, 'loops'>} cell
   * @param {MessageCodec} codec
   * @param {RequestParts} parts
   * @param {(handle: LoopHandle) => Promise<void>} loop   called for each loop of each connection, again in each slice
   * @param {Record<string, TimeRecorder>} [times]   further times that the loops record
   */
  constructor({ loops }, codec, parts, loop, times = {}) {
    super(parts);
    this.times = times;
    const { channel, meter, open, messages } = parts;
    if (open === null && messages === null) meter.countWhole();
    this.loops = loops;
    this.codec = codec;
    this.loop = loop;
    this.serve(channel); // one requester for each connection
    this.openLoad = open && new open.OpenLoad({ meter, ...open });
  }

  /** @param {Channel} channel */
  serve(channel) {
    const { requesters, codec, loops } = this;
    const { payloads, responses, meter, transport, open } = this.parts;
    const grows = open !== null;
    const requester = new Requester({ channel, codec, payloads, responses, loops, meter, transport, grows });
    // The first ids of connections are far apart, so that a response over the wrong connection matches no open request there.
    requester.nextId += (requesters.length * IDS_APART) % (END_ID - FIRST_ID);
    requesters.push(requester);
  }

  /** Sends one request over each connection that has sent none yet. */
  async ready() {
    const idle = this.requesters.filter(({ requests }) => requests === 0);
    const answers = idle.map((requester) => {
      requester.begin(0);
      return requester.request(0);
    });
    await firstResponses(idle, answers);
  }

  /** @param {number} atMs */
  async run(atMs) {
    const { requesters, openLoad } = this;
    const running = new RunningLoops();
    if (openLoad !== null) this.prepareOpenLoad(openLoad, running);
    for (const requester of requesters) {
      for (let loop = 0; loop < this.loops; loop += 1) {
        requester.begin(loop);
        running.add(this.loop(openLoad?.handle(requester, loop) ?? new ClosedLoop(requester, loop)));
      }
    }
    openLoad?.enablePreciseWait();
    openLoad?.begin(atMs);
    await sweepUntilDone(requesters, this.parts.replyMs, running.done, openLoad);
  }

  /** @param {OpenLoad} openLoad @param {RunningLoops} running */
  prepareOpenLoad(openLoad, running) {
    const { requesters } = this;
    if (requesters.length > 1) openLoad.takeTurns();
    for (const requester of requesters) requester.onRoom = () => openLoad.onRoom();
    let next = 0;
    openLoad.addLoop = () => {
      for (let tried = 0; tried < requesters.length; tried += 1) {
        const requester = requesters[next];
        next = (next + 1) % requesters.length;
        if (requester.isBlocked) continue;
        running.add(this.loop(openLoad.handle(requester, requester.addLoop())));
        return true;
      }
      return false;
    };
  }

  closed() {
    this.openLoad?.end();
  }

  report() {
    return { ...this.reportWith(this.times), open: this.openLoad?.report() ?? null };
  }
}
