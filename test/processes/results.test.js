// Runs always.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { open, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findFault } from '../../lib/format/shape-fault.js';
import { parseResults, readResults } from '../../lib/results/read.js';
import { assertWritable, resultsText, writeDocument, writeResults } from '../../lib/results/write.js';
import { Results } from '../../lib/types/results-file.js';
import { IS_LONG } from '../conformance/long-form.js';
import { buildResults } from '../fixtures/build-results.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { closedSchema, validatorOf } from '../fixtures/strict-schema.js';
import { RESULTS_SCHEMA } from '../fixtures/write-schemas.js';

const BAD_FILE = { name: 'BenchError', code: 'BAD_RESULTS_FILE' };
const fixtures = join(import.meta.dirname, '..', 'fixtures');

const everyKindOfOutcome = buildResults({
  series: ['pipe/json', 'unix:flush=tick/string', 'tcp/json', 'zeromq/json', 'redis-pubsub/json'],
  launches: 2,
  quick: true,
  status: 'interrupted',
  flag: () => ['bottleneck'],
  skip: (cell) => (cell.transport === 'redis-pubsub' ? 'no redis-server' : null),
  fail: (cell) => (cell.transport === 'zeromq' ? 'worker w0 died' : null),
  published: {
    title: 'Somebody’s figures',
    source: 'https://example.org',
    caveats: ['another machine'],
    results: [
      {
        transport: 'pipe',
        codec: 'json',
        label: 'pipe',
        workers: 1,
        loops: 1,
        payloadBytes: 10,
        roundTripsPerSecond: 1,
      },
    ],
  },
});

const [someCell] = everyKindOfOutcome.outcomes.map(({ cell }) => cell);
Object.assign(everyKindOfOutcome, {
  controls: {
    timer: { nowNs: 40, recordNs: 4 },
    rows: [
      {
        codec: 'json',
        scenario: 'round-trip',
        payloadBytes: 1000,
        loops: 4,
        codecUs: { estimate: 5, low: 4, high: 6 },
        checkUs: 0.1,
        nullUs: 7,
      },
    ],
  },
  transports: { pipe: { class: 'pipe', guarantee: 'complete', broker: null, messagesPerRoundTrip: 2 } },
  syscalls: [{ cell: someCell, operations: 9, processes: [{ name: 'master', calls: { write: 1 } }] }],
  profiles: [{ cell: someCell, process: 'w0', file: 'p/w0.cpuprofile' }],
  explanations: [
    {
      cell: someCell,
      wholeUs: { estimate: 60, low: 58, high: 63, level: 0.95, n: 6, method: 'signed-rank' },
      explainedUs: 62,
      parts: [
        { name: 'loop', title: 'event loop and callbacks', us: 40, found: 'CPU time' },
        { name: 'waking', title: 'waking', us: null, found: 'nobody knows' },
      ],
      remainderUs: -2,
      processes: [
        {
          name: 'w0',
          role: 'worker',
          activeUs: 30,
          onTheWayUs: 20,
          afterUs: 1,
          cpuUs: 31,
          userShare: 0.5,
          collectingUs: 0.1,
          codecUs: 1,
          transportUs: 2,
          harnessUs: 0,
          samples: 4000,
        },
      ],
    },
  ],
  failedDiagnoses: [{ cell: someCell, flag: 'profile', code: 'PROCESS_DIED', message: 'w0 died' }],
});
Object.assign(everyKindOfOutcome.options, { controls: true, syscalls: true, profile: true, explain: true });
for (const outcome of everyKindOfOutcome.outcomes) {
  if (outcome.status === 'skipped') outcome.isImpossible = true;
  if (outcome.status !== 'measured') continue;
  outcome.launches[0].traffic = { published: 2, delivered: 2, bytes: 2300 };
}

const folder = ownFolder('ipc-bench-results-');

/**
 * @param {any} document
 * @param {(string | number)[]} path
 * @param {unknown} value    undefined: left out
 */
