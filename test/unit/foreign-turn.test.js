import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { callPlugin, hasAbandonedPlugins, runningPlugins } from '../../lib/plugins/plugin-call.js';

const WHAT = 'transport ./mine.js';

describe('callPlugin', () => {
  it('names the plug-in while it runs', async () => {
    const given = await callPlugin(WHAT, 'loaded', async () => {
      assert.equal(runningPlugins(), 'transport ./mine.js while it was being loaded');
      return 5;
    });
    assert.deepEqual([given, runningPlugins(), hasAbandonedPlugins()], [5, null, false]);
  });

  it('passes on the error of a plug-in', async () => {
    const error = new Error('its own');
    await assert.rejects(
      callPlugin(WHAT, 'loaded', () => {
        throw error;
      }),
      error,
    );
    assert.equal(runningPlugins(), null);
  });

  it('gives up after its deadline, although the event loop is kept alive', async () => {
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
