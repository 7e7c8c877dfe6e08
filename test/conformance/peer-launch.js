// A peer started as in a launch, with workers that are channels of this process.

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingDefaults } from '../../lib/cell/traits.js';
import { encodeFrame } from '../../lib/channels/framing.js';
import { PeerProcess } from '../../lib/children/peer-process.js';
import { systemNowMs } from '../../lib/machine/clock.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';

/** @import { Channel, Codec, Message, PeerProgram, PeerReport, Transport } from '../../lib/types/index.js' */

export const MAX_BYTES = 8_000_000; // of a message
const PATIENCE_MS = 10_000;

/** @param {'transport' | 'codec'} kind @param {string} name */
async function builtin(kind, name) {
  return (await import(builtinUrl(kind, name))).default;
}

/**
 * @template T
 * @param {Promise<T>} awaited
 * @param {string} what
 * @returns {Promise<T>}
 */
export async function inTime(awaited, what) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${PATIENCE_MS} ms: ${what}`)), PATIENCE_MS);
  });
  return Promise.race([awaited, /** @type {Promise<never>} */ (late)]).finally(() => clearTimeout(timer));
}

/** One worker with its messages and responses. */
export class ConnectedWorker {
  /** @param {Channel} channel @param {Codec} codec */
  constructor(channel, codec) {
    this.channel = channel;
    this.codec = codec;
    /** @type {Message[]} */
    this.answers = [];
    this.wake = () => {};
    /** @type {Promise<void>} */
    this.closed = new Promise((resolve) => {
      channel.onClose = () => resolve();
    });
    channel.onMessage = (wire) => {
      this.answers.push(codec.decode(wire));
      this.wake();
    };
  }

  /** @param {Message} message */
  send(message) {
    this.channel.send(this.codec.encode(message));
  }

  /** @param {Message[]} questions   all at once @returns {Promise<Message[]>} as many answers */
  async ask(questions) {
    this.answers = [];
    const answered = new Promise((resolve) => {
      this.wake = () => this.answers.length >= questions.length && resolve(undefined);
    });
    for (const question of questions) {
      this.send(question);
      await this.channel.drained();
    }
    await inTime(answered, `${questions.length} answers`);
    return this.answers;
  }
}

export class PeerLaunch {
  /**
   * @param {PeerProgram} program
   * @param {Transport} transport
   * @param {Codec} codec
   */
  constructor(program, transport, codec) {
    this.transport = transport;
    this.codec = codec;
    this.folder = mkdtempSync(join(tmpdir(), 'ipcb-peer-'));
    this.token = randomBytes(16).toString('hex');
    this.peer = new PeerProcess(program);
    this.address = '';
  }

  /**
   * @param {PeerProgram} program
   * @param {{ transport: string, codec: string, scenario?: string, payloads?: Record<string, string[]> }} what   payloads: by worker, that
   *   it will send
   */
  static async opened(program, { transport, codec, scenario = 'round-trip', payloads = {} }) {
    const [ownTransport, ownCodec] = [await builtin('transport', transport), await builtin('codec', codec)];
    const launch = new PeerLaunch(program, ownTransport, ownCodec);
    await launch.peer.readHello();
    const host = /** @type {any} */ ({ ...launch.end(), scratchDir: launch.folder, workers: 2 });
    const peerEnd = ownTransport.peerEnd(host);
    const folder = launch.writePayloads(payloads);
    const order = { transport, codec, scenario, workers: 2, maxMessageBytes: MAX_BYTES, payloads: folder };
    const [fromMs, listening] = [
      systemNowMs(),
      await launch.peer.request(
        { control: 'listen', token: launch.token, ...order, ...peerEnd.order },
        'listening',
      ),
    ];
    launch.address = peerEnd.address(listening);
    return { launch, clock: { fromMs, saidMs: listening.nowMs, toMs: systemNowMs() } };
  }

  /** @param {Record<string, string[]>} payloads @returns {string} */
  writePayloads(payloads) {
    const folder = join(this.folder, 'payloads');
    mkdirSync(folder);
    for (const [worker, texts] of Object.entries(payloads)) {
      const frames = texts.map((text) => {
        const frame = encodeFrame(text);
        frame[0] &= 0x7f;
        return frame;
      });
      writeFileSync(join(folder, worker), Buffer.concat(frames));
    }
    return folder;
  }

  end() {
    const { token, transport, codec } = this;
    const wireKind = codec.produces;
    const common = { settings: settingDefaults(transport), codec: codec.name, wireKind };
    return { ...common, maxMessageBytes: MAX_BYTES, token, launchId: 'suite', brokerUrl: null };
  }

  /** @param {string} workerId @returns {Promise<ConnectedWorker>} by the transport itself, as a worker connects */
  async joined(workerId) {
    const guest = /** @type {any} */ ({ ...this.end(), address: this.address, workerId });
    return new ConnectedWorker(await inTime(this.transport.connect(guest), 'a welcome'), this.codec);
  }

  /** @returns {import('node:net').Socket} nobody has said anything on it yet */
  socket() {
    const [host, port] = this.address.split(':');
    return port === undefined ? connect({ path: this.address }) : connect({ host, port: Number(port) });
  }

  /** @param {string} workerId @returns {Promise<import('node:net').Socket>} the words are said, and nothing is framed */
  async bareSocket(workerId) {
    const socket = this.socket();
    socket.write(encodeFrame(`${this.token} ${workerId}`));
    await inTime(new Promise((resolve) => socket.once('data', resolve)), 'a welcome');
    return socket;
  }

  /** @returns {Promise<PeerReport>} */
  report() {
    return this.peer.request({ control: 'report' });
  }

  /** @param {(count: import('../../lib/types/runtimes.js').PeerCount) => boolean} isReached @param {string} what */
  async untilCounted(isReached, what) {
    const until = async () => {
      while (!isReached(await this.peer.request({ control: 'count' })))
        await new Promise((done) => setTimeout(done, 20));
    };
    await inTime(until(), what);
  }

  /** @returns {string[]} what it left in its folder: of its own making */
  left() {
    return readdirSync(this.folder).filter((name) => name !== 'payloads');
  }

  close() {
    this.peer.kill();
    rmSync(this.folder, { recursive: true });
  }
}
