// Every decoder keeps its promises for a while of inputs that nobody wrote. `npm run fuzz` takes its time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IS_LONG } from '../conformance/long-form.js';
import { DECODERS } from '../fuzz/decoders.js';
import { fuzzDecoder } from '../fuzz/fuzz-decoder.js';

const FOR_MS = IS_LONG ? 2_000 : 100; // of each of them: the same inputs, as far as it gets
const SEED = 1;

describe('whatever it is given, it answers or refuses, and does no harm:', () => {
  for (const name of Object.keys(DECODERS)) {
    it(name, async () => {
      const { executions, outcomes } = await fuzzDecoder(name, { forMs: FOR_MS, seed: SEED });
      assert.ok(executions > 10 && outcomes > 1, `${executions} inputs, ${outcomes} kinds of outcome`);
    });
  }
});
