// What seals the line between a controller and a worker on another host, over channels that are none.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawControlKey, sealControlChannel } from '../../lib/launch/control/control-seal.js';

/** @typedef {(frame: Buffer, to: 'controller' | 'agent') => Buffer[]} Attack   what arrives in place of a frame */
/** @typedef {{ line: any, heard: string[], reason: string | null, failure: string | null, isClosed: boolean, say: (...texts: string[]) => void }} End */

const LINE_KEY = drawControlKey();

/**
 * @param {{ keys?: Record<string, string>, ids?: Record<string, string>, attack?: Attack }} [wire]
 * @returns {{ controller: End, agent: End, frames: { frame: Buffer, to: 'controller' | 'agent' }[] }} both ends, and all that went over the wire
 */
function meet({ keys = {}, ids = {}, attack = (frame) => [frame] } = {}) {
  /** @type {{ frame: Buffer, to: 'controller' | 'agent' }[]} */
  const frames = [];
  /** @type {any} */
  const channels = {};
  for (const [name, other] of /** @type {const} */ ([
    ['controller', 'agent'],
    ['agent', 'controller'],
  ])) {
    channels[name] = {
      onMessage() {},
      onClose() {},
      send(/** @type {Buffer} */ frame) {
        frames.push({ frame, to: other });
        // Later, as of a socket: the other end may not be there yet.
        for (const arriving of attack(frame, other)) waiting.push(() => channels[other].onMessage(arriving));
        return true;
      },
      close() {
        ends[name].isClosed = true;
      },
    };
  }
  /** @type {(() => void)[]} */
  const waiting = [];
  /** @type {any} */
  const ends = {};
  for (const end of /** @type {const} */ (['controller', 'agent'])) {
    ends[end] = { line: null, heard: [], reason: null, failure: null, isClosed: false };
    sealControlChannel(
      channels[end],
      { lineKey: keys[end] ?? LINE_KEY, id: ids[end] ?? 'w0', end },
      (line) => {
        ends[end].line = line;
        line.onMessage = (text) => ends[end].heard.push(text);
        line.onClose = (reason) => {
          ends[end].reason = String(reason?.message);
        };
      },
      ({ message }) => {
        ends[end].failure = message;
      },
    );
  }
  const settle = () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
  };
  settle();
  for (const end of Object.values(ends)) {
    end.say = (/** @type {string[]} */ ...texts) => {
      for (const text of texts) end.line.send(text);
      settle();
    };
  }
  return { ...ends, frames };
}

describe('a sealed line', () => {
  it('carries texts in both directions, and shows nothing of them', () => {
    const { controller, agent, frames } = meet();
    controller.say('redis://:PASSWORD@10.0.0.1', 'é'.repeat(100_000));
    agent.say('');
    assert.deepEqual(agent.heard, ['redis://:PASSWORD@10.0.0.1', 'é'.repeat(100_000)]);
    assert.deepEqual(controller.heard, ['']);
    assert.ok(frames.length > 6);
    assert.ok(frames.every(({ frame }) => !frame.includes('PASSWORD') && !frame.includes(LINE_KEY)));
    const again = meet();
    again.controller.say('redis://:PASSWORD@10.0.0.1');
    assert.ok(!frames.some(({ frame }) => frame.equals(/** @type {any} */ (again.frames.at(-1)).frame)));
  });

  it('ends with a frame that was changed, repeated, left out, or overtaken by another', () => {
    /** @type {Record<string, (frames: Buffer[]) => Buffer[]>} */
    const attacks = {
      changed: ([frame]) => {
        const other = Buffer.from(frame);
        other[other.length - 1] ^= 1;
        return [other];
      },
      'without its tag': ([frame]) => [frame.subarray(0, 15)],
      repeated: ([frame]) => [frame, frame],
      'left out': ([, second]) => [second],
      overtaken: ([first, second]) => [second, first],
    };
    for (const [name, attackOn] of Object.entries(attacks)) {
      /** @type {Buffer[] | null} */
      let held = null;
      const { controller, agent } = meet({
        attack(frame, to) {
          if (held === null || to === 'controller') return [frame];
          held.push(frame);
          return held.length < 2 ? [] : attackOn(held);
        },
      });
      held = [];
      controller.say('{"control":"start"}', '{"control":"leave"}');
      assert.equal(agent.reason, 'a frame of its line was changed, left out or repeated on its way', name);
      assert.ok(agent.isClosed, name);
      assert.ok(agent.heard.length <= 1, name);
    }
  });

  it('does not take what its own end has said for the other one', () => {
    /** @type {(() => void)[]} */
    const waiting = [];
    const echo = /** @type {any} */ ({
      send: (/** @type {Buffer} */ frame) => waiting.push(() => echo.onMessage(frame)),
      close() {},
    });
    /** @type {string[]} */
    const failures = [];
    sealControlChannel(
      echo,
      { lineKey: LINE_KEY, id: 'w0', end: 'controller' },
      () => assert.fail(),
      ({ message }) => {
        failures.push(message);
      },
    );
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
    assert.deepEqual(failures, ['the other end of the control channel of w0 holds another key']);
  });

  it('is refused to an end that holds another key, or comes for another worker', () => {
    for (const strange of [{ keys: { agent: drawControlKey() } }, { ids: { agent: 'w1' } }]) {
      const { controller, agent } = meet(strange);
      assert.equal(controller.failure, 'the other end of the control channel of w0 holds another key');
      assert.match(String(agent.failure), /holds another key|hung up/);
      assert.ok(controller.line === null && agent.line === null && controller.isClosed);
    }
  });

  it('is not opened by what was recorded of an earlier one', () => {
    const earlier = meet();
    earlier.agent.say('{"control":"ready"}');
    const recorded = earlier.frames.filter(({ to }) => to === 'controller').map(({ frame }) => frame);
    assert.equal(recorded.length, 3);
    const { controller } = meet({
      attack: (frame, to) => (to === 'controller' ? [/** @type {Buffer} */ (recorded.shift())] : [frame]),
    });
    assert.equal(controller.failure, 'the other end of the control channel of w0 holds another key');
    assert.equal(controller.line, null);
  });

  it('fails where the other end hangs up first, or stays silent', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const silent = meet({ attack: () => [] });
    t.mock.timers.tick(20_000);
    assert.equal(
      silent.controller.failure,
      'the other end of the control channel of w0 did not authenticate in time',
    );
    assert.ok(silent.controller.isClosed);
  });
});