function changed(document, path, value) {
  const copy = structuredClone(document);
  const last = /** @type {string} */ (path.at(-1));
  const parent = path.slice(0, -1).reduce((inner, key) => inner[key], copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

/** @param {any} value @param {(string | number)[]} [path] @returns {(string | number)[][]} */
function pathsOf(value, path = []) {
  if (value === null || typeof value !== 'object') return [path];
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 2) : Object.keys(value);
  const inner = keys.flatMap((key) => pathsOf(value[key], [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

describe('the schema of results', () => {
  it('is valid JSON Schema 2020-12 and names every property of the typedef, and no other', () => {
    const validate = validatorOf(closedSchema(RESULTS_SCHEMA));
    for (const results of [buildResults(), everyKindOfOutcome]) {
      assert.ok(validate(JSON.parse(resultsText(results))), JSON.stringify(validate.errors));
    }
  });

  it('says the same of a changed document as the reader does', () => {
    const validate = validatorOf(RESULTS_SCHEMA);
    const values = [undefined, null, -1, 0.5, 1, 'x', '', true, [], {}, [null], { status: 'measured' }];
    const document = JSON.parse(resultsText(everyKindOfOutcome));
    const change = fc.tuple(fc.constantFrom(...pathsOf(document)), fc.constantFrom(...values));
    let refused = 0;
    fc.assert(
      fc.property(change, ([path, value]) => {
        const candidate = changed(document, path, value);
        const fault = findFault(Results, candidate);
        // The order of an interval's ends is beyond JSON Schema.
        const isValid = validate(candidate) && !fault?.includes('<=');
        if (!isValid) refused += 1;
        assert.equal(fault === null, isValid, `${path.join('.')} = ${JSON.stringify(value)}: ${fault}`);
      }),
      { seed: 1, numRuns: IS_LONG ? 600 : 200 },
    );
    assert.ok(refused > 60);
  });
});

describe('readResults', () => {
  it('refuses keys that would set a prototype', () => {
    const text = resultsText(buildResults()).replace('{', '{"unknown":[{"__proto__":{"x":1}}],');
    assert.throws(() => parseResults(text, 'a.json'), { ...BAD_FILE, message: /__proto__/ });
  });

  it('gives back what was saved', async () => {
    const path = join(folder, 'saved.json');
    await writeResults(path, everyKindOfOutcome);
    assert.deepEqual(await readResults(path), JSON.parse(JSON.stringify(everyKindOfOutcome)));
  });

  it('reads the sample of the published schema', async () => {
    assert.equal((await readResults(join(fixtures, 'results-default.json'))).outcomes.length, 10);
  });

  it('refuses what is no results file, whatever it is', () => {
    const rejectedConnections = [
      '',
      'null',
      '[]',
      '1',
      '"x"',
      '{}',
      '{"schemaVersion":1}',
      '{"tool":null}',
      '\u0000',
      '{"a":',
    ];
    rejectedConnections.push('['.repeat(200_000), `${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    for (const text of rejectedConnections)
      assert.throws(() => parseResults(text, 'a.json'), BAD_FILE, text.slice(0, 20));
  });

  it('survives deep nesting inside a document that is otherwise sound', () => {
    const nested = `"unknown":${'['.repeat(200_000)}${']'.repeat(200_000)},`;
    const text = resultsText(buildResults()).replace('"status"', `${nested}"status"`);
    assert.equal(parseResults(text, 'deep.json').schemaVersion, 1);
  });

  it('refuses a file above the size limit without reading it', async () => {
    const path = join(folder, 'huge.json');
    const handle = await open(path, 'w');
    await handle.truncate(2 ** 30);
    await handle.close();
    await assert.rejects(readResults(path), { ...BAD_FILE, message: /larger than 256 MiB/ });
  });

  it('refuses folders, pipes and missing files instead of waiting', async () => {
    await assert.rejects(readResults(folder), { ...BAD_FILE, message: /a folder/ });
    await assert.rejects(readResults(join(folder, 'none.json')), { ...BAD_FILE, message: /no such file/ });
    if (process.platform === 'win32') return;
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await assert.rejects(readResults(join(folder, 'fifo')), BAD_FILE);
  });

  it('shows no control character of a file name', async () => {
    const refusal = { name: 'BenchError', message: /^nope / };
    await assert.rejects(readResults('no\u001b]0;x\u0007pe\n'), refusal);
  });
});

describe('writeResults', () => {
  it('writes the same bytes again for what was read', () => {
    const text = resultsText(everyKindOfOutcome);
    assert.equal(resultsText(parseResults(text, 'a.json')), text);
  });

  it('begins with schema and tool, whatever the order in memory', () => {
    const { tool, ...rest } = buildResults();
    assert.match(resultsText({ ...rest, tool }), /^\{"schemaVersion":1,"tool":\{"name":"ipc-bench"/);
  });
});

describe('results in doubt', () => {
  /** @param {string} text @returns {string[]} */
  const doubtsOf = (text) => {
    /** @type {string[]} */
    const doubts = [];
    parseResults(text, 'a.json', (doubt) => doubts.push(doubt.text));
    return doubts;
  };

  it('are named if somebody has edited them, and not if they were formatted or have no checksum', () => {
    const text = resultsText(everyKindOfOutcome);
    const document = JSON.parse(text);
    assert.deepEqual(doubtsOf(text), []);
    assert.deepEqual(doubtsOf(JSON.stringify(document, null, 2)), []);
    const { sha256: _without, ...old } = document;
    assert.deepEqual(doubtsOf(JSON.stringify(old)), []);
    document.seed += 1;
    assert.match(doubtsOf(JSON.stringify(document)).join(), /^a\.json was changed after it was saved/);
  });

  it('are named if a newer version saved them', () => {
    const savedBy = (/** @type {string} */ version) =>
      doubtsOf(resultsText({ ...everyKindOfOutcome, tool: { name: 'ipc-bench', version } }));
    assert.deepEqual(savedBy('0.0.9'), []);
    assert.match(savedBy('999.0.10').join(), /^a\.json was saved by ipc-bench 999\.0\.10, which is newer/);
  });
});

// More of it is in test/unit/output-paths.test.js.
describe('what may be overwritten', () => {
  it('is looked at again before a document is written, since another run may have saved results there', async () => {
    const path = join(folder, 'own.json');
    await writeResults(path, buildResults());
    for (const page of ['a page', Buffer.from('a page')])
      await assert.rejects(writeDocument(path, page), { code: 'OUTPUT_EXISTS' });
    await writeDocument(path, resultsText(buildResults({ payloads: [7] })));
    assert.equal((await readResults(path)).outcomes[0].cell.payloadBytes, 7);
  });

  it('is no folder and no link', async () => {
    await assert.rejects(assertWritable(folder, { overwrite: true }), { code: 'OUTPUT_EXISTS' });
    if (process.platform === 'win32') return;
    const link = join(folder, 'link.json');
    await symlink(join(folder, 'saved.json'), link);
    await assert.rejects(assertWritable(link, { overwrite: true }), {
      code: 'OUTPUT_EXISTS',
      message: /a link/,
    });
  });
});
