// The contract of a peer, a program in another language that responds or consumes, as a test suite in a file that `node --test`
// runs:
//
//   import { describePeer } from 'ipc-bench/conformance/peer';
//   await describePeer({ name: 'my-peer', command: './my-peer', args: [] });
//
// docs/extending.md describes the contract.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeFrame } from '../../lib/channels/framing.js';
import { readHello } from '../../lib/children/peer-process.js';
import { makePayloads } from '../../lib/workload/messages/payloads.js';
import { launchCell } from './launch-cell.js';
import { describeConsumer } from './peer-consumer-tests.js';
import { inTime, MAX_BYTES, PeerLaunch } from './peer-launch.js';

/** @import { Message, PeerHello, PeerProgram } from '../../lib/types/index.js' */
/** @typedef {{ transport: string, codec: string, scenario?: string, payloads?: Record<string, string[]> }} What */
/** @typedef {(what: What, scene: (stage: PeerLaunch, clock: { fromMs: number, saidMs: number, toMs: number }) => Promise<void>) => Promise<void>} InLaunch */

const ON_LINUX = { skip: process.platform === 'linux' ? false : 'what a peer costs is told by Linux only' };
const LISTENING = ['unix', 'tcp']; // transports that accept unauthenticated connections
const SIZES = [1, 2, 100, 1_000, 65_532, 65_536, 70_000, 1_000_000];
const CONTENTS = /** @type {const} */ (['ascii', 'utf8', 'binary', 'json']);
const GARBAGE = {
  none: [Buffer.from('abc'), Buffer.alloc(4)],
  string: ['', '17', '17 2', '17 9 short', '0 1 x', '-1 1 x', '99999999999 1 x', 'x 1 x', '17 1  x'],
  json: [
    '{',
    '[]',
    'null',
    '17',
    '{"id":17}',
    '{"id":"17","payload":"x"}',
    '{"id":0,"payload":"x"}',
    '{"id":17,"payload":8}',
  ],
};

/** @param {number} count @param {(index: number) => string} payloadOf @returns {Message[]} */
function messages(count, payloadOf) {
  return Array.from({ length: count }, (_, index) => ({
    id: 1_000_000_000 + index,
    payload: payloadOf(index),
  }));
}

/**
 * @param {PeerProgram} program
 * @returns {Promise<void>}
 */
export async function describePeer(program) {
  const hello = await readHello(program);
  const transports = LISTENING.filter((name) => hello.transports.includes(name));
  const scenarios = hello.scenarios;
  /** @type {InLaunch} */
  const inLaunch = async (what, test) => {
    const { launch, clock } = await PeerLaunch.opened(program, what);
    try {
      await Promise.race([test(launch, clock), launch.peer.trouble]);
    } finally {
      launch.close();
    }
  };
  describe(`peer ${program.name}`, ON_LINUX, () => {
    it('is the master of launches over each of its transports', () => assertPlays(program, hello));
    if (transports.length === 0) return;
    const usual = { transport: transports[0], codec: hello.codecs[0] };
    if (scenarios.includes('round-trip')) describeResponder(hello, usual, inLaunch);
    if (scenarios.includes('stream')) describeConsumer(hello, usual, inLaunch);
    for (const transport of transports) {
      it(`rejects and counts unauthenticated peers over ${transport}, and accepts workers afterwards`, () =>
        inLaunch({ ...usual, transport }, assertIntruders));
    }
    it('reports the time of the clock shared by all processes', () =>
      inLaunch(usual, async (_, { fromMs, saidMs, toMs }) => {
        assert.ok(saidMs > fromMs - 1 && saidMs < toMs + 1, `${saidMs} is not within ${fromMs} and ${toMs}`);
      }));
    it('ends with exit code 0 at the end of its stdin, and leaves nothing', () =>
      inLaunch(usual, async (launch) => {
        const worker = await launch.joined('w0');
        await launch.peer.dismiss();
        await inTime(worker.closed, 'the end of a connection');
        assert.deepEqual(launch.left(), []);
      }));
    it('prints nothing unless requested', () =>
      inLaunch(usual, async (launch) => {
        await launch.joined('w0');
        launch.peer.send({ control: 'a word of later versions' });
        await launch.peer.request({ control: 'count' });
      }));
  });
}

/** @param {PeerHello} hello @param {What} usual @param {InLaunch} inLaunch */
function describeResponder({ codecs }, usual, inLaunch) {
  for (const codec of codecs) {
    const what = { ...usual, codec };
    it(`answers each ${codec} message by itself, in order, at any size and content`, () =>
      inLaunch(what, assertAnswers));
    it(`counts ${codec} messages that it cannot decode, and continues`, () =>
      inLaunch(what, (launch) => assertUndecodable(launch, codec)));
  }
  it('returns the same frames however the stream is split', () => inLaunch(usual, assertCut));
  it('closes only connections with an invalid frame or an incomplete end', () =>
    inLaunch(usual, assertHangUps));
}

