// How a run repeats recorded traffic: its responses, its arrivals and its rate.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import json from '../../lib/codecs/builtin/json.js';
import string from '../../lib/codecs/builtin/string.js';
import { Meter } from '../../lib/measure/meter.js';
import { plannedInstants } from '../../lib/measure/open-load.js';
import { Requester } from '../../lib/workload/endpoints/requester.js';
import { readGaps } from '../../lib/workload/messages/message-file.js';
import { prepareMessages } from '../../lib/workload/messages/payloads.js';
import { loadEndpoints, ScenarioKit } from '../../lib/workload/scenario-kit.js';
import roundTrip from '../../scenarios/round-trip.js';
import { resolved } from '../fixtures/resolved.js';

const TRAFFIC = fileURLToPath(new URL('../fixtures/traffic.json', import.meta.url));

/** @param {Record<string, unknown>} argv */
const repeated = (argv) => resolved({ traffic: TRAFFIC, ...argv }).options;

describe('the responses of recorded requests', () => {
  const { messageFile } = repeated({ channel: '1' });
  assert.ok(messageFile);

  it('replays the responses of the channel in the other direction', () => {
    assert.equal(messageFile.responses?.channel, 2);
    assert.ok(messageFile.bytes.p50 > 80);
    assert.ok(Number(messageFile.responses?.bytes.p50) < 50);
    assert.equal(repeated({ channel: '5' }).messageFile?.responses, undefined);
  });

  for (const codec of [json, string]) {
    it(`replays responses with the mean size that ${codec.name} sends`, async () => {
      const cell = /** @type {any} */ ({ content: messageFile.content, loops: 1, workers: 1 });
      const { codec: own, ...prepared } = await prepareMessages({ cell, seed: 1, messageFile }, codec);
      const meanSent = (/** @type {string[]} */ payloads) => {
        const wires = payloads.map((payload) => String(own.encode({ id: 1, payload })));
        const bytes = wires.map((wire) => Buffer.byteLength(wire.slice(wire.indexOf('{'))));
        return Math.round(bytes.reduce((sum, each) => sum + each, 0) / bytes.length);
      };
      assert.equal(meanSent(prepared.payloadsOf('w0')), messageFile.bytes.mean);
      assert.equal(meanSent(prepared.responses ?? []), messageFile.responses?.bytes.mean);
    });

    it(`verifies responses with ${codec.name}`, async () => {
      const cell = /** @type {any} */ ({ content: messageFile.content, loops: 1, workers: 1 });
      const prepared = await prepareMessages({ cell, seed: 1, messageFile }, codec);
      await loadEndpoints(roundTrip, 'master');
      const received = /** @type {string[]} */ ([]);
      const sent = /** @type {string[]} */ ([]);
      /** @param {string[] | null} responses @returns {Promise<Requester>} */
      const ask = async (responses) => {
        const kit = new ScenarioKit(cell, prepared.codec, { responses });
        const channels = [0, 1].map(() => /** @type {any} */ ({ onMessage() {}, drained: async () => {} }));
        const [own, other] = channels;
        own.send = (/** @type {string} */ wire) => {
          sent.push(wire);
          queueMicrotask(() => other.onMessage(wire));
          return true;
        };
        other.send = (/** @type {string} */ wire) => {
          received.push(wire);
          own.onMessage(wire);
          return true;
        };
        kit.responder().serve(other);
        const requester = new Requester({
          channel: own,
          codec: prepared.codec,
          payloads: prepared.payloadsOf('w0'),
          responses: prepared.responses,
          loops: 1,
          meter: new Meter(),
        });
        for (let count = 0; count < 300; count += 1) await requester.request(0);
        return requester;
      };
      const { integrity } = await ask(prepared.responses);
      assert.deepEqual(integrity, { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 });
      const longest = Math.max(...received.map((wire) => wire.length));
      assert.ok(
        longest < Math.min(...sent.map((wire) => wire.length)),
        'responses are shorter than requests',
      );
      assert.ok((await ask(null)).integrity.corrupt > 0, 'an echo is no recorded response');
    });
  }
});

describe('recorded arrivals', () => {
  it('keeps the bursts of recorded arrivals at the rate of the run', () => {
    const next = plannedInstants({
      ratePerSecond: 1_000,
      workers: 1,
      worker: 0,
      arrivals: 'recorded',
      seed: 1,
      gaps: [0, 0, 3],
    });
    assert.deepEqual(
      Array.from({ length: 7 }, () => next()),
      [0, 0, 0, 3, 3, 3, 6],
    );
  });

  it('distributes recorded arrivals to the workers in turn', () => {
    const plan = {
      ratePerSecond: 1_000,
      workers: 2,
      arrivals: /** @type {const} */ ('recorded'),
      seed: 1,
      gaps: [0.5, 1.5],
    };
    const [first, second] = [0, 1].map((worker) => plannedInstants({ ...plan, worker }));
    assert.deepEqual([first(), first(), second(), second()], [0, 2, 0.5, 2.5]);
  });

  it('scales arrivals of a file to a mean of 1', () => {
    const gaps = readGaps(/** @type {any} */ (repeated({ channel: '1' }).messageFile), 1);
    assert.equal(gaps.length, 399);
    assert.ok(Math.abs(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length - 1) < 1e-9);
    assert.ok(Math.max(...gaps) > 2, 'they are not even');
  });
});

describe('the rate of recorded traffic', () => {
  it('uses the recorded rate with its arrivals', () => {
    const recorded = repeated({ channel: '1', rate: 'recorded' }).open;
    assert.equal(recorded?.arrivals, 'recorded');
    const faster = repeated({ channel: '1', rate: '500', arrivals: 'recorded' });
    assert.deepEqual(faster.shapes, repeated({ channel: '1', rate: 'recorded' }).shapes);
    assert.equal(repeated({ channel: '1', rate: '500' }).open?.arrivals, 'fixed');
    assert.equal(repeated({ channel: '1', rate: 'recorded', arrivals: 'poisson' }).open?.arrivals, 'poisson');
  });
});
