import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectingAtOnce, connectionsInAll, loopsInAll } from '../../lib/cell/connections.js';
import { cellLabel, seriesLabel } from '../../lib/cell/labels.js';
import { BenchError } from '../../lib/errors.js';
import { chooseCpuSets } from '../../lib/machine/placement.js';
import { estimatedRun, refuseEndlessRun, runTimeText } from '../../lib/plan/duration-estimate.js';
import { crowdingLines, makePlan, planCells, referenceLabel } from '../../lib/plan/plan.js';
import { memorySkipReason, otherNetReason, skipOfCell, spinSkipReason } from '../../lib/plan/skip-reasons.js';
import { launchMs, MAX_SLICE_MS, planTiming, windowForSlo } from '../../lib/plan/timing.js';
import { transportChoices } from '../../lib/plan/transport-choices.js';
import { resolved } from '../fixtures/resolved.js';

/** @import { PlannedCell } from '../../lib/types/index.js' */

const TRAITS = { greatestMessageBytes: Infinity };
const FLUSH = { summary: 'when', default: 'direct', choices: ['direct', 'tick'] };
const NO_DELAY = { summary: 'at once', default: true };
const DEPTH = { summary: 'how many', default: 10, min: 1, max: 100 };

const TRANSPORTS = [
  { name: 'pipe', traits: TRAITS, carries: ['value'], serialises: ['json', 'v8'] },
  { name: 'unix', traits: TRAITS, carries: ['text', 'bytes'], settings: { flush: FLUSH } },
  {
    name: 'tcp',
    traits: TRAITS,
    carries: ['text'],
    settings: { flush: FLUSH, noDelay: NO_DELAY, depth: DEPTH },
    whyImpossible: (/** @type {any} */ { flush, depth }) =>
      flush === 'tick' && depth === 100 ? 'flush=tick goes with a depth below 100 only' : undefined,
  },
  { name: 'port', traits: TRAITS, carries: ['value', 'text'], serialises: ['v8'] },
  { name: 'udp', traits: { greatestMessageBytes: 65_507 }, carries: ['text', 'bytes'] },
  {
    name: 'ring',
    traits: TRAITS,
    carries: ['text'],
    settings: { wake: { summary: 'how', default: 'doorbell', choices: ['doorbell', 'spin'] } },
    traitsOf: (/** @type {any} */ { wake }) => (wake === 'spin' ? { isSpinning: true } : {}),
  },
];
const CODECS = [
  { name: 'json', produces: 'text' },
  { name: 'string', produces: 'text' },
  { name: 'binary', produces: 'bytes' },
  { name: 'v8', produces: 'bytes' },
];

const SCENARIOS = [{ name: 'round-trip' }, { name: 'lists', carries: () => ({ payloadBytes: 25_600 }) }];

/**
 * @param {{ name: string }[]} plugins
 * @returns {Map<string, any>}
 */
function loaded(plugins) {
  return new Map(
    plugins.map((plugin) => [plugin.name, { plugin, writtenAs: [plugin.name, `./${plugin.name}.js`] }]),
  );
}

/** @param {Record<string, unknown>} argv */
function optionsOf(argv) {
  return resolved({ transport: 'pipe,unix', ...argv }).options;
}

/**
 * @param {Record<string, unknown>} argv
 * @param {Map<string, string>} [unavailable]
 * @param {Parameters<typeof planCells>[2]} [cpus]
 */
function planOf(argv, unavailable = new Map(), cpus = null) {
  const options = optionsOf(argv);
  return planCells(options, pluginsOf(options, unavailable), cpus);
}

/** @param {import('../../lib/types/index.js').Options} options @param {Map<string, string>} [unavailable] */
function pluginsOf(options, unavailable = new Map()) {
  const choices = transportChoices(options.transports, loaded(TRANSPORTS)).map((choice) => ({
    ...choice,
    unavailable: unavailable.get(choice.transport.name) ?? null,
  }));
  return {
    choices,
    codecs: loaded(CODECS),
    scenarios: loaded(SCENARIOS),
    unavailableCodecs: new Map(),
  };
}

/** @param {PlannedCell[]} plan */
function lines(plan) {
  return plan.map(({ cell, skip }) => `${cellLabel(cell)}${skip === null ? '' : ` (${skip})`}`);
}

