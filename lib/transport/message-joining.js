// How a worker and the master find each other over a message system: the worker asks to join with the launch's token,
// the master answers. A peer without the token is not authenticated.

import { BenchError } from '../errors.js';
import { readControlFrame } from './control-frame.js';
import { joiningMs } from './joining-time.js';
import { MessageChannel } from './message-channel.js';

/** @import { GuestContext, HostContext } from '../types/index.js' */
/** @import { Outlet } from './message-channel.js' */

/**
 * The master's end.
 * @template From
 * @param {HostContext} host
 * @param {(channel: MessageChannel, workerId: string, from: From) => Outlet | Promise<Outlet>} openOutlet
 *     makes the way to a worker; what it sends is to be given to `channel.deliver` from then on
 */
export function receiveWorkers(host, openOutlet) {
  /** @type {Map<string, MessageChannel>} */
  const channels = new Map();
  let isClosing = false;

  /** @param {string} workerId @param {From} from */
  async function admit(workerId, from) {
    const channel = new MessageChannel(host, workerId, workerId);
    channels.set(workerId, channel);
    channel.onReleased = () => channels.delete(workerId);
    channel.outlet = await openOutlet(channel, workerId, from);
    host.onChannel(channel, workerId);
    channel.tell('joined');
  }

  return {
    /** @returns {MessageChannel[]} of those who are here */
    channels: () => [...channels.values()],
    /** @param {Uint8Array} text     a note, from anybody @param {From} from */
    hear(text, from) {
      const note = readControlFrame(text, host.token);
      if (note === null) return host.onStranger('sent a note without the token');
      const channel = channels.get(note.workerId);
      if (note.verb !== 'join') return channel?.hear(note);
      if (channel !== undefined) return host.onStranger(`wanted to join as ${note.workerId}, who is here`);
      if (!isClosing) admit(note.workerId, from).catch((error) => host.onError(error));
    },
    /** @param {Error} reason     nobody can be reached any more */
    breakOff(reason) {
      for (const channel of channels.values()) channel.breakOff(reason);
    },
    async close() {
      isClosing = true;
      await Promise.all([...channels.values()].map((channel) => channel.close()));
    },
  };
}

/**
 * A worker's end.
 * @param {GuestContext} guest
 * @param {(channel: MessageChannel, hear: (text: Uint8Array) => void) => Promise<Outlet>} openOutlet
 *     makes the way to the master: data that comes goes to `channel.deliver`, notes to `hear`
 * @returns {Promise<MessageChannel>}
 */
export async function joinMaster(guest, openOutlet) {
  const channel = new MessageChannel(guest, guest.workerId, 'the master');
  channel.holdBack();
  /** @type {(value?: undefined) => void} */
  let succeed = () => {};
  const joined = new Promise((resolve, reject) => {
    succeed = resolve;
    channel.onClose = (reason) =>
      reject(reason ?? new BenchError('TRANSPORT', `the master rejected ${guest.workerId}`));
  });
  joined.catch(() => {}); // it may fail before anybody waits for it
  const deadlineMs = joiningMs(guest);
  const late = `the master did not let ${guest.workerId} join within ${deadlineMs} ms`;
  const deadline = setTimeout(() => channel.breakOff(new BenchError('DEADLINE', late)), deadlineMs);
  const hear = (/** @type {Uint8Array} */ text) => {
    const note = readControlFrame(text, guest.token);
    if (note === null || note.workerId !== guest.workerId) return;
    if (note.verb === 'joined') succeed();
    else channel.hear(note);
  };
  const asked = openOutlet(channel, hear).then((outlet) => {
    if (!channel.isOpen) return outlet.release(); // too late: we have given up
    channel.outlet = outlet;
    channel.tell('join');
  });
  try {
    await Promise.race([asked, joined]);
    await joined;
  } finally {
    clearTimeout(deadline);
  }
  // Beyond the tick in which the core gets the channel, its handlers are in place.
  setImmediate(() => channel.deliverEarly());
  return channel;
}
