import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { callPlugin, hasAbandonedPlugins, runningPlugins } from '../../lib/plugins/plugin-call.js';

const WHAT = 'transport ./mine.js';

describe('code of somebody else that this process waits for', () => {
  it('is known by name for as long as it runs', async () => {
    const given = await callPlugin(WHAT, 'loaded', async () => {
      assert.equal(runningPlugins(), 'transport ./mine.js while it was being loaded');
      return 5;
    });
    assert.deepEqual([given, runningPlugins(), hasAbandonedPlugins()], [5, null, false]);
  });

  it('may throw, which is its own error', async () => {
    const error = new Error('its own');
    await assert.rejects(
      callPlugin(WHAT, 'loaded', () => {
        throw error;
      }),
      error,
    );
    assert.equal(runningPlugins(), null);
  });

  it('is given up after its deadline, although something keeps the event loop alive', async () => {
    const abort = new AbortController();
    const alive = delay(60_000, null, { signal: abort.signal }).catch(() => {});
    await assert.rejects(
      callPlugin(WHAT, 'rendered', () => new Promise(() => {}), 10),
      {
        code: 'BAD_PLUGIN',
        message: /^transport \.\/mine\.js cannot be rendered: it took longer than 0\.01 s\./,
      },
    );
    abort.abort();
    await alive;
    assert.deepEqual([runningPlugins(), hasAbandonedPlugins()], [null, true]);
  });
});