describe('planCells', () => {
  it('crosses all axes, and keeps compared cells together', () => {
    const plan = planOf({ codec: 'json', workers: '1x1,2x4', payload: '10,20', placement: 'split,same' });
    assert.deepEqual(lines(plan).slice(0, 6), [
      'pipe/json round-trip 1x1 10 B split',
      'unix/json round-trip 1x1 10 B split',
      'pipe/json round-trip 1x1 20 B split',
      'unix/json round-trip 1x1 20 B split',
      'pipe/json round-trip 2x4 10 B split',
      'unix/json round-trip 2x4 10 B split',
    ]);
    assert.equal(plan.length, 16);
    assert.match(lines(plan)[8], /1x1 10 B same/);
  });

  it('skips codecs whose messages a serialising transport would encode twice', () => {
    assert.deepEqual(lines(planOf({ transport: 'pipe', codec: 'json,string,v8' })), [
      'pipe/json round-trip 2x4 1000 B split',
      'pipe/string round-trip 2x4 1000 B split (pipe serialises messages itself (json, v8), so string would be encoded twice)',
      'pipe/v8 round-trip 2x4 1000 B split',
    ]);
  });

  it('plans both kinds of codec for a transport that serialises and carries text', () => {
    assert.deepEqual(lines(planOf({ transport: 'port', codec: 'json,v8' })), [
      'port/json round-trip 2x4 1000 B split',
      'port/v8 round-trip 2x4 1000 B split',
    ]);
  });

  it('skips a codec whose output the transport does not carry', () => {
    assert.match(
      lines(planOf({ transport: 'tcp', codec: 'binary' }))[0],
      /\(tcp carries text, binary produces bytes\)/,
    );
  });

  it('skips only cells that spin with both ends on one CPU, with the reason and the remedy', () => {
    const argv = { transport: 'ring,ring:wake=spin', codec: 'json', placement: 'split,same,free' };
    const skippedOn = (/** @type {Parameters<typeof planCells>[2]} */ cpus) =>
      planOf(argv, new Map(), cpus).flatMap(({ cell, skip }) =>
        skip === null ? [] : [`${seriesLabel(cell)} ${cell.placement} ${skip}`],
      );
    const spin = 'ring:wake=spin/json';
    assert.deepEqual(skippedOn({ canPin: true, usableCpus: 2 }), [
      `${spin} same both ends would busy-wait on one CPU with --placement same and measure the time slice of the scheduler: ` +
        'use --placement split, or add --force to measure it anyway',
    ]);
    const alone =
      'both ends would busy-wait on the only usable CPU and measure the time slice of the scheduler: ' +
      'add a second CPU, or add --force to measure it anyway';
    const all = ['split', 'same', 'free'].map((placement) => `${spin} ${placement} ${alone}`);
    assert.deepEqual(skippedOn({ canPin: true, usableCpus: 1 }), all);
    assert.deepEqual(skippedOn({ canPin: false, usableCpus: 1 }), all);
    assert.deepEqual(skippedOn({ canPin: false, usableCpus: 2 }), [], 'the scheduler parts them');
    assert.deepEqual(skippedOn(null), [], 'with --force');
  });

  it('skips cells that spin exactly if a worker shares the CPU of the end that it talks to', () => {
    const transport = /** @type {any} */ ({ name: 'memory', traits: { isSpinning: true } });
    for (const placement of /** @type {const} */ (['split', 'same'])) {
      for (const cpus of [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]]) {
        for (const [workers, between] of /** @type {[number, string[]][]} */ ([
          [1, []],
          [4, []],
          [1, ['relay']],
          [3, ['relay']],
        ])) {
          const cpuSets = chooseCpuSets(placement, workers, 0, cpus, between);
          const [other = cpuSets?.master] = Object.values(cpuSets?.others ?? {});
          const isShared = cpuSets?.workers.some(([cpu]) => other?.includes(cpu));
          const cell = /** @type {any} */ ({ settings: {}, placement, workers });
          const plan = { canPin: true, usableCpus: cpus.length };
          const why = spinSkipReason(transport, cell, plan, between.length);
          assert.equal(why !== null, isShared, `${placement}, ${workers} workers on ${cpus}, ${between}`);
        }
      }
    }
  });

  it('skips payloads above the largest message', () => {
    const plan = planOf({ transport: 'udp', codec: 'json', payload: '65507,65508' });
    assert.deepEqual(
      plan.map(({ skip }) => skip),
      [null, 'udp carries at most 65,507 bytes in a message'],
    );
    assert.equal(plan[1].cell.payloadBytes, 65_508);
  });

  it('distinguishes impossible cells from those that another machine could measure', () => {
    const missing = new Map([['unix', 'no unix here']]);
    const kindsOf = (/** @type {Record<string, unknown>} */ argv) =>
      planOf(argv, missing).map(({ skip, isImpossible }) => [skip === null, isImpossible ?? false]);
    assert.deepEqual(kindsOf({ transport: 'pipe', codec: 'json,string' }), [
      [true, false],
      [false, true],
    ]);
    assert.deepEqual(kindsOf({ transport: 'tcp:flush=tick,depth=100', codec: 'json' }), [[false, true]]);
    assert.deepEqual(kindsOf({ transport: 'udp', codec: 'json', payload: '10,65508' }), [
      [true, false],
      [false, true],
    ]);
    assert.deepEqual(kindsOf({ transport: 'unix', codec: 'json' }), [[false, false]]);
  });

  it('skips settings that exclude each other, including defaults', () => {
    const transport = 'tcp:depth=100,tcp:flush=tick,tcp:depth=100,flush=tick';
    assert.deepEqual(lines(planOf({ transport, codec: 'json', payload: '100', workers: '1x1' })), [
      'tcp:depth=100/json round-trip 1x1 100 B split',
      'tcp:flush=tick/json round-trip 1x1 100 B split',
      'tcp:flush=tick,depth=100/json round-trip 1x1 100 B split (flush=tick goes with a depth below 100 only)',
    ]);
  });

  it('keeps only settings that differ from the default, typed and in one order', () => {
    const plan = planOf({
      transport: 'tcp:depth=20,noDelay=false,flush=direct,tcp:noDelay=true',
      codec: 'json',
    });
    assert.deepEqual(
      plan.map(({ cell }) => cell.settings),
      [{ noDelay: false, depth: 20 }, {}],
    );
    assert.equal(seriesLabel(plan[0].cell), 'tcp:noDelay=false,depth=20/json');
  });

  it('plans the same cell once, whatever its spelling', () => {
    const plan = planOf({ transport: 'unix,unix:flush=direct,./unix.js', codec: 'json' });
    assert.equal(plan.length, 1);
  });

  /** @type {[string, RegExp][]} */
  const badSettings = [
    ['unix:flsh=tick', /no setting "flsh"; unix has flush. Did you mean flush/],
    ['pipe:flush=tick', /pipe has no settings/],
    ['pipe:serialization=advanced', /Did you mean --codec v8\?$/],
    ['unix:codec=msgpack', /Did you mean --codec msgpack\?$/],
    ['unix:flush=tock', /"tock" is not usable; it is one of direct, tick. Did you mean tick/],
    ['tcp:noDelay=fals', /write true or false. Did you mean false/],
    ['tcp:depth=deep', /is not a whole number/],
    ['tcp:depth=0', /it goes from 1 to 100/],
    ['tcp:depth=1.5', /is not a whole number/],
    ['tcp:depth=1e309', /is not a whole number/],
    ['tcp:__proto__=1', /no setting "__proto__"/],
    ['tcp:constructor=1', /no setting "constructor"/],
  ];
  for (const [transport, expected] of badSettings) {
    it(`refuses ${transport}`, () => {
      assert.throws(() => planOf({ transport }), { code: 'BAD_ARGUMENT', message: expected });
    });
  }

  it('plans only the series of a preset, but all codecs of transports that it does not name', () => {
    const series = (/** @type {Record<string, string>} */ argv) =>
      planOf({ preset: 'node-ipc-2016', workers: '1x1', payload: '10', ...argv }).map(({ cell }) =>
        seriesLabel(cell),
      );
    assert.deepEqual(series({ transport: 'pipe,unix' }), [
      'pipe/json',
      'unix/json',
      'unix/string',
      'unix/binary',
    ]);
    assert.deepEqual(series({ transport: 'udp' }), ['udp/json', 'udp/string', 'udp/binary']);
    assert.deepEqual(series({ transport: 'tcp', codec: 'json,v8' }), ['tcp/json', 'tcp/v8']);
  });

  it('rejects a plan of millions of cells', () => {
    assert.throws(() => planOf({ workers: '1..100x1..10', payload: '1..1000' }), {
      code: 'TOO_MANY_CELLS',
      message: /4,000,000 cells/,
    });
  });
});

