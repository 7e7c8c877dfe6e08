// How a run on several hosts meets their agents, with an engine that a test makes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runOnHosts } from '../../lib/hosts/run-on-hosts.js';

describe('a run on several hosts', () => {
  /** @param {(host: string, order: any) => any} ended   of an order */
  async function run(ended, options = {}) {
    const seen = /** @type {any} */ ({ closed: 0, orders: [] });
    const engine = {
      hand(/** @type {string} */ host, /** @type {string} */ launchId, /** @type {any} */ order) {
        seen.orders.push({ host, launchId, ...order });
        return { ended: Promise.resolve().then(() => ended(host, order)), stop() {} };
      },
      async close() {
        seen.closed += 1;
      },
    };
    const openEngine = async (/** @type {string} */ url, /** @type {string} */ secret) => {
      seen.opened = [url, secret];
      return engine;
    };
    const hosts = { master: 'a', workers: ['b', 'c'] };
    const agents = { url: 'redis://10.0.0.9', secret: 'of the run' };
    const side = { options: { hosts, agents, brokerUrls: {}, ...options }, plugins: {} };
    const sides = /** @type {any} */ ([side]);
    seen.failure = await runOnHosts(sides, /** @type {any} */ ({}), /** @type {any} */ (openEngine)).then(
      () => null,
      (error) => error,
    );
    return seen;
  }

  const facts = (/** @type {object} */ own) => ({ bindAddress: '10.0.0.1', machine: 'm', ...own });

  it('asks each agent once what it is, and closes its engine', async () => {
    const refused = () => ({ status: 'refused', message: 'another version' });
    const { orders, closed, opened } = await run(refused);
    assert.deepEqual(
      orders.map((/** @type {any} */ { host, launchId, kind, hasControls }) => [
        host,
        launchId,
        kind,
        hasControls,
      ]),
      ['a', 'b', 'c'].map((host) => [host, 'meet', 'meet', true]),
    );
    assert.equal(closed, 1);
    assert.deepEqual(opened, ['redis://10.0.0.9', 'of the run']);
    const without = await run(refused, { controls: false });
    assert.equal(without.orders[0].hasControls, false);
  });

  it('is refused with the reasons of all agents that refuse, are gone, or do something else', async () => {
    const { failure, closed } = await run((host) => {
      if (host === 'a') return { status: 'refused', message: 'another version' };
      if (host === 'b') throw new Error('host b: nobody is there');
      return { status: 'worked' };
    });
    assert.deepEqual(
      [failure.code, failure.message],
      ['HOST', 'host a: another version; host b: nobody is there; host c did not execute its command'],
    );
    assert.equal(closed, 1);
  });

  it('is refused where workers of another machine do not reach the master', async () => {
    const { failure, closed } = await run((host) => ({
      status: 'met',
      facts: facts(host === 'a' ? { bindAddress: '127.0.0.1' } : { machine: host === 'b' ? 'm' : 'other' }),
    }));
    assert.equal(failure.code, 'HOST');
    assert.match(
      failure.message,
      /^host a: its agent binds to 127\.0\.0\.1, where host c does not reach it: start/,
    );
    assert.equal(closed, 1);
  });
});
