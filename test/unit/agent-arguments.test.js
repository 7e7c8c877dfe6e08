// What `agent` refuses before it connects to its Redis.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { agent } from '../../lib/cli/agent.js';

const REDIS = 'redis://127.0.0.1:1';

for (const [argv, expected] of /** @type {[Record<string, any>, RegExp][]} */ ([
  [{}, /^agent needs --redis URL/],
  [{ redis: 'http://127.0.0.1' }, /^--redis: this is no URL of a Redis; write redis:/],
  [{ redis: REDIS }, /^agent needs --name NAME/],
  [{ redis: REDIS, name: 'b' }, /^agent needs the secret of its runs: set IPC_BENCH_SECRET/],
])) {
  it(`names what is missing or wrong with ${JSON.stringify(argv)}`, async () => {
    const host = /** @type {any} */ ({ environment: {}, exitNow: () => assert.fail('it ends the process') });
    await assert.rejects(agent(argv, host), { code: 'BAD_ARGUMENT', message: expected });
  });
}
