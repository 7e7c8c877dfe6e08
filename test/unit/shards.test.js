// A run whose blocks several jobs share: however it is split, what is joined is what the whole run would have been; and
// what is no shard of one run is not joined.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { cellLabel } from '../../lib/cell/labels.js';
import { prepared } from '../../lib/cli/prepare.js';
import { resolveOptions } from '../../lib/options/options.js';
import { joinShards, shardsOfOneRun } from '../../lib/results/join-shards.js';
import { parseResults, readResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { runBenchmark } from '../../lib/run/interleaved-run.js';
import { seedFrom } from '../../lib/statistics/random.js';
import table from '../../reports/table/table.js';
import { IS_LONG } from '../conformance/long-form.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { SURROUNDINGS } from '../fixtures/resolved.js';
import { bench } from '../fixtures/simulated-bench.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

/** @import { Launch, Results } from '../../lib/types/index.js' */
/** @typedef {{ seed: number, launches: number, transports: readonly string[], codecs: readonly string[] }} Run */

/**
 * @param {Run} run
 * @param {{ shard?: string, failing?: ReadonlySet<string> }} [part]   failing: '3 unix/json', of a block and a cell
 * @returns {Promise<Results>} as they are read from their file
 */
async function measured({ seed, launches, transports, codecs }, { shard, failing = new Set() } = {}) {
  const asked = {
    seed: String(seed),
    launches: String(launches),
    transport: transports.join(','),
    workers: '1x2',
    codec: codecs.join(','),
    payload: '50',
    'tier-up': 'usual',
    lock: 'ignore',
    controls: false,
    ...(shard && { shard }),
  };
  const { options, plugins, plan } = await prepared(asked, SURROUNDINGS);
  const blocks = new Map(
    Array.from({ length: launches }, (_, block) => [seedFrom(seed, 'payloads', block), block]),
  );
  const launch = simulatedLauncher(
    (spec) => {
      const { transport, codec } = spec.cell;
      if (failing.has(`${blocks.get(spec.seed)} ${transport}/${codec}`)) throw new Error('out of luck');
    },
    ({ cell, seed: ofBlock }) => seedFrom(ofBlock, cellLabel(cell)),
  );
  const watch = { onProgress() {}, signal: new AbortController().signal, launch };
  const results = await runBenchmark({ options, plugins, plan, resultsPath: null, ...watch });
  return parseResults(resultsText(results), 'a run');
}

/** @param {Run} run @param {number} count @param {ReadonlySet<string>} [failing] */
async function measuredShards(run, count, failing) {
  const shards = [];
  for (let index = 1; index <= count; index += 1) {
    shards.push(await measured(run, { shard: `${index}/${count}`, failing }));
  }
  return shards;
}

/** @param {Results[]} parts @param {boolean} [isForced] */
function joined(parts, isForced = false) {
  const named = parts.map((results, place) => ({ name: `${'abcdefgh'[place]}.json`, results }));
  return joinShards(shardsOfOneRun(named, { isForced }));
}

/** @param {Results} results @returns {Map<string, Launch>} by cell and block */
function launchesIn({ outcomes }) {
  return new Map(
    outcomes.flatMap((outcome) =>
      outcome.status === 'skipped'
        ? []
        : outcome.launches.map((launch) => [`${cellLabel(outcome.cell)} ${launch.block}`, launch]),
    ),
  );
}

/** @param {Launch} launch @returns {object} what does not depend on when and where it was made */
function whatIsDecided(launch) {
  const { startedAt: _startedAt, ...rest } = launch;
  if (rest.status === 'failed') return rest;
  const { noise: _noise, flags: _flags, ...decided } = rest;
  return decided;
}

/**
 * @param {Results} shard
 * @param {Map<string, Launch>} whole    launches of the run that was not split
 * @returns {Results} the same with these launches, and without those that it did not make
 */
function withLaunchesOf(shard, whole) {
  const outcomes = shard.outcomes.map((outcome) => {
    if (outcome.status === 'skipped') return outcome;
    const launches = outcome.launches.flatMap(
      ({ block }) => whole.get(`${cellLabel(outcome.cell)} ${block}`) ?? [],
    );
    return /** @type {typeof outcome} */ ({ ...outcome, launches });
  });
  return { ...shard, outcomes };
}

/** @param {Results} results @returns {string} the file without what each run has of its own: its times, its machine */
function comparableText({ startedAt: _from, updatedAt: _to, environment: _where, shards: _shards, ...rest }) {
  return resultsText(/** @type {Results} */ (rest));
}

const RUNS = fc
  .record({
    seed: fc.nat(1e6),
    launches: fc.integer({ min: 1, max: 6 }),
    transports: fc.constantFrom(['unix'], ['unix', 'tcp'], ['pipe', 'unix', 'tcp']),
    codecs: fc.constantFrom(['json'], ['json', 'string']),
    failing: fc.uniqueArray(fc.constantFrom('0 unix/json', '1 unix/json', '2 unix/json', '1 tcp/json')),
  })
  .chain((run) => fc.tuple(fc.constant(run), fc.integer({ min: 1, max: run.launches })));
// One that is always among them: several rows, blocks that no shard has as many of as another, and a launch that fails.
/** @type {any} */
const LUCKLESS = {
  seed: 5,
  launches: 4,
  transports: ['unix', 'tcp'],
  codecs: ['json', 'string'],
  failing: ['1 unix/json'],
};

describe('a run in shards', () => {
  it('is the whole run when it is joined, byte for byte but for times and machines', async () => {
    await fc.assert(
      fc.asyncProperty(RUNS, async ([{ failing: list, ...run }, count]) => {
        const failing = new Set(list);
        const whole = await measured(run, { failing });
        const shards = await measuredShards(run, count, failing);
        const made = launchesIn(whole);
        const found = new Map(shards.flatMap((shard) => [...launchesIn(shard)]));
        for (const [place, launch] of made) {
          const same = found.get(place);
          assert.ok(same, `${place} is in no shard`);
          assert.deepEqual(whatIsDecided(same), whatIsDecided(launch), place);
        }
        // A shard does not know that another one has seen a cell fail, and launches it once more.
        const further = [...found.keys()].filter((place) => !made.has(place));
        if (failing.size < 2) assert.deepEqual(further, []);
        const parts = shards.map((shard) => withLaunchesOf(shard, made));
        const again = joined(parts.toReversed());
        assert.equal(comparableText(again), comparableText(whole));
        assert.equal(resultsText(again), resultsText(joined(parts)), 'in any order');
        assert.deepEqual(parseResults(resultsText(again), 'joined'), again, 'it is a results file');
      }),
      { numRuns: IS_LONG ? 8 : 3, examples: [[[LUCKLESS, 3]]] },
    );
  });

  it('gives the same table, ratios and conclusion, and says that it was joined', async () => {
    const run = { seed: 3, launches: 7, transports: ['unix', 'tcp'], codecs: ['json'] };
    const whole = await measured(run);
    const made = launchesIn(whole);
    const shards = await measuredShards(run, 3);
    const again = joined(shards.map((shard) => withLaunchesOf(shard, made)));
    const textOf = async (/** @type {Results} */ results) =>
      String((await table.render(results, {}))[0].content);
    const saidOfShards = /Joined from 3 shards[^.]*\.\n/;
    assert.match(await textOf(again), saidOfShards);
    assert.equal((await textOf(again)).replace(saidOfShards, ''), await textOf(whole));
    assert.match(await textOf(shards[1]), /Shard 2 of 3, with 2 of 7 launches per row/);
  });
});

const RUN = { seed: 3, launches: 4, transports: ['unix', 'tcp'], codecs: ['json'] };
describe('shards that are joined', () => {
  /** @type {Results[]} */
  let pair;
  before(async () => {
    pair = await measuredShards(RUN, 2);
  });

  /** @typedef {(results: any) => void} Change */
  /** @param {Change} change @returns {Results} the second of the two shards, changed */
  function changedSecond(change) {
    const copy = structuredClone(pair[1]);
    change(copy);
    return copy;
  }

  /** @type {[string, Change, RegExp][]} */
  const unlike = [
    [
      'versions of ipc-bench',
      ({ tool }) => (tool.version = '9.9.9'),
      /ipc-bench is .* in a\.json, 9\.9\.9 in b\.json/,
    ],
    ['seeds', ({ options }) => (options.seed = 4), /option seed is 3 in a\.json, 4 in b\.json/],
    [
      'options',
      ({ options }) => (options.measureMs = 90),
      /option measureMs is 560 in a\.json, 90 in b\.json/,
    ],
    [
      'numbers of shards',
      ({ options, outcomes }) => {
        options.shard = { index: 2, count: 3 };
        for (const { launches } of outcomes) launches.pop();
      },
      /the number of shards is 2 in a\.json, 3 in b\.json/,
    ],
    ['questions', ({ outcomes }) => outcomes.pop(), /tcp\/json .*is planned in a\.json, absent in b\.json/],
    [
      'reasons to skip a cell',
      ({ outcomes }) => (outcomes[1] = { status: 'skipped', cell: outcomes[1].cell, reason: 'no room' }),
      /tcp\/json .*is planned in a\.json, skipped \(no room\) in b\.json/,
    ],
    [
      'measures',
      ({ scenarios }) => (scenarios['round-trip'].measures[0].better = 'lower'),
      /what the scenarios measure is/,
    ],
  ];
  for (const [what, change, reason] of unlike) {
    it(`must not have other ${what}, whatever is forced`, () => {
      for (const isForced of [false, true]) {
        assert.throws(() => joined([pair[0], changedSecond(change)], isForced), {
          code: 'NOT_COMPARABLE',
          message: reason,
        });
      }
    });
  }

  it('are each named once, and are shards', async () => {
    const whole = await measured(RUN);
    assert.throws(() => joined([pair[1], pair[1]]), /a\.json and b\.json are both shard 2 of 2/);
    assert.throws(() => joined([pair[0], whole]), /b\.json is of a whole run, and no shard/);
    assert.throws(() => joined([pair[0], joined(pair)]), /b\.json is joined already/);
    const strange = changedSecond(({ outcomes }) => (outcomes[0].launches[0].block = 2));
    assert.throws(() => joined([pair[0], strange]), {
      code: 'BAD_RESULTS_FILE',
      message: /launch of block 2/,
    });
  });

  it('name five cells that differ, and how many more there are', async () => {
    const many = { ...RUN, transports: ['unix', 'tcp', 'pipe'], codecs: ['json', 'v8', 'msgpack', 'cbor'] };
    const [one, other] = await measuredShards({ ...many, launches: 2 }, 2);
    const cells = one.outcomes.length;
    const gone = { ...other, outcomes: other.outcomes.slice(0, 1) };
    assert.throws(
      () => joined([one, gone]),
      (/** @type {Error} */ { message }) => {
        assert.equal(message.match(/ is (planned|skipped.*) in a\.json, absent in b\.json/g)?.length, 5);
        assert.match(message, new RegExp(`\n  - and so are ${cells - 1 - 5} more cells\n`));
        return true;
      },
    );
  });

  it('were measured with the same messages, wherever the file lies', () => {
    const withFile = (/** @type {number} */ place, /** @type {object} */ own) => {
      const results = structuredClone(pair[place]);
      const facts = { content: 'mine', format: 'json', sha256: 'a', messages: 2, ...own };
      Object.assign(results.options, { messageFile: facts });
      return results;
    };
    const [here, elsewhere] = [withFile(0, { path: '/a' }), withFile(1, { path: '/b' })];
    assert.equal(joined([here, elsewhere]).status, 'complete');
    assert.throws(() => joined([here, withFile(1, { messages: 3 })]), /option messageFile is /);
    assert.throws(() => joined([here, pair[1]]), /option messageFile is /);
  });

  it('keep what no machine could measure, and what was skipped, apart', () => {
    const skipping = (/** @type {number} */ place) => {
      const results = structuredClone(pair[place]);
      const [{ cell }] = results.outcomes;
      results.outcomes[0] = { status: 'skipped', cell, reason: 'never', isImpossible: true };
      results.outcomes[1] = { status: 'skipped', cell: results.outcomes[1].cell, reason: 'not here' };
      return results;
    };
    const { outcomes } = joined([skipping(0), skipping(1)]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'skipped' && [outcome.reason, outcome.isImpossible]),
      [
        ['never', true],
        ['not here', undefined],
      ],
    );
  });

  it('may all be stopped before their first launch had ended', () => {
    const idle = (/** @type {number} */ place) => ({
      ...pair[place],
      status: /** @type {const} */ ('interrupted'),
      outcomes: [],
    });
    assert.deepEqual(joined([idle(0), idle(1)], true).outcomes, []);
  });

  it('may lack one by force only, which the results tell', async () => {
    assert.throws(() => joined([pair[0]]), { code: 'NOT_COMPARABLE', message: /shard 2 of 2 is missing/ });
    const part = joined([pair[0]], true);
    assert.equal(part.status, 'interrupted');
    const [{ content }] = await table.render(part, {});
    assert.match(String(content), /shard 2 of 2 missing/);
    for (const outcome of part.outcomes) {
      assert.ok(outcome.status === 'measured');
      assert.match(
        outcome.flags.map(({ message }) => message).join(),
        /2 of 4 launches: .*a shard is missing/,
      );
    }
  });

  it('are finished, or joined by force', () => {
    const stopped = changedSecond((results) => {
      results.status = 'interrupted';
      for (const outcome of results.outcomes) outcome.launches.pop();
    });
    const reason = /shard 2 of 2 was not finished: npx ipc-bench run --resume b\.json goes on with it/;
    assert.throws(() => joined([pair[0], stopped]), { code: 'NOT_COMPARABLE', message: reason });
    assert.equal(joined([pair[0], stopped], true).status, 'interrupted');
    const idle = changedSecond((results) => Object.assign(results, { status: 'interrupted', outcomes: [] }));
    assert.equal(launchesIn(joined([idle, pair[0]], true)).size, 4);
  });

  it('were measured with the same software, on machines that may differ, which the results tell', async () => {
    const other = changedSecond(({ environment }) => (environment.cpuModel = 'Another CPU'));
    const again = joined([pair[0], other]);
    const [{ content }] = await table.render(again, { hasNotes: true });
    assert.match(String(content), /on different machines\s+\(CPU\)/);
    assert.match(String(content), /shard 2: Another CPU/);
    assert.deepEqual(
      again.shards?.map(({ environment }) => environment.cpuModel),
      [pair[0].environment.cpuModel, 'Another CPU'],
    );
    const newer = changedSecond(({ environment }) => (environment.node = 'v99.0.0'));
    assert.throws(() => joined([pair[0], newer]), {
      code: 'NOT_COMPARABLE',
      message: /Node is .*, v99\.0\.0 in b/,
    });
    const [{ content: forced }] = await table.render(joined([pair[0], newer], true), {});
    assert.match(String(forced), /by --force although these\s+differ: Node/);
  });

  it('were measured with the same software on each host of workers', () => {
    const across = (/** @type {number} */ place, /** @type {string} */ node) => {
      const results = structuredClone(pair[place]);
      const { environment, options } = results;
      options.hosts = { master: 'a', workers: ['b'] };
      const b = { role: /** @type {const} */ ('worker'), environment: { ...environment, node } };
      return { ...results, hosts: { a: { role: /** @type {const} */ ('master'), environment }, b } };
    };
    assert.equal(joined([across(0, 'v20.1.0'), across(1, 'v20.1.0')]).hosts?.b.environment.node, 'v20.1.0');
    assert.throws(() => joined([across(0, 'v20.1.0'), across(1, 'v20.2.0')]), {
      code: 'NOT_COMPARABLE',
      message: /Node of host b is v20\.1\.0 in a\.json, v20\.2\.0 in b\.json/,
    });
  });

  it('used the same brokers, as far as they needed any', () => {
    const withBroker = (/** @type {number} */ place, /** @type {string} */ version) => {
      const results = structuredClone(pair[place]);
      results.environment.brokers.redis = { version, config: { save: '' }, origin: 'private' };
      return results;
    };
    const [one, other] = [withBroker(0, '7.0.1'), withBroker(1, '7.2.0')];
    assert.throws(
      () => joined([one, other]),
      /broker redis is .*7\.0\.1.* in a\.json, .*7\.2\.0.* in b\.json/,
    );
    assert.equal(joined([pair[0], other]).environment.brokers.redis.version, '7.2.0');
  });

  it('began with the first of them, and ended with the last', () => {
    const timed = (/** @type {number} */ place, /** @type {number} */ from, /** @type {number} */ to) => ({
      ...pair[place],
      startedAt: `2026-01-15T09:0${from}:00.000Z`,
      updatedAt: `2026-01-15T09:0${to}:00.000Z`,
    });
    const { startedAt, updatedAt } = joined([timed(0, 3, 5), timed(1, 2, 4)]);
    assert.deepEqual([startedAt, updatedAt], ['2026-01-15T09:02:00.000Z', '2026-01-15T09:05:00.000Z']);
  });

  it('have one reading of what the machines cost: the middle one, and the slower one of two', () => {
    const controlled = (/** @type {number[]} */ costs) =>
      costs.map((cost, place) => {
        const results = structuredClone(pair[place]);
        const codecUs = { estimate: cost, low: cost, high: cost };
        const { codec, scenario, payloadBytes, loops } = results.outcomes[0].cell;
        const row = { codec, scenario, payloadBytes, loops, codecUs, checkUs: 1, nullUs: cost };
        results.controls = { timer: { nowNs: cost, recordNs: 1 }, rows: [row] };
        results.machine = { wakeUp: { sameUs: 1, splitUs: 2, costUs: cost, cpus: [0, 1] } };
        return results;
      });
    const { controls, machine, shards } = joined(controlled([3, 5]));
    assert.equal(machine?.wakeUp?.costUs, 5);
    assert.equal(controls?.rows[0].nullUs, 5);
    assert.equal(controls?.timer?.nowNs, 5);
    assert.deepEqual(
      shards?.map((shard) => shard.controls?.rows[0].nullUs),
      [3, 5],
    );
  });
});

