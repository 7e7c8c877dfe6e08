// Tests of a peer that consumes a stream: its counts, and the faults that it detects.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemNowMs } from '../../lib/machine/clock.js';
import { idAt } from '../../lib/workload/messages/message-ids.js';
import { inTime } from './peer-launch.js';

/** @import { PeerHello } from '../../lib/types/index.js' */
/** @import { InLaunch, What } from './peer.js' */
/** @import { PeerLaunch, ConnectedWorker } from './peer-launch.js' */

const PAYLOADS = { w0: ['one', 'two', 'three'], w1: ['ä', 'ö'] };
const WINDOW_MS = 200;

/** @param {ConnectedWorker} worker @param {string[]} payloads @param {number} from @param {number} to   count of the first that is not sent */
function send(worker, payloads, from, to) {
  for (let count = from; count < to; count += 1) {
    worker.send({ id: idAt(count), payload: payloads[count % payloads.length] });
  }
}

/** @param {PeerLaunch} launches @param {number} operations */
const taken = (launches, operations) =>
  launches.untilCounted((count) => count.operations === operations, `${operations} messages taken`);

/** @param {PeerHello} hello @param {What} usual @param {InLaunch} inLaunch */
export function describeConsumer({ codecs }, usual, inLaunch) {
  for (const codec of codecs) {
    const what = { ...usual, codec, scenario: 'stream', payloads: PAYLOADS };
    it(`receives a stream of ${codec} messages from each worker without an error`, () =>
      inLaunch(what, assertTaken));
  }
  const what = { ...usual, scenario: 'stream', payloads: PAYLOADS };
  it('detects messages with a wrong payload or a wrong number', () => inLaunch(what, assertFound));
  it('counts the messages that arrive in the window', () => inLaunch(what, assertWindow));
}

/** @param {PeerLaunch} launches */
async function assertTaken(launches) {
  const [first, second] = [await launches.joined('w0'), await launches.joined('w1')];
  send(first, PAYLOADS.w0, 0, 200);
  send(second, PAYLOADS.w1, 0, 130);
  await taken(launches, 330);
  const { operations, undecodable, streams } = await launches.report();
  assert.deepEqual({ operations, undecodable }, { operations: 330, undecodable: 0 });
  const right = { wrong: 0, outOfOrder: 0 };
  const { sightings, ...of0 } = streams?.w0 ?? assert.fail('no stream w0');
  assert.deepEqual(of0, { taken: 200, ...right });
  assert.equal(streams?.w1?.taken, 130);
  assert.deepEqual(sightings?.map(([count]) => count) ?? [0, 64, 128, 192], [0, 64, 128, 192]);
}

/** @param {PeerLaunch} launches */
async function assertFound(launches) {
  const worker = await launches.joined('w0');
  send(worker, PAYLOADS.w0, 0, 3);
  worker.send({ id: idAt(3), payload: 'two' }); // 'one' is expected
  send(worker, PAYLOADS.w0, 5, 6); // 4 is expected
  await taken(launches, 5);
  const { streams } = await launches.report();
  const { wrong, outOfOrder } = streams?.w0 ?? assert.fail('no stream w0');
  assert.deepEqual({ wrong, outOfOrder }, { wrong: 1, outOfOrder: 1 });
}

/** @param {PeerLaunch} launches */
async function assertWindow(launches) {
  const worker = await launches.joined('w0');
  send(worker, PAYLOADS.w0, 0, 100);
  await taken(launches, 100);
  const fromMs = systemNowMs() + 50;
  const toMs = fromMs + WINDOW_MS;
  launches.peer.send({ control: 'measure', fromMs, toMs, binMs: 100 });
  await pause(50 + WINDOW_MS / 2); // about the middle of the window
  const sentMs = systemNowMs();
  send(worker, PAYLOADS.w0, 100, 300);
  await taken(launches, 300);
  const isWithin = sentMs > fromMs && systemNowMs() < toMs;
  await pause(WINDOW_MS);
  send(worker, PAYLOADS.w0, 300, 350);
  await taken(launches, 350);
  const { atOpen, bins = [] } = await launches.report();
  assert.equal(bins.length, 2);
  if (!isWithin) return; // on a busy machine the message may be late, then either count is correct
  assert.equal(atOpen, 100);
  assert.equal(bins[0] + bins[1], 200);
}

/** @param {number} ms */
function pause(ms) {
  return inTime(new Promise((resolve) => setTimeout(resolve, ms)), 'a pause');
}
