// The worker of the transport suite, forked by its host: connects, to several launches if permitted, sends back all messages,
// and follows requests of the host. It ends by itself once its channels and its IPC channel are closed.

import { ChannelEnd } from './channel-end.js';
import { block, within } from './deadline.js';
import { heldResources } from './held-resources.js';
import { answerParent } from './remote.js';
import { contentOf, wireOf } from './wires.js';

/** @typedef {Omit<import('../../lib/types/transports.js').GuestContext, 'line'>} Guest */

/** @type {Map<string, ChannelEnd>} by seat: one in each launch */
const ends = new Map();
/** @type {Map<string, () => Promise<number>>} prepared, by seat */
const talks = new Map();
let connections = 0;

/** @param {string} seat */
const endAt = (seat) => /** @type {ChannelEnd} */ (ends.get(seat));

/** @param {{ seat: string, url: string, guest: Guest }} details */
async function connect({ seat, url, guest }) {
  const { default: transport } = await import(url);
  const channel = await transport.connect({ ...guest, line });
  ends.set(seat, new ChannelEnd(channel, guest.wireKind));
}

/** @param {{ url: string, guest: Guest, times: number }} details */
async function reconnect({ url, guest, times }) {
  const { default: transport } = await import(url);
  for (let time = 0; time < times; time += 1) {
    connections += 1;
    const workerId = `${guest.workerId}c${connections}`;
    const own = new ChannelEnd(await transport.connect({ ...guest, workerId, line }), guest.wireKind);
    await own.echo(wireOf(own.kind, `only for ${workerId}`));
    await own.channel.close();
    if (own.closings !== 1) throw new Error(`onClose of ${workerId} was called ${own.closings} times`);
  }
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
  async reconnect({ atOnce, ...details }) {
    await Promise.all(Array.from({ length: atOnce }, () => reconnect(/** @type {any} */ (details))));
  },
  held: heldResources,
  heard: ({ seat }) => endAt(seat).heardWhileIdle,
  echo({ seat, content }) {
    const end = endAt(seat);
    return end.echo(wireOf(end.kind, content));
  },
  prepare({ seat, ...talk }) {
    const end = endAt(seat);
    talks.set(seat, talk.expected.onlyResponds ? end.prepareRequests(talk) : end.prepare(talk));
  },
  talk({ seat, blockMs }) {
    block(blockMs); // the sender must notice it
    return /** @type {() => Promise<number>} */ (talks.get(seat))();
  },
  send({ seat, bytes }) {
    const end = endAt(seat);
    end.channel.send(wireOf(end.kind, contentOf(bytes)));
  },
  async close({ seat }) {
    const { channel } = endAt(seat);
    await Promise.all([channel.close(), channel.close()]);
    await channel.close();
    return endAt(seat).closings;
  },
  async closed({ seat, deadlineMs }) {
    const end = endAt(seat);
    await within(deadlineMs, 'onClose', end.closed);
    return { closings: end.closings, reason: end.closeReason?.message };
  },
});