/** @param {PeerProgram} program @param {PeerHello} hello */
async function assertPlays(program, hello) {
  for (const transport of hello.transports) {
    for (const scenario of hello.scenarios) {
      const { end, left } = await launchCell({
        transport,
        scenario,
        peer: program,
        cell: { codec: hello.codecs[0] },
        deadlines: { connectMs: 15_000, replyMs: 5_000, lifeMs: 40_000 },
      });
      assert.ok(end.kind === 'done', `${scenario} over ${transport}: ${JSON.stringify(end)}`);
      assert.ok(end.fields.operations > 0);
      assert.equal(end.fields.rejectedConnections, 0);
      assert.deepEqual(left, [], 'nothing stays behind');
    }
  }
}

/** @param {PeerLaunch} launch */
async function assertAnswers(launch) {
  const workers = [await launch.joined('w0'), await launch.joined('w1')];
  let asked = 0;
  for (const content of CONTENTS) {
    for (const payloadBytes of SIZES) {
      const texts = makePayloads(1, { payloadBytes, content }, 2);
      const questions = messages(payloadBytes > 10_000 ? 3 : 100, (index) => texts[index % texts.length]);
      for (const answers of await Promise.all(workers.map((worker) => worker.ask(questions))))
        assert.deepEqual(answers, questions, `${content} of ${payloadBytes} bytes`);
      asked += 2 * questions.length;
    }
  }
  const edges = messages(2, () => 'x').map((message, index) => ({
    ...message,
    id: [1, 2_147_483_647][index],
  }));
  assert.deepEqual(await workers[0].ask(edges), edges, 'the least and the greatest id');
  const { operations, undecodable, rejectedConnections } = await launch.report();
  assert.deepEqual(
    { operations, undecodable, rejectedConnections },
    { operations: asked + 2, undecodable: 0, rejectedConnections: 0 },
  );
}

/** @param {PeerLaunch} launch @param {string} codec */
async function assertUndecodable(launch, codec) {
  const garbage = GARBAGE[/** @type {keyof typeof GARBAGE} */ (codec)] ?? [];
  const worker = await launch.joined('w0');
  const sent = garbage.filter((wire) => wire.length > 0);
  for (const wire of sent) worker.channel.send(wire);
  const [question] = messages(1, () => 'after it');
  assert.deepEqual(await worker.ask([question]), [question]);
  const { operations, undecodable } = await launch.report();
  assert.deepEqual({ operations, undecodable }, { operations: 1, undecodable: sent.length });
}

/** @param {PeerLaunch} launch */
async function assertCut(launch) {
  const questions = messages(20, (index) => 'x'.repeat(index + 1));
  const bytes = Buffer.concat(
    questions.map((question) =>
      encodeFrame(/** @type {string | Uint8Array} */ (launch.codec.encode(question))),
    ),
  );
  const socket = await launch.bareSocket('w0');
  socket.setNoDelay?.(true);
  let heard = 0;
  const answered = new Promise((resolve) => {
    socket.on('data', (chunk) => {
      heard += chunk.length;
      if (heard >= bytes.length) resolve(undefined);
    });
  });
  for (const at of bytes.keys()) {
    socket.write(bytes.subarray(at, at + 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await inTime(answered, 'answers to frames that came byte by byte');
  socket.destroy();
}

/** @param {PeerLaunch} launch */
async function assertHangUps(launch) {
  const other = await launch.joined('w1');
  for (const header of [0, MAX_BYTES + 1, 0x7fff_ffff]) {
    const socket = await launch.bareSocket('w0');
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(header);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {}).write(bytes);
    await inTime(closed, `the end of who announces ${header} bytes`);
  }
  const leaving = await launch.bareSocket('w0');
  leaving.write(Buffer.from([0, 0, 0, 100, 1, 2, 3]), () => leaving.destroy());
  const [question] = messages(1, () => 'still there?');
  assert.deepEqual(await other.ask([question]), [question]);
  assert.equal((await launch.report()).rejectedConnections, 0, 'who has greeted is no unauthenticated peer');
}

/** @param {PeerLaunch} launch */
async function assertIntruders(launch) {
  const wrong = launch.token.replace(/./, (digit) => (digit === '0' ? '1' : '0'));
  const openings = [
    ...[
      encodeFrame(`${wrong} w0`),
      encodeFrame(launch.token),
      encodeFrame(`${launch.token} `),
      encodeFrame(`${launch.token} w0 w1`),
    ],
    ...[Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(4), Buffer.from('ffffffff', 'hex')],
    Buffer.alloc(0), // sends nothing for the two seconds of the handshake
  ];
  const closed = openings.map(async (bytes) => {
    const socket = launch.socket().on('error', () => {});
    socket.resume();
    if (bytes.length > 0) socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
  });
  const leaving = launch.socket();
  await new Promise((resolve) => leaving.once('connect', resolve));
  leaving.destroy();
  await inTime(Promise.all(closed), 'the end of all unauthenticated peers');
  const rejectedConnections = openings.length + 1;
  await launch.untilCounted(
    (count) => count.rejectedConnections === rejectedConnections,
    `${rejectedConnections} unauthenticated peers counted`,
  );
  await launch.joined('w0');
}
