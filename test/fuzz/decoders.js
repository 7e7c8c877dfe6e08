// All that reads what others wrote, each with inputs to begin with, and with what it promises of any input: its answer or
// its own kind of error, and nothing else. What is tried is mutate.js' choice.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFrame, FrameReader } from '../../lib/channels/framing.js';
import { encodeControlFrame, readControlFrame } from '../../lib/channels/message-channel.js';
import { BenchError } from '../../lib/errors.js';
import { OPTION_TABLE } from '../../lib/options/option-table.js';
import { resolveOptions } from '../../lib/options/options.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadCodecs } from '../../lib/plugins/plugins.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { comparisonMarkdown, comparisonTable } from '../../lib/report/compare/comparison-table.js';
import { parseResults } from '../../lib/results/read.js';
import csv from '../../reports/csv/csv.js';
import markdown from '../../reports/markdown/markdown.js';
import table from '../../reports/table/table.js';
import { IDS } from '../conformance/codec-inputs.js';
import { outcomeOf } from '../conformance/codec-outcome.js';
import { buildResults } from '../fixtures/build-results.js';
import { below, oneOf } from './mutate.js';

/**
 * @typedef {object} Decoder
 * @property {Buffer[]} seeds
 * @property {(input: Buffer, random: () => number) => string | Promise<string>} check   throws when a promise is broken;
 *     a short text for what came out, so that inputs that lead to something new are kept and changed further
 */

const MAX_BODY_BYTES = 4_096;
const TOKEN = 'ab'.repeat(16);

/** @param {Buffer} input */
const asText = (input) => input.toString('utf8');

/**
 * @param {() => unknown} work
 * @param {...string} codes     of the only errors that are right
 */
function outcome(work, ...codes) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BenchError) || !codes.includes(error.code)) throw error;
    return `${error.code} ${error.message.replaceAll(/"[^"]*"|\d+/g, '').slice(0, 60)}`;
  }
}

/**
 * @param {'text' | 'bytes'} kind
 * @param {Buffer[]} chunks
 */
function framesOf(kind, chunks) {
  /** @type {string[]} */
  const frames = [];
  const reader = new FrameReader({
    kind,
    maxBodyBytes: MAX_BODY_BYTES,
    onFrame: (wire) => frames.push(Buffer.from(wire).toString('hex')),
  });
  const end = outcome(() => {
    for (const chunk of chunks) reader.push(chunk);
    return 'all';
  }, 'PROTOCOL');
  assert.ok((reader.partialBody?.length ?? 0) <= MAX_BODY_BYTES, 'allocates no more than is allowed');
  return { frames, end };
}

/**
 * @param {'text' | 'bytes'} kind
 * @returns {Decoder}
 */
const framing = (kind) => ({
  seeds: ['x', 'é'.repeat(20), 'y'.repeat(300)].map((text) =>
    Buffer.concat([encodeFrame(text), encodeFrame(text)]),
  ),
  check(input, random) {
    const whole = framesOf(kind, [input]);
    const chunks = [];
    for (let at = 0; at < input.length; ) {
      const bytes = 1 + below(random, oneOf(random, [1, 4, 64]));
      chunks.push(input.subarray(at, at + bytes));
      at += bytes;
    }
    assert.deepEqual(framesOf(kind, chunks), whole, 'the same however it is split');
    return `${whole.end} ${Math.min(whole.frames.length, 4)}`;
  },
});

/**
 * @param {import('../../lib/types/messages.js').Codec} codec
 * @returns {Decoder}
 */
const decoderOf = (codec) => ({
  seeds: IDS.map((id) => codec.encode({ id, payload: `p${'é'.repeat(id % 70)}` })).map((wire) =>
    Buffer.from(/** @type {any} */ (wire)),
  ),
  check(input) {
    const wire = codec.produces === 'text' ? asText(input) : input;
    const message = outcomeOf(codec, wire);
    return message === 'refused' ? message : `a message of 2^${Math.clz32(message.payload.length)}`;
  },
});

/** @type {Record<string, Decoder>} without those whose package is missing here */
const codecs = {};
for (const { plugin } of (await loadCodecs(builtinNames('codec'))).values()) {
  if (((await plugin.whyUnavailable?.()) ?? null) !== null) continue;
  await plugin.prepare?.();
  codecs[plugin.name] = decoderOf(plugin);
}

/** @type {Decoder} */
const controlFrames = {
  seeds: ['join', 'joined', 'read', 'bye'].map((verb) =>
    Buffer.from(encodeControlFrame(TOKEN, 'w0', /** @type {any} */ (verb), 17)),
  ),
  check(input) {
    const note = readControlFrame(input, TOKEN);
    if (note === null) return 'intruder';
    assert.ok(input.includes(TOKEN), 'knows the token');
    assert.ok(Number.isSafeInteger(note.bytes) && note.bytes >= 0);
    return note.verb;
  },
};