describe('--shard', () => {
  const shardOf = (/** @type {Record<string, unknown>} */ argv) =>
    resolveOptions({ seed: '1', launches: '6', ...argv }, SURROUNDINGS).options.shard;

  it('is the number of the shard, and how many there are', () => {
    assert.deepEqual(shardOf({ shard: '2/4' }), { index: 2, count: 4 });
    assert.deepEqual(shardOf({ shard: '1/1' }), { index: 1, count: 1 });
    assert.equal(shardOf({}), undefined);
    for (const text of ['0/4', '5/4', '2', '2/', '/4', '2-4', '-1/4', '1.5/4', '2/4/8', '١/٢', '1/10000']) {
      assert.throws(
        () => shardOf({ shard: text }),
        { code: 'BAD_ARGUMENT', message: /is no shard; write/ },
        text,
      );
    }
  });

  it('is refused where the blocks cannot be dealt out beforehand', () => {
    /** @type {[Record<string, unknown>, RegExp][]} */
    const refused = [
      [{ seed: undefined }, /--shard: needs a --seed/],
      [{ launches: '3' }, /--launches 3 are too few for 4 shards.*--launches 4/],
      [{ 'target-error': '2%' }, /goes without --target-error/],
      [{ 'max-time': '5m' }, /goes without --max-time/],
      [{ sweep: true }, /goes without --sweep/],
    ];
    for (const [argv, message] of refused) {
      assert.throws(() => shardOf({ shard: '1/4', ...argv }), { code: 'BAD_ARGUMENT', message });
    }
  });

  it('is given in the environment and in the file of --config as well', () => {
    const environment = { IPC_BENCH_SHARD: '2/3', IPC_BENCH_SEED: '5' };
    const { options, config } = resolveOptions({}, { ...SURROUNDINGS, environment });
    assert.deepEqual(options.shard, { index: 2, count: 3 });
    assert.equal(config.shard, '2/3');
    const again = resolveOptions({}, { ...SURROUNDINGS, config: { shard: '2/3', seed: 5 } });
    assert.deepEqual(again.options.shard, options.shard);
  });
});