describe('skipOfCell', () => {
  const cell = { transport: 'ring', codec: 'json', payloadBytes: 1, workers: 2, loops: 1, connections: 3 };
  const onThisMachine = {
    transport: {
      name: 'ring',
      carries: ['text'],
      traits: { reconnects: true, reach: 'network', isSpinning: true, greatestMessageBytes: Infinity },
    },
    codec: { name: 'json', produces: 'text' },
    scenario: { name: 'stream', isOverConnections: true },
    cell: { ...cell, placement: 'same', network: '1ms', hosts: 'a:b', settings: {} },
    options: { messages: null, brokerUrls: {} },
    schema: null,
    unavailable: 'no transport',
    unavailableCodecs: new Map([['json', 'no codec']]),
    runtimes: { choice: { unavailable: 'no runtime', byRole: {} } },
  };
  const machine = {
    canPin: true,
    usableCpus: 4,
    whyNoNetwork: 'no network',
    room: { openFiles: 1, ports: null, backlog: null },
  };

  it('returns the reasons of this machine in their order', () => {
    const steps = /** @type {[RegExp, object, object?][]} */ ([
      [/^no transport$/, { unavailable: null }],
      [/^no codec$/, { unavailableCodecs: new Map() }],
      [/placement same needs one CPU/, {}, { hosts: undefined }],
      [/^no runtime$/, { runtimes: undefined }],
      [/^no network$/, {}, { network: undefined }],
      [/both ends would busy-wait/, {}, { placement: 'free' }],
      [/open files in one process/, {}, { connections: undefined }],
    ]);
    let parts = /** @type {any} */ (onThisMachine);
    for (const [reason, without, cellWithout = {}] of steps) {
      const { skip, ...kind } = skipOfCell(parts, machine);
      assert.match(String(skip), reason);
      assert.deepEqual(kind, {}, 'another machine could measure it');
      parts = { ...parts, ...without, cell: { ...parts.cell, ...cellWithout } };
    }
    assert.deepEqual(skipOfCell(parts, machine), { skip: null });
  });

  it('returns what no machine can do before what this one lacks', () => {
    const contradiction = { ...onThisMachine, scenario: { name: 'connect' } };
    const { skip, ...kind } = skipOfCell(/** @type {any} */ (contradiction), machine);
    assert.match(String(skip), /leave out --connections/);
    assert.deepEqual(kind, { isImpossible: true, isContradiction: true });
    const impossible = { ...contradiction, codec: { name: 'binary', produces: 'bytes' } };
    assert.deepEqual(skipOfCell(/** @type {any} */ (impossible), machine), {
      skip: 'ring carries text, binary produces bytes',
      isImpossible: true,
    });
  });
});

