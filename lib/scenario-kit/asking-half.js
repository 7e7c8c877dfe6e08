// The asking half of a scenario, in a worker: its loops at once, each asking by itself or by the plan of an open load, and
// what all of them counted.

import { Asker, AskingLoop } from './asker.js';
import { OpenLoad } from './open-load.js';
import { sweptUntilDone } from './swept-until-done.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Half, LoopHandle, Times } from '../types/scenarios.js' */
/** @import { Channel } from '../types/transports.js' */
/** @import { Meter } from './meter.js' */

/** @typedef {Pick<ConstructorParameters<typeof OpenLoad>[0], 'plan' | 'share'>} OpenPart   of the open load, what this process does */
/**
 * What a half that asks needs beside the cell and the codec.
 * @typedef {object} AskingParts
 * @property {Channel} channel           made before the load begins
 * @property {() => Promise<Channel>} connect   one more
 * @property {Meter} meter
 * @property {string[]} payloads
 * @property {number} replyMs             a question unanswered for longer is lost
 * @property {number | null} messages     per loop; null: the clock decides
 * @property {OpenPart | null} open       null: closed loops
 */

/** @implements {Half} */
export class AskingHalf {
  /**
   * @param {Pick<Cell, 'loops'>} cell
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {AskingParts} parts
   * @param {(handle: LoopHandle) => Promise<void>} loop   called once for each loop of the cell
   * @param {Record<string, Times>} [times]   what the loops time besides
   */
  constructor({ loops }, codec, parts, loop, times = {}) {
    this.times = times;
    const { channel, payloads, meter, open } = parts;
    this.loops = loops;
    this.parts = parts;
    this.loop = loop;
    this.asker = new Asker({ channel, codec, payloads, loops, meter });
    this.openLoad = open && new OpenLoad({ asker: this.asker, meter, ...open });
  }

  async ready() {
    this.asker.begin(0);
    await this.asker.ask(0);
  }

  /** @param {number} atMs */
  async run(atMs) {
    const { asker, openLoad } = this;
    const loops = [];
    for (let loop = 0; loop < this.loops; loop += 1) {
      asker.begin(loop);
      loops.push(this.loop(openLoad?.handle(loop) ?? new AskingLoop(asker, loop)));
    }
    openLoad?.begin(atMs);
    await sweptUntilDone([asker], this.parts.replyMs, loops);
  }

  progress() {
    return this.asker.asked;
  }

  opened() {
    const { messages } = this.parts;
    if (messages !== null) this.asker.remaining.fill(messages);
  }

  closed() {
    this.openLoad?.end();
  }

  report() {
    return {
      ...this.parts.meter.counted(),
      times: Object.fromEntries(Object.entries(this.times).map(([name, own]) => [name, own.toLatency()])),
      open: this.openLoad?.report() ?? null,
      asked: this.asker.asked,
      mistakes: this.asker.integrity,
    };
  }
}