const RECIPE = { series: ['pipe/json', 'unix/json'], launches: 6 };
const SAMPLE = JSON.stringify(buildResults(RECIPE));
const VALUES = [
  null,
  true,
  0,
  -1,
  1e308,
  0.1,
  2 ** 53,
  '',
  '__proto__',
  '\u001b[31m|<x>',
  [],
  {},
  [[]],
  [null],
];

const UNCHANGED = { name: 'old', source: 'old.json', results: buildResults(RECIPE) };
const RULES = /** @type {const} */ ({ design: 'separate', minEffect: 0.05, isForced: true });

/** @type {Decoder} */
const results = {
  seeds: [Buffer.from(SAMPLE.slice(0, 200)), Buffer.from('{"schemaVersion":1,"tool":{"name":"ipc-bench"}}')],
  async check(input, random) {
    assert.match(
      String(outcome(() => parseResults(asText(input), 'x'), 'BAD_RESULTS_FILE')),
      /^BAD_RESULTS_FILE/,
    );
    const document = JSON.parse(SAMPLE);
    for (let count = 1 + below(random, 2); count > 0; count -= 1) changeSomewhere(document, random);
    const read = outcome(() => parseResults(JSON.stringify(document), 'x'), 'BAD_RESULTS_FILE');
    if (typeof read === 'string') return read;
    for (const report of [table, csv, markdown]) await report.render(/** @type {any} */ (read), {});
    const compared = outcome(
      () =>
        compareResults(
          UNCHANGED,
          { name: 'new', source: 'new.json', results: /** @type {any} */ (read) },
          RULES,
        ),
      'NOT_COMPARABLE',
      'BAD_RESULTS_FILE',
    );
    if (typeof compared === 'string') return compared;
    assert.doesNotMatch(comparisonTable(/** @type {any} */ (compared)), /NaN|undefined|(?!\n)\p{Cc}/u);
    comparisonMarkdown(/** @type {any} */ (compared));
    return 'rendered';
  },
};

/**
 * @param {any} document
 * @param {() => number} random
 */
function changeSomewhere(document, random) {
  let at = document;
  for (;;) {
    const keys = Object.keys(at);
    const key = oneOf(random, keys);
    const isLast = at[key] === null || typeof at[key] !== 'object' || Object.keys(at[key]).length === 0;
    if (isLast || random() < 0.1) {
      if (random() < 0.2 && !Array.isArray(at)) delete at[key];
      else at[key] = structuredClone(oneOf(random, VALUES));
      return;
    }
    at = at[key];
  }
}

const FLAGS = Object.keys(OPTION_TABLE).filter((flag) => flag !== 'config');
const SURROUNDINGS = { environment: {}, now: new Date(0), randomSeed: 1 };

/** @type {Decoder} */
const options = {
  seeds: [
    '1..8*2x4',
    '10..100k*10',
    'tcp:noDelay=false,flush=tick,unix',
    '600ms',
    '1MiB',
    'unix/json',
    'p99<2ms',
    'redis://u:p@127.0.0.1:1',
  ].map((text) => Buffer.from(text)),
  check(input, random) {
    const flag = oneOf(random, FLAGS);
    const argv = { [flag]: oneOf(random, [asText(input), asText(input), [asText(input), '1'], true]) };
    const chosen = outcome(() => resolveOptions(argv, SURROUNDINGS), 'BAD_ARGUMENT');
    if (typeof chosen === 'string') return chosen;
    assert.ok(Object.isFrozen(/** @type {any} */ (chosen).options));
    return flag;
  },
};

const folder = mkdtempSync(join(tmpdir(), 'ipcb-fuzz-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** @type {Decoder} */
const config = {
  seeds: [
    { workers: ['2x4'], payload: [10, '1k'], quick: true },
    { transport: 'unix', launches: 3, lock: 'wait' },
  ].map((content) => Buffer.from(JSON.stringify(content))),
  check(input) {
    const path = join(folder, 'config.json');
    writeFileSync(path, input);
    const chosen = outcome(() => resolveOptions({ config: path }, SURROUNDINGS), 'BAD_CONFIG');
    return typeof chosen === 'string' ? chosen.replace(path, '') : 'options';
  },
};

/** @type {Record<string, Decoder>} */
export const DECODERS = {
  'framing-text': framing('text'),
  'framing-bytes': framing('bytes'),
  ...codecs,
  controlFrames,
  results,
  options,
  config,
};