describe('referenceLabel', () => {
  /** @param {Record<string, unknown>} argv */
  const reference = (argv) => referenceLabel(optionsOf(argv), planOf(argv));

  it('returns the default if it is measured, or else the first measured row', () => {
    assert.equal(reference({}), 'pipe/json');
    assert.equal(reference({ transport: 'pipe,tcp', codec: 'string' }), 'tcp/string');
  });

  it('finds the requested row in any order of settings', () => {
    const transport = 'unix,tcp:noDelay=false,flush=tick';
    const asked = 'tcp:noDelay=false,flush=tick/json';
    assert.equal(reference({ transport, reference: asked }), 'tcp:flush=tick,noDelay=false/json');
  });

  it('rejects a row that is not measured, with the reason', () => {
    assert.throws(() => reference({ reference: 'unix/jsn' }), {
      code: 'BAD_ARGUMENT',
      message: /Did you mean unix\/json/,
    });
    assert.throws(
      () => reference({ reference: 'pipe/string', codec: 'json,string' }),
      /is skipped: pipe serialises messages itself/,
    );
  });

  it('returns an empty label if nothing is measured', () => {
    assert.equal(reference({ transport: 'pipe', codec: 'string' }), '');
  });
});

describe('estimatedRun', () => {
  /** @param {Record<string, unknown>} argv */
  const estimated = (argv) => estimatedRun(optionsOf(argv), planOf(argv));

  it('counts no skipped cells', () => {
    assert.equal(estimated({}).launches, 12);
    assert.equal(estimated({ codec: 'json,string' }).launches, 9);
  });

  it('adds no warm-up for cold scenarios, and the window that they need', () => {
    const options = optionsOf({
      launches: '1',
      codec: 'json',
      transport: 'unix',
      measure: '1s',
      workers: '1x1',
    });
    const plan = planOf({ codec: 'json', transport: 'unix', workers: '1x1' });
    const ms = (/** @type {object} */ scenario) => estimatedRun(options, plan, () => scenario).ms;
    const cold = { isCold: /** @type {const} */ (true) };
    assert.equal(ms({ ...cold, leastWindowMs: 2_400 }) - ms(cold), 1_400);
    assert.ok(ms({}) - ms(cold) >= 480);
  });

  it('adds the calibration of large messages, once for each codec', () => {
    const row = { transport: 'unix', codec: 'json', payload: '100MB', workers: '1x1' };
    const calibrationMs = (/** @type {object} */ further) =>
      estimated({ ...row, ...further }).ms - estimated({ ...row, ...further, controls: false }).ms;
    assert.ok(calibrationMs({}) > 1_000);
    assert.equal(calibrationMs({ transport: 'unix,tcp' }), calibrationMs({}));
    assert.equal(calibrationMs({ codec: 'json,string' }), 2 * calibrationMs({}));
  });

  it('returns the time of the fewest and of the most launches of an adaptive run', () => {
    const cell = { codec: 'json', transport: 'unix', launches: '2' };
    const { launches, ms, mostMs } = estimated({ ...cell, 'target-error': '2%' });
    assert.equal(launches, 3);
    assert.equal(ms, estimated({ ...cell, launches: '3' }).ms);
    assert.equal(mostMs, 5 * 60e3);
    const short = estimated({ ...cell, 'max-time': '2s' });
    assert.equal(short.mostMs, ms, 'the fewest are made all the same');
    assert.equal('mostMs' in estimated(cell), false, 'the number of launches is fixed');
    assert.equal(runTimeText({ ms: 8_000, mostMs: 300_000 }), 'about 8 s to 5 min 0 s');
    assert.equal(runTimeText({ ms: 8_000, mostMs: 8_000 }), 'about 8 s');
    const slow = { ms: 8_000, slowMs: 400_000 };
    for (const estimate of [slow, { ...slow, mostMs: 300_000 }])
      assert.equal(runTimeText(estimate), 'about 8 s to 6 min 40 s');
  });

  it('allows for the longest warm-up of plug-ins of the user, and for none of the built-in rows', () => {
    const argv = { codec: 'json', transport: 'unix', launches: '4' };
    const furtherMs = (/** @type {object} */ further, transport = 'mine') => {
      const all = { ...argv, ...further, messages: 'rate' in further ? undefined : '10' };
      const plan = planOf(all).map(({ cell, ...rest }) => ({ ...rest, cell: { ...cell, transport } }));
      const { ms, slowMs = ms } = estimatedRun(optionsOf(all), plan);
      return (slowMs - ms) / 4;
    };
    assert.equal(furtherMs({}, 'unix'), 0);
    for (const further of [{}, { workers: '20x1' }, { rate: '100k' }]) {
      const all = { ...argv, ...further };
      const [{ cell }] = planOf(all);
      const { maxWarmupMs, minWarmupMs } = planTiming(optionsOf(all), cell, { neverSleeps: false });
      const longestMs = maxWarmupMs - minWarmupMs;
      assert.ok(furtherMs(further) > 0 && furtherMs(further) <= longestMs, JSON.stringify(further));
      assert.equal(furtherMs({ ...further, warmup: '1s' }), 0, 'a warm-up of fixed length');
    }
  });

  it('allows for slow operations of plug-ins of the user, whose length is unknown', () => {
    const scenario = { canPause: /** @type {const} */ (true) };
    const slowMs = (/** @type {string} */ transport, further = {}) => {
      const argv = { codec: 'json', launches: '1', warmup: '1s', ...further };
      const plan = planOf({ ...argv, transport: 'unix' }).map(({ cell, ...rest }) => ({
        ...rest,
        cell: { ...cell, transport },
      }));
      const estimate = estimatedRun(optionsOf(argv), plan, () => scenario);
      return Number(estimate.slowMs) - estimate.ms;
    };
    assert.equal(slowMs('unix'), 0);
    const options = optionsOf({ launches: '1' });
    const { measureMs, sliceMs = measureMs } = options;
    const rounds = Math.round(measureMs / sliceMs);
    assert.ok(slowMs('mine') > rounds * (MAX_SLICE_MS - sliceMs));
    assert.equal(slowMs('mine', { messages: '1000' }), 0);
  });

  it('grows with the payload and the loops of a launch', () => {
    const cell = { codec: 'json', transport: 'unix', launches: '1' };
    const ms = (/** @type {object} */ further) => estimated({ ...cell, ...further }).ms;
    assert.ok(ms({ payload: '200MiB' }) > 30_000);
    assert.ok(ms({ workers: '2x100000' }) - ms({ workers: '2x1' }) > 10_000);
    assert.ok(ms({ payload: '100' }) - ms({ payload: '1' }) < 1);
    const counted = (/** @type {string} */ payload) => ms({ messages: '10', payload });
    assert.ok(counted('10MiB') - counted('1') > 8_000);
  });

  it('returns --max-time for each cell of a sweep', () => {
    const { ms } = estimated({ sweep: true, codec: 'json', transport: 'pipe,unix', 'max-time': '30s' });
    assert.equal(ms, 60_000);
    const few = { sweep: true, codec: 'json', transport: 'unix', launches: '1' };
    assert.equal(estimated(few).ms, 240_000);
    assert.equal(estimated({ ...few, launches: '2' }).launches - estimated(few).launches, 6);
  });

  it('rejects more than 5,000 launches or two hours', () => {
    assert.throws(() => refuseEndlessRun(estimated({ payload: '1..900', codec: 'json', launches: '6' })), {
      code: 'TOO_MANY_CELLS',
      message: /10,800 launches.*--force/,
    });
    assert.throws(() => refuseEndlessRun({ launches: 5001, ms: 1 }), BenchError);
    assert.throws(() => refuseEndlessRun({ launches: 1, ms: 7_200_001 }), BenchError);
    assert.doesNotThrow(() => refuseEndlessRun(estimated({})));
    assert.doesNotThrow(() => refuseEndlessRun({ launches: 5000, ms: 7_200_000 }));
  });
});

