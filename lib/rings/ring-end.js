// What a process, or a thread, makes of the memory that a launch shares: a channel to each other end, and one bell.

import { RingChannel } from './ring-channel.js';
import { Spinner } from './spinner.js';
import { WordBell } from './word-bell.js';

/** @import { EndContext } from '../types/index.js' */
/** @import { RingLayout } from './ring-layout.js' */
/** @import { WordWaiting } from './word-bell.js' */

export class RingEnd {
  /**
   * @param {EndContext} end
   * @param {object} parts
   * @param {RingLayout} parts.layout
   * @param {ArrayBuffer | SharedArrayBuffer} parts.memory
   * @param {number | 'master'} parts.self
   * @param {WordWaiting | null} [parts.waiting]   null: ends are woken in another way, or never sleep
   * @param {() => void} [parts.yieldCpu]
   */
  constructor(end, { layout, memory, self, waiting = null, yieldCpu }) {
    this.end = end;
    this.layout = layout;
    this.memory = memory;
    this.self = self;
    this.waiting = { yieldCpu, spinner: end.settings.wake === 'spin' ? new Spinner() : null };
    this.bell = waiting && new WordBell(layout.bells(memory), layout.wordOf(self), waiting);
  }

  /**
   * @param {number} worker
   * @returns {{ channel: RingChannel, bell: import('./word-bell.js').Bell | null, leave: () => void }}
   */
  open(worker) {
    const { bell, layout, self } = this;
    const { toMaster, toWorker } = layout.ringsOf(this.memory, worker);
    const isMaster = self === 'master';
    const places = {
      incoming: isMaster ? toMaster : toWorker,
      outgoing: isMaster ? toWorker : toMaster,
    };
    const channel = new RingChannel(this.end, places, this.waiting);
    const peerWord = layout.wordOf(isMaster ? worker : 'master');
    return { channel, bell: bell?.between(channel, peerWord) ?? null, leave: () => bell?.leave(channel) };
  }
}
