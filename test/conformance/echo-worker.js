// The worker of the transport suite, forked by its host: connects, sends back what it hears, and does what the host asks
// for over the control line. Ends by itself once its channel and its line are closed.

import { ChannelEnd } from './channel-end.js';
import { block, within } from './deadline.js';
import { answerParent } from './remote.js';
import { contentOf, wireOf } from './wires.js';

/** @type {ChannelEnd} */
let end;
/** @type {() => Promise<number>} */
let talk;
/** @param {{ url: string, guest: Omit<import('../../lib/types/transports.js').GuestContext, 'line'> }} details */
async function connect({ url, guest }) {
  const { default: transport } = await import(url);
  const channel = await transport.connect({ ...guest, line });
  end = new ChannelEnd(channel, guest.wireKind);
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