describe('crowdingLines', () => {
  const machine = { usableCpus: 2, freeBytes: 4e9 };
  const linesOf = (/** @type {Record<string, unknown>} */ argv) =>
    crowdingLines(planOf({ transport: 'unix', codec: 'json', ...argv }), machine);

  it('warns of too many workers or too little memory, with the remedy', () => {
    assert.deepEqual(linesOf({}), []);
    assert.deepEqual(linesOf({ workers: '32x8' }), []);
    assert.deepEqual(linesOf({ workers: '1x1,33x1' }), [
      '33 workers share 2 CPUs: they start slowly, and mostly wait for each other. Choose fewer --workers.',
    ]);
    assert.match(
      linesOf({ payload: '200MiB' })[0],
      /^A launch may need 6\.\d+ GiB of memory, and 3\.\d+ GiB are free/,
    );
  });

  it('ignores skipped cells', () => {
    assert.deepEqual(linesOf({ transport: 'udp', payload: '200MiB' }), []);
  });

  it('counts 50 MB for each worker and four copies of each open message', () => {
    const plan = planOf({ transport: 'unix', codec: 'json', workers: '2x3', payload: '1M' });
    const needed = 2 * 50e6 + 4 * 6 * 1e6;
    assert.deepEqual(crowdingLines(plan, { usableCpus: 2, freeBytes: needed }), []);
    assert.equal(crowdingLines(plan, { usableCpus: 2, freeBytes: needed - 1 }).length, 1);
    assert.deepEqual(crowdingLines(plan, { usableCpus: 2 }), []);
    assert.deepEqual(crowdingLines([], { usableCpus: 0, freeBytes: 0 }), []);
  });
});

