// The worker of the transport suite, forked by its host: connects, sends back what it hears, and does what the host asks
// for over the control line. Ends by itself once its channel and its line are closed.

import { ChannelEnd } from './channel-end.js';
import { within } from './deadline.js';
import { answerParent } from './remote.js';
import { contentOf, wireOf } from './wires.js';

/** @type {ChannelEnd} */
let end;
/** @type {() => Promise<number>} */
let talk;
let heardWhileIdle = 0;

/** @param {any} wire */
function sendBack(wire) {
  heardWhileIdle += 1;
  // Bytes are only valid until the handler returns, and send() may still need them then.
  end.channel.send(wire instanceof Uint8Array ? Buffer.from(wire) : wire);
}

/** @param {{ url: string, guest: Omit<import('../../lib/types.js').GuestContext, 'line'> }} details */
async function connect({ url, guest }) {
  const { default: transport } = await import(url);
  const channel = await transport.connect({ ...guest, line });
  end = new ChannelEnd(channel, guest.wireKind, sendBack);
}

const line = answerParent({
  connect,
  async intrude(details) {
    try {
      await connect(details);
    } catch {
      return 'was refused';
    }
    return 'has a channel';
  },
  heard: () => heardWhileIdle,
  prepare(details) {
    talk = end.prepare(details);
  },
  talk({ blockMs }) {
    // Blocked for good and all: nothing is read meanwhile, and the sender has to find out.
    if (blockMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
    return talk();
  },
  send({ bytes }) {
    end.channel.send(wireOf(end.kind, contentOf(bytes)));
  },
  async close() {
    await Promise.all([end.channel.close(), end.channel.close()]);
    await end.channel.close();
    return end.closings;
  },
  async closed({ deadlineMs }) {
    await within(deadlineMs, 'onClose', end.closed);
    return { closings: end.closings, reason: end.closeReason?.message };
  },
});
