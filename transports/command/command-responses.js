// The master's end of a command line: a program that is started for each question connects here, asks, and ends.

import { BenchError } from '../../lib/errors.js';
import { acceptRequesters } from '../../lib/transport/liveness.js';
import { listenOn, socketPath } from '../../lib/transport/sockets.js';

/** @import { Channel, HostContext } from '../../lib/types/index.js' */

/** @param {HostContext} host @returns {Promise<import('../../lib/types/transports.js').Listener>} */
export async function respondToCommands(host) {
  const requesters = await acceptRequesters(host, (/** @type {Channel} */ command, wire) => {
    command.send(typeof wire === 'string' ? Buffer.from(wire) : wire);
  });
  const at = socketPath(host, 'questions.sock');
  const commands = await listenOn(
    { path: at },
    {
      ...host,
      settings: {},
      wireKind: 'bytes', // the channel of the worker knows what they are
      onChannel(command, workerId) {
        command.onMessage = (bytes) => {
          const channel = requesters.channelOf(`${host.token} ${workerId}`);
          if (channel === undefined || !channel.hear(bytes, command)) command.close();
        };
        command.onClose = (reason) => {
          // How else it ended is told by the worker, which sees it from the inside.
          const isOurs = reason instanceof BenchError;
          if (isOurs) requesters.channelOf(`${host.token} ${workerId}`)?.breakOff(reason);
        };
      },
    },
  );
  const close = async () => {
    await requesters.close();
    await commands.close();
  };
  return { address: JSON.stringify({ presence: requesters.place, at }), close };
}