describe('planTiming', () => {
  /** @param {Record<string, unknown>} argv @param {object} [scenario] @param {boolean} [isCostly] */
  const timed = (argv, scenario, isCostly) => {
    const [{ cell }] = planOf({ transport: 'unix', codec: 'json', workers: '2x4', ...argv });
    return planTiming(optionsOf(argv), cell, { neverSleeps: false, isCostly }, scenario);
  };

  it('warms up by work, within limits that grow with the number of processes', () => {
    const usual = timed({ 'tier-up': 'usual' });
    assert.equal(usual.warmupMs, null);
    assert.deepEqual(
      [usual.minWarmupMs, usual.maxWarmupMs, usual.steadyWithinMs, usual.warmupBinMs],
      [...[480, 2 * 900 * 3, 400, 40]],
    );
    assert.deepEqual(usual.workGoal, {
      operations: 12_000,
      leastCpuMs: 900,
      enoughCpuMs: 2_000,
      levelWithinCpuMs: 4_000,
      idleIsEnough: true,
    });
    assert.equal(timed({ 'tier-up': 'usual', workers: '1x1' }).maxWarmupMs, 5_000);
    assert.equal(timed({ 'tier-up': 'usual', workers: '9x1' }).maxWarmupMs, 2 * 900 * 10);
    assert.equal(timed({ warmup: '70ms' }).warmupMs, 70);
  });

  it('warms up for one to three seconds under open load, whatever the CPU time', () => {
    const open = timed({ rate: '1k', 'tier-up': 'usual' });
    assert.deepEqual([open.minWarmupMs, open.maxWarmupMs], [1_000, 3_000]);
    const { operations, leastCpuMs, idleIsEnough } = open.workGoal;
    assert.deepEqual(
      { operations, leastCpuMs, idleIsEnough },
      {
        operations: 12_000,
        leastCpuMs: 0,
        idleIsEnough: false,
      },
    );
  });

  it('makes a window as long as needed, in at most 200 bins of at least 40 ms', () => {
    const windowOf = (/** @type {Parameters<typeof timed>} */ ...args) => {
      const { measureMs, binMs } = timed(...args);
      return [measureMs, binMs];
    };
    assert.deepEqual(windowOf({ measure: '400ms' }), [400, 40]);
    assert.deepEqual(windowOf({ measure: '8s' }), [8_000, 40]);
    assert.deepEqual(windowOf({ measure: '8001ms' }), [8_001, 41]);
    assert.deepEqual(windowOf({ measure: '400ms' }, { leastWindowMs: 2_400 }), [2_400, 40]);
    assert.deepEqual(windowOf({ measure: '400ms' }, {}, true), [1_500, 40]);
    assert.deepEqual(windowOf({ measure: '2s' }, {}, true), [2_000, 40]);
    assert.deepEqual(windowOf({ measure: '400ms' }, { isCold: true }), [400, 400]);
    assert.equal(timed({}, { isCold: true }).warmupMs, 0);
    assert.equal(timed({ warmup: '70ms' }, { isCold: true }).warmupMs, 70);
  });

  it('makes the window of open load hold 1,000 requests and 5 s, unless --measure sets it', () => {
    const windowOf = (/** @type {Record<string, unknown>} */ argv) => {
      const { options } = resolved(argv);
      const [{ cell }] = planOf({ transport: 'unix', codec: 'json', ...argv });
      return planTiming(options, cell, { neverSleeps: false }).measureMs;
    };
    assert.equal(windowOf({ rate: '100' }), 10_000);
    assert.equal(windowOf({ rate: '0.5' }), 2_000_000);
    assert.equal(windowOf({ rate: '20k' }), 5_000);
    assert.equal(windowOf({ rate: '20k', quick: true }), 5_000);
    assert.equal(windowOf({ rate: '100', measure: '700ms' }), 700);
    assert.ok(windowOf({}) < 5_000);
  });

  it('makes the window long enough for the percentile of the SLO', () => {
    assert.equal(windowForSlo(null, 100), 0);
    assert.equal(windowForSlo({ percentile: 'p99', us: 5 }, undefined), 0);
    for (const [
      percentile,
      ms,
    ] of /** @type {[import('../../lib/types/index.js').PercentileName, number][]} */ ([
      ['p50', 240],
      ['p90', 1_200],
      ['p99', 12_000],
      ['p999', 120_000],
    ]))
      assert.equal(windowForSlo({ percentile, us: 5 }, 100), ms);
    assert.equal(windowForSlo({ percentile: 'p50', us: 5 }, 7), 3_429, 'rounded up');
  });

  it('adds window, warm-up, processes and round trips to the time of a launch', () => {
    /** @param {Record<string, unknown>} argv @param {object} [scenario] */
    const msOf = (argv, scenario) => {
      const all = { warmup: '1s', measure: '1s', payload: '1', ...argv };
      const [{ cell }] = planOf({ transport: 'unix', codec: 'json', workers: '1x1', ...all });
      return launchMs(cell, optionsOf(all), scenario);
    };
    const one = msOf({});
    assert.equal(one, 250 + 60 + 1_000 + 1_000 + 1);
    assert.equal(msOf({ workers: '3x1' }) - one, 2 * 60);
    assert.equal(msOf({ workers: '1x1000' }) - one, 60 - 1 + 1);
    assert.equal(msOf({ connections: '11' }) - one, 5);
    assert.equal(msOf({ warmup: '2s' }) - one, 1_000);
    assert.equal(msOf({}, { isCold: true }), one, 'a warm-up that was asked for');
    assert.equal(msOf({ warmup: 'auto' }, { isCold: true }), one - 1_000);
    assert.equal(msOf({}, { leastWindowMs: 1_500 }) - one, 500);
    assert.ok(
      Math.abs(msOf({ messages: '1000', measure: undefined, workers: '1x2' }) - (one - 1_000 + 200)) < 0.1,
    );
    assert.equal(msOf({ warmup: 'auto', 'tier-up': 'usual' }) - (one - 1_000), 900);
    assert.equal(msOf({ warmup: 'auto', 'tier-up': 'usual', rate: '1' }) - (one - 1_000), 3_000);
    assert.equal(msOf({ warmup: 'auto', 'tier-up': 'usual', rate: '6k' }) - (one - 1_000), 2_000);
    assert.equal(msOf({ warmup: 'auto', 'tier-up': 'usual', rate: '100k' }) - (one - 1_000), 1_000);
  });
});

