// The scenario records without a launch: options, plan, results and charts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planCells } from '../../lib/plan/plan.js';
import { transportChoices } from '../../lib/plan/transport-choices.js';
import { loadCodecs, loadScenarios, loadTransports } from '../../lib/plugins/plugins.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { RECORD_BYTES } from '../../lib/workload/messages/record-lists.js';
import { buildResults } from '../fixtures/build-results.js';
import { SCENARIOS } from '../fixtures/counted.js';
import { resolved } from '../fixtures/resolved.js';

/** @param {Record<string, unknown>} argv */
const optionsOf = (argv) => resolved(argv).options;

/** @param {Record<string, unknown>} argv @returns {Promise<string[]>} 'unix/json 25600 records:records=100', with the reason of a skip */
async function planned(argv) {
  const options = optionsOf(argv);
  const transports = await loadTransports(options.transports.map(({ name }) => name));
  const plugins = {
    choices: transportChoices(options.transports, transports).map((each) => ({ ...each, unavailable: null })),
    codecs: await loadCodecs(options.codecs),
    scenarios: await loadScenarios(options.scenarios),
    unavailableCodecs: new Map(),
  };
  return planCells(options, plugins).map(({ cell, skip }) => {
    const { transport, codec, payloadBytes, scenario, content } = cell;
    assert.equal(content, undefined);
    return `${transport}/${codec} ${payloadBytes} ${scenario}${skip === null ? '' : ` (${skip})`}`;
  });
}

describe('the scenario records', () => {
  it('accepts several numbers of records', () => {
    assert.deepEqual(optionsOf({ scenario: 'records:records=10,30,way=untouched,stream' }).scenarios, [
      'records:records=10,way=untouched',
      'records:records=30,way=untouched',
      'stream',
    ]);
    assert.deepEqual(
      optionsOf({ transport: 'unix:sndbuf=1,2,flush=tick' }).transports.map(({ settings }) => settings),
      [
        { sndbuf: '1', flush: 'tick' },
        { sndbuf: '2', flush: 'tick' },
      ],
    );
    assert.throws(
      () => optionsOf({ scenario: 'records:records=10,30,records=5' }),
      /is set twice for records/,
    );
  });

  it('determines its own payload size and ignores --payload and --content', async () => {
    const argv = { transport: 'unix', codec: 'json', payload: '10,20', content: 'utf8,json' };
    assert.deepEqual(await planned({ ...argv, scenario: 'records:records=10,records' }), [
      `unix/json ${10 * RECORD_BYTES} records:records=10`,
      `unix/json ${100 * RECORD_BYTES} records:records=100`,
    ]);
  });

  it('skips codecs for text, and way=untouched over a channel that encodes', async () => {
    const argv = { transport: 'unix', codec: 'json,string,protobuf', scenario: 'records' };
    assert.deepEqual(await planned(argv), [
      'unix/json 25600 records:records=100',
      'unix/string 25600 records:records=100 (string carries text, and records:records=100 sends objects)',
      'unix/protobuf 25600 records:records=100',
    ]);
    const [encoded, untouched] = await planned({
      transport: 'pipe',
      codec: 'json',
      scenario: 'records,records:way=untouched',
    });
    assert.equal(encoded, 'pipe/json 25600 records:records=100');
    assert.match(untouched, /\(pipe serialises messages itself, so it cannot forward encoded ones\)/);
  });

  it('draws one chart against the number of records, and one for each number', () => {
    const numbers = [10, 100, 500];
    const results = buildResults({
      payloads: numbers.map((records) => records * RECORD_BYTES),
      shapes: ['2x4'],
    });
    const asked = (/** @type {number} */ bytes) => `records:records=${bytes / RECORD_BYTES}`;
    const pieces = { name: 'records', bytes: RECORD_BYTES, question: 'records' };
    const facts = { ...SCENARIOS['round-trip'], pieces };
    const saved = resultsText({
      ...results,
      scenarios: Object.fromEntries(numbers.map((records) => [`records:records=${records}`, facts])),
      outcomes: results.outcomes.map((outcome) => ({
        ...outcome,
        cell: { ...outcome.cell, scenario: asked(outcome.cell.payloadBytes) },
      })),
    });
    const figures = makeFigures(parseResults(saved, 'lists'));
    const names = figures.map(({ name }) => name);
    for (const records of numbers) assert.ok(names.includes(`throughput-${records}-records`), names.join());
    const lines = figures.find(({ name }) => name === 'throughput-by-records');
    assert.ok(lines);
    assert.equal(lines.title, 'Round trips per second by records, 2x4, records');
    const { x } = lines.panels[0].options.scales;
    assert.deepEqual([x.min, x.max], [10, 500]);
    assert.match(lines.altText, /with 500 records/);
    assert.equal(
      figures.find(({ name }) => name === 'throughput-10-records')?.title,
      'Round trips per second, 10 records, 2x4, records',
    );
  });
});
