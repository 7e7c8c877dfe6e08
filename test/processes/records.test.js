// Runs in CI.
// Lists of records over real transports, with each kind of encoded message.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { IS_LONG } from '../conformance/long-form.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';

/** @import { Codec, Measure } from '../../lib/types/index.js' */

const TIMEOUT_MS = 600_000;
const RECORDS = 30;
// Bytes, and a channel that encodes by itself. The suite of scenarios covers text.
const USUAL = ['unix/msgpack', 'pipe/json'];

const { default: records } = await import(builtinUrl('scenario', 'records'));
/** @type {Codec[]} */
const codecs = await Promise.all(
  builtinNames('codec').map(async (name) => (await import(builtinUrl('codec', name))).default),
);
const carrying = codecs.filter(({ values }) => values !== undefined).map(({ name }) => `unix/${name}`);

describe('the scenario records', { timeout: TIMEOUT_MS }, () => {
  for (const series of IS_LONG ? [...carrying, 'pipe/v8', ...USUAL] : USUAL) {
    const [transport, codec] = series.split('/');
    // Encoded records over unix: the suite of scenarios.
    const usualWays = IS_LONG ? ['encoded', 'untouched'] : ['untouched'];
    for (const way of transport === 'pipe' ? ['encoded'] : usualWays) {
      it(`returns lists of records over ${series}, ${way}`, async (t) => {
        const why = (await codecs.find(({ name }) => name === codec)?.whyUnavailable?.()) ?? undefined;
        if (why !== undefined && !process.env.CI) return t.skip(why);
        const asking = { records: String(RECORDS), way };
        const { end, left } = await launchWithKnownCosts({
          transport,
          scenario: 'records',
          asking,
          cell: { codec },
        });
        assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
        const { operations, reports, costs } = /** @type {any} */ (end).fields;
        assert.ok(operations > 0);
        assert.deepEqual(left, []);
        /** @param {string} name */
        const read = (name) =>
          records.measures.find((/** @type {Measure} */ own) => own.name === name).read(reports, {}, costs);
        assert.equal(read('recordsPerSecond'), RECORDS * read('listsPerSecond'));
        assert.ok(read('cpuPerRecord') > 0);
        // The size is unknown if the channel encodes.
        if (transport === 'pipe') assert.equal(read('bytesPerRecord'), null);
        else assert.ok(read('bytesPerRecord') > 100 && read('bytesPerRecord') < 300);
      });
    }
  }
});