describe('the time of a launch', () => {
  it('counts the processes that share a CPU, not all of them', () => {
    const argv = { transport: 'unix', codec: 'json', warmup: 'auto', 'tier-up': 'usual' };
    const msOn = (/** @type {number} */ cpus, /** @type {Record<string, string>} */ further) => {
      const [{ cell }] = planOf({ ...argv, ...further });
      return launchMs(cell, optionsOf({ ...argv, ...further }), {}, cpus);
    };
    const eight = { workers: '8x1' };
    const ofWorker = 60 + 900;
    assert.equal(msOn(1, eight), msOn(2, eight), 'the master has no CPU of its own on one');
    assert.equal(msOn(2, eight) - msOn(5, eight), 6 * ofWorker);
    assert.equal(msOn(2, eight) - msOn(64, eight), 7 * ofWorker);
    assert.equal(msOn(64, { ...eight, placement: 'same' }), msOn(2, eight));
  });
});

describe('memorySkipReason', () => {
  const cell = /** @type {any} */ ({ settings: {}, workers: 2, loops: 3, connections: 100 });
  const transport = (traits = {}) =>
    /** @type {any} */ ({ traits: { class: 'socket', reach: 'network', direction: 'duplex', ...traits } });
  const why = (/** @type {any} */ room, traits = {}, other = {}) =>
    memorySkipReason(transport(traits), { ...cell, ...other }, room);
  const allOf = connectionsInAll(cell);

  it('accepts any number without --connections, or with unknown limits', () => {
    assert.equal(why(undefined), null);
    assert.equal(why({ openFiles: 1, ports: 1, backlog: 1 }, {}, { connections: undefined }), null);
    assert.equal(why({ openFiles: null, ports: null, backlog: null }), null);
  });

  it('checks open files with a reserve, and one for each loop of request-reply channels', () => {
    const least = allOf + 128;
    assert.equal(why({ openFiles: least }), null);
    assert.match(
      String(why({ openFiles: least - 1 })),
      new RegExp(`prlimit --pid \\$\\$ --nofile=${least},`),
    );
    const waiting = { direction: 'request-reply' };
    assert.equal(why({ openFiles: least + loopsInAll(cell) }, waiting), null);
    assert.match(
      String(why({ openFiles: least + loopsInAll(cell) - 1 }, waiting)),
      new RegExp(`--nofile=${least + loopsInAll(cell)},`),
    );
    assert.equal(why({ openFiles: 4 * 100 + 128 }, { class: 'brokerless' }), null);
    assert.match(
      String(why({ openFiles: 4 * 100 + 127 }, { class: 'brokerless' })),
      /open files in one process/,
    );
  });

  it('checks ports of network transports', () => {
    assert.equal(why({ ports: allOf }), null);
    assert.match(String(why({ ports: allOf - 1 })), / ports, but this system has .*ip_local_port_range/);
    assert.equal(why({ ports: 1 }, { reach: 'host' }), null);
  });

  it('connects at least once per worker at a time', () => {
    const atOnce = (/** @type {number} */ workers) => connectingAtOnce({ workers, connections: 4 * workers });
    assert.deepEqual([1, 3, 8, 20].map(atOnce), [4, 6, 8, 20]);
  });

  it('checks the backlog of connections that wait to be accepted', () => {
    const atOnce = connectingAtOnce(cell);
    assert.equal(why({ backlog: atOnce }), null);
    assert.match(String(why({ backlog: atOnce - 1 })), /need a backlog of .*somaxconn/);
  });
});

