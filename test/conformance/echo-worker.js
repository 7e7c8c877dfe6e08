// The worker of the transport suite, forked by its host: connects, sends back what it hears, and does what the host asks
// for over the control line. Ends by itself once its channel and its line are closed.

import { ChannelEnd } from './channel-end.js';
import { block, within } from './deadline.js';
import { heldResources } from './held-resources.js';
import { answerParent } from './remote.js';
import { contentOf, wireOf } from './wires.js';

/** @type {ChannelEnd} */
let end;
/** @type {() => Promise<number>} */
let talk;
let connections = 0;

/** @param {{ url: string, guest: Omit<import('../../lib/types/transports.js').GuestContext, 'line'> }} details */
async function connect({ url, guest }) {
  const { default: transport } = await import(url);
  const channel = await transport.connect({ ...guest, line });
  end = new ChannelEnd(channel, guest.wireKind);
}

/** @param {{ url: string, guest: Omit<import('../../lib/types/transports.js').GuestContext, 'line'>, times: number }} details */
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
  heard: () => end.heardWhileIdle,
  echo: ({ content }) => end.echo(wireOf(end.kind, content)),
  prepare(details) {
    talk = details.manners.onlyAnswers ? end.prepareQuestions(details) : end.prepare(details);
  },
  talk({ blockMs }) {
    block(blockMs); // the sender has to find out
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