describe('ipc-bench merge', () => {
  const ARGS = '--transport unix,tcp --codec json --workers 1x2 --payload 50 --launches 3 --seed 5';
  const folder = ownFolder('ibs-');
  const pathOf = (/** @type {string} */ out) => join(folder, out, 'results.json');
  const shard = (
    /** @type {number} */ index,
    /** @type {Parameters<typeof bench>[1]} */ onLaunch = undefined,
  ) =>
    bench(
      [
        ...[...ARGS.split(' '), '--tier-up', 'usual', '--no-controls', '--no-charts'],
        ...['--shard', `${index}/2`, '--out', join(folder, `s${index}`)],
      ],
      onLaunch,
    );

  it('joins what the jobs have saved, after one of them was interrupted and went on', async () => {
    const stop = (/** @type {unknown} */ _assignment, /** @type {number} */ index) => {
      if (index === 1) process.emit('SIGINT', 'SIGINT');
    };
    assert.equal((await shard(1, stop)).code, 130);
    assert.equal((await shard(2)).code, 0);
    const files = [pathOf('s1'), pathOf('s2')];
    await assert.rejects(bench(['merge', ...files]), /shard 1 of 2 was not finished/);
    const { code, stdout } = await bench(['--resume', files[0]]);
    assert.equal(code, 0);
    assert.match(stdout, /Shard 1 of 2, with 2 of 3 launches per row/);
    assert.match(stdout, /Next, .*: npx ipc-bench merge --out merged /);
    const merged = await bench(['merge', ...files, '--out', join(folder, 'm'), '--no-charts']);
    assert.equal(merged.code, 0);
    assert.match(merged.stdout, /Joined from 2 shards/);
    const results = await readResults(pathOf('m'));
    assert.equal(results.status, 'complete');
    assert.deepEqual([...launchesIn(results).values()].map(({ order }) => order).sort(), [0, 1, 2, 3, 4, 5]);
    const compared = await bench(['compare', pathOf('m'), pathOf('s1'), '--fail-on', 'none']);
    assert.match(compared.stdout, /joined from 2 shards/);
    assert.match(compared.stdout, /is shard 1 of 2 only/);
    await assert.rejects(bench(['--resume', pathOf('m')]), /is complete/);
  });

  it('says what it cannot use', async () => {
    writeFileSync(join(folder, 'cut.json'), '{"schemaVersion":1');
    await assert.rejects(bench(['merge']), /merge needs files; name the results\.json of all shards/);
    await assert.rejects(
      bench(['merge', pathOf('s1'), join(folder, 'cut.json')]),
      /is no JSON or was cut off/,
    );
    const first = join(import.meta.dirname, '../fixtures/results-default.json');
    await assert.rejects(bench(['merge', first]), /is of a whole run, and no shard/);
    await assert.rejects(bench(['merge', pathOf('s2'), '--out', 'all.json']), /write --json all\.json/);
    const alone = await bench(['merge', pathOf('s2'), '--force']);
    assert.equal(alone.code, 0);
    assert.match(alone.stderr, /Nothing was saved: --out DIR/);
  });
});