describe('makePlan', () => {
  const made = (/** @type {Record<string, unknown>} */ argv) => {
    const options = optionsOf({ codec: 'json', ...argv });
    return makePlan(options, pluginsOf(options), null);
  };

  it('warns of a scenario that does not send the chosen content, and rejects it if no other is chosen', () => {
    assert.deepEqual(made({ scenario: 'round-trip,lists' }).warnings, []);
    const { warnings } = made({ scenario: 'round-trip,lists', content: 'utf8' });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /lists .*--content/);
    assert.throws(() => made({ scenario: 'lists', content: 'utf8' }), {
      code: 'BAD_ARGUMENT',
      message: /lists .*--content/,
    });
  });
});

describe('otherNetReason', () => {
  const transport = /** @type {any} */ ({
    broker: { name: 'redis' },
    settings: { persist: { ofPrivateServer: true }, net: {}, batch: {} },
  });
  const [TCP, UNIX] = [{ redis: 'redis://10.0.0.1:6379' }, { redis: 'unix:///run/redis.sock' }];
  const reasonOf = (/** @type {Record<string, string>} */ written, /** @type {any} */ urls) =>
    otherNetReason(transport, written, urls);

  it('skips a setting net that differs from the URL of the broker', () => {
    assert.equal(reasonOf({ net: 'tcp' }, TCP), null);
    assert.equal(reasonOf({ net: 'unix' }, UNIX), null);
    assert.equal(reasonOf({ batch: '5' }, TCP), null);
    assert.equal(
      reasonOf({ net: 'unix' }, TCP),
      'net=unix needs a unix socket, and the URL given for redis names a host: leave out net, or give another URL',
    );
    assert.match(String(reasonOf({ net: 'tcp' }, UNIX)), /^net=tcp needs a host, .* names a unix socket: /);
  });

  it('skips settings of private servers if a URL is given', () => {
    assert.equal(
      reasonOf({ persist: 'always' }, TCP),
      'persist=always is about a private server, and a URL is given for redis: leave out persist, or the URL',
    );
    assert.equal(reasonOf({ persist: 'always', net: 'unix' }, {}), null, 'no URL is given');
    assert.equal(otherNetReason({ settings: {} }, { net: 'unix' }, TCP), null, 'it needs no broker');
  });
});
