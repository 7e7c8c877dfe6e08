// ZeroMQ: a ROUTER in the master, a DEALER in each worker. One frame more marks a note, so data goes as it is.

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { joinMaster, receiveWorkers } from '../lib/transport-kit/message-joining.js';
import { whyNotLoadable } from '../lib/transport-kit/package-check.js';
import { socketPath } from '../lib/transport-kit/sockets.js';
import { breakOffWith, readAll, zeromqOptions } from '../lib/transport-kit/zeromq-socket.js';

const DEFAULT_NET = process.platform === 'win32' ? 'tcp' : 'ipc';

/** @type {import('../lib/types.js').Transport} */
export default {
  name: 'zeromq',
  summary: 'ZeroMQ, ROUTER and DEALER',
  traits: {
    class: 'brokerless',
    reach: 'network',
    direction: 'duplex',
    guarantee: 'at most once, in order; no acknowledgement',
    greatestMessageBytes: Infinity,
    platforms: ['linux', 'darwin', 'win32'],
    broker: null,
    sources: [
      'https://zeromq.github.io/zeromq.js/interfaces/Writable.html#send',
      'https://libzmq.readthedocs.io/en/latest/zmq_setsockopt.html',
    ],
  },
  carries: ['text', 'bytes'],
  settings: {
    net: { summary: 'ipc: unix domain socket; tcp: loopback', default: DEFAULT_NET, choices: ['ipc', 'tcp'] },
  },
  whyUnavailable: () => whyNotLoadable('zeromq'),
  async listen(host) {
    const { Router } = await import('zeromq');
    const router = new Router({ ...zeromqOptions(host), mandatory: true });
    const path = host.settings.net === 'ipc' ? socketPath(host, 'zeromq.sock') : null;
    await router.bind(path === null ? 'tcp://127.0.0.1:*' : `ipc://${path}`);
    router.events.on('handshake:error:protocol', () => host.onStranger('spoke something else than ZeroMQ'));
    /** @type {Map<string, import('../lib/transport-kit/message-channel.js').MessageChannel>} */
    const channels = new Map();
    const workers = receiveWorkers(host, (channel, _workerId, /** @type {Buffer} */ routingId) => {
      channels.set(routingId.toString('latin1'), channel);
      const refused = breakOffWith(channel);
      return {
        send: (wire) => void router.send([routingId, wire]).catch(refused),
        sendNote: (note) => void router.send([routingId, '', note]).catch(refused),
        release: () => void channels.delete(routingId.toString('latin1')),
      };
    });
    readAll(router, (frames) => {
      if (frames.length === 3) return workers.hear(frames[2], frames[0]);
      const channel = channels.get(frames[0].toString('latin1'));
      if (channel === undefined || frames.length !== 2) host.onStranger('sent data without having joined');
      else channel.deliver(frames[1]);
    });
    const close = async () => {
      await workers.close();
      router.close();
      if (path !== null) await rm(path, { force: true }); // libzmq leaves it behind
    };
    return { address: String(router.lastEndpoint), close };
  },
  async connect(guest) {
    const { Dealer } = await import('zeromq');
    return joinMaster(guest, async (channel, hear) => {
      const dealer = new Dealer({ ...zeromqOptions(guest), routingId: randomBytes(16).toString('hex') });
      const refused = breakOffWith(channel);
      dealer.events.on('disconnect', () => refused(new Error('it hung up')));
      dealer.connect(guest.address);
      readAll(dealer, (frames) => (frames.length === 2 ? hear(frames[1]) : channel.deliver(frames[0])));
      return {
        send: (wire) => void dealer.send(wire).catch(refused),
        sendNote: (note) => void dealer.send(['', note]).catch(refused),
        release: () => dealer.close(),
      };
    });
  },
};
