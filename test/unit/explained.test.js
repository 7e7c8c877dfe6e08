// Where a round trip's time goes: what instruments record, divided into parts, added up, and shown.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PROFILE_ENDING, READINGS_ENDING } from '../../lib/launch/monitors/instruments.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { addsUp, shownParts } from '../../lib/report/text/explained.js';
import { makeExplanation } from '../../lib/results/explanation.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { explain, isExplainable, partOfFunction } from '../../lib/run/diagnostics/explain.js';
import { ExtraLaunches } from '../../lib/run/diagnostics/extra-launch.js';
import html from '../../reports/html/html.js';
import table from '../../reports/table/table.js';
import { buildEstimate, buildResults } from '../fixtures/build-results.js';

/** @import { InsideFacts, MeasuredOutcome } from '../../lib/types/index.js' */

const LIB = new URL('../../lib/', import.meta.url).href;
const TRANSPORT = 'file:///third/party/transport.js';
const CODEC = `${LIB}codecs/builtin/json.js`;
const partOf = partOfFunction({ codecUrl: CODEC, scenarioUrl: 'file:///x/round-trip.js' });
const WINDOW = { fromMs: 1_000, toMs: 2_000 };

/** @param {number} id @param {string} functionName @param {string} url @param {number[]} [children] */
const node = (id, functionName, url, children = []) => ({ id, callFrame: { functionName, url }, children });

const NODES = [
  node(1, '(root)', '', [2, 3, 8]),
  node(2, '(idle)', ''),
  node(3, 'askOn', `${LIB}workload/scenario-kit.js`, [4, 5]),
  node(4, 'encode', CODEC, [9]),
  node(5, 'send', TRANSPORT, [6, 7]),
  node(6, 'writeUtf8String', ''),
  node(7, 'now', 'node:internal/perf/utils'),
  node(8, 'onStreamRead', 'node:internal/stream_base_commons'),
  node(9, 'stringify', ''),
];

/** A second of samples, one each ms: of the last hundred of them 20 in `send`, and so on. @param {number[]} ids   in turn */
function profileOf(ids) {
  const samples = Array.from({ length: 1_000 }, (_, index) => ids[index % ids.length]);
  return { nodes: NODES, samples, timeDeltas: samples.map(() => 1_000), startTime: 1_000_000 - 1_000 };
}

/** @param {{ activeMs: number, cpuMs: number | null, operations?: number }} each   of 10 ms */
function recordOf({ activeMs, cpuMs, operations = 100 }) {
  const readings = Array.from({ length: 100 }, (_, index) => ({
    atMs: 1_000 + 10 * index,
    operations: operations * index,
    activeMs: activeMs * index,
    onTheWayMs: 0.7 * activeMs * index,
    afterMs: 0.2 * activeMs * index,
    waitedMs: cpuMs === null ? null : index,
    cpuMs: cpuMs === null ? null : cpuMs * index,
    userUs: 3_000 * index,
    systemUs: 1_000 * index,
  }));
  return {
    readings,
    collections: /** @type {[number, number][]} */ ([
      [1_500, 2],
      [2_500, 9],
    ]),
  };
}

describe('a function of a profile', () => {
  it('belongs to the part in whose file it stands, and one of no file to its caller', () => {
    const { callFrame: stringify } = NODES[8];
    assert.equal(partOf(stringify, 'codec'), 'codec');
    assert.equal(partOf({ functionName: 'on', url: 'file:///a/node_modules/p/i.js' }, 'codec'), 'codec');
    assert.equal(partOf({ functionName: 'on', url: 'file:///a/node_modules/p/i.js' }, 'loop'), 'transport');
    assert.equal(partOf({ functionName: 'run', url: 'file:///x/round-trip.js' }, ''), 'harness');
    assert.equal(partOf({ functionName: '(garbage collector)', url: '' }, 'codec'), '');
    assert.equal(partOf({ functionName: '(anonymous)', url: '' }, 'codec'), 'codec');
  });

  it('is the harness for the code of a load, and the transport for that of its channels', () => {
    for (const [path, part] of [
      ['workload/endpoints/requester.js', 'harness'],
      ['measure/meter.js', 'harness'],
      ['launch/worker/joined-worker.js', 'harness'],
      ['statistics/random.js', 'harness'],
      ['machine/clock.js', 'harness'],
      ['channels/framing.js', 'transport'],
    ]) {
      assert.ok(existsSync(new URL(path, LIB)), path);
      assert.equal(partOf({ functionName: 'f', url: `${LIB}${path}` }, 'loop'), part, path);
    }
  });

  it('is Node’s own where it waits or writes, and its caller’s where it only computes', () => {
    assert.equal(
      partOf({ functionName: 'write', url: 'node:internal/streams/writable' }, 'transport'),
      'loop',
    );
    assert.equal(partOf({ functionName: 'now', url: 'node:internal/perf/utils' }, 'transport'), 'transport');
    assert.equal(partOf({ functionName: 'writeUtf8String', url: '' }, 'codec'), 'loop');
    const serialisation = { functionName: 'parse', url: 'node:internal/child_process/serialization' };
    assert.equal(partOf(serialisation, 'loop'), 'loop');
    assert.equal(partOfFunction({ codecUrl: null, scenarioUrl: '' })(serialisation, 'loop'), 'codec');
  });
});

/** @param {Partial<InsideFacts>} [differences] @returns {InsideFacts} */
function factsOf(differences = {}) {
  return {
    name: 'w0',
    role: 'worker',
    activeUs: 25,
    onTheWayUs: differences.activeUs ?? 25,
    afterUs: 0,
    cpuUs: 30,
    userShare: 0.5,
    collectingUs: 0.5,
    codecUs: 2,
    transportUs: 1,
    harnessUs: 0.5,
    samples: 4_000,
    ...differences,
  };
}

const RESULTS = buildResults({ series: ['unix/json', 'tcp/json'], shapes: ['1x1'], flag: () => [] });
const [OUTCOME] = /** @type {MeasuredOutcome[]} */ (RESULTS.outcomes);
/** One sleep of each process for a round trip. */
const SLEEPY = {
  ...OUTCOME,
  launches: OUTCOME.launches.map((launch) => ({
    ...launch,
    costs: launch.costs.map((cost, index) => ({
      ...cost,
      cpus: [index],
      voluntarySwitches: launch.operations,
    })),
  })),
};

/** @param {Partial<Parameters<typeof makeExplanation>[0]>} [differences] */
function explained(differences = {}) {
  return makeExplanation({
    outcome: SLEEPY,
    explainedUs: 72,
    wakeUs: 10,
    broker: null,
    serialisesItself: false,
    wholeUs: buildEstimate(70, 69, 71),
    processes: [factsOf(), factsOf({ name: 'master', role: 'master' })],
    ...differences,
  });
}

/** @param {ReturnType<typeof explained>} explanation @param {string} name */
const usOf = ({ parts }, name) => parts.find((part) => part.name === name)?.us;

describe('a round trip in parts', () => {
  it('is the time at work of both processes, two wake-ups, and what is left over', () => {
    const explanation = explained();
    assert.deepEqual(
      ['workerCodec', 'masterCodec', 'harness', 'transport', 'collection'].map((name) =>
        usOf(explanation, name),
      ),
      [2, 2, 1, 2, 1],
    );
    // 15 µs of each process outside of the kernel, of which 4 are known; 10 µs in it.
    assert.deepEqual([usOf(explanation, 'loop'), usOf(explanation, 'systemCalls')], [22, 20]);
    assert.equal(Math.round(Number(usOf(explanation, 'waking'))), 20);
    assert.ok(Math.abs(explanation.remainderUs) < 1e-9);
    assert.ok(addsUp(explanation));
    assert.ok(explanation.parts.every(({ found }) => found !== ''));
  });

  it('has the codec of the master, and that of an average worker', () => {
    const explanation = explained({
      processes: [
        factsOf({ codecUs: 2 }),
        factsOf({ name: 'w1', codecUs: 4 }),
        factsOf({ name: 'master', role: 'master', codecUs: 5 }),
      ],
    });
    assert.deepEqual([usOf(explanation, 'workerCodec'), usOf(explanation, 'masterCodec')], [3, 5]);
  });

  it('has 20 µs more in the transport where it is known to take as much', () => {
    const slowed = factsOf({ activeUs: 45, cpuUs: 50, userShare: 35 / 50, transportUs: 21 });
    const explanation = explained({ processes: [slowed, factsOf({ name: 'master', role: 'master' })] });
    const plain = explained();
    for (const { name, us } of explanation.parts) {
      const grown = Number(us) - Number(usOf(plain, name));
      assert.ok(Math.abs(grown - (name === 'transport' ? 20 : 0)) < 1e-9, `${name} ${grown}`);
    }
  });

  it('says what could not be found, and leaves it in the remainder', () => {
    const found = (/** @type {ReturnType<typeof explained>} */ { parts }, name = 'waking') =>
      parts.find((part) => part.name === name)?.found ?? '';
    const unknown = explained({ wakeUs: null });
    assert.equal(usOf(unknown, 'waking'), null);
    assert.match(found(unknown), /is unknown/);
    assert.equal(Math.round(unknown.remainderUs), 20);
    assert.equal(addsUp(unknown), false);
    const cell = { ...OUTCOME.cell, placement: /** @type {const} */ ('free') };
    assert.match(found(explained({ outcome: { ...SLEEPY, cell } })), /--placement split only/);
    const [own, others] = [true, false].map((serialisesItself) =>
      explained({ serialisesItself, processes: [factsOf({ codecUs: 0 })] }),
    );
    assert.equal(usOf(own, 'workerCodec'), null);
    assert.match(found(own, 'workerCodec'), /serialises by itself/);
    assert.match(found(others, 'workerCodec'), /no sample/);
  });

  it('knows the wake-ups of processes whose CPUs and sleeps are known, one for each message at most', () => {
    const wakingWith = (/** @type {(launch: any) => object} */ changes) =>
      usOf(
        explained({
          outcome: {
            ...SLEEPY,
            launches: SLEEPY.launches.map((launch) => ({
              ...launch,
              costs: launch.costs.map((cost) => ({ ...cost, ...changes(launch) })),
            })),
          },
        }),
        'waking',
      );
    assert.equal(
      wakingWith(({ operations }) => ({ voluntarySwitches: 1.5 * operations })),
      20,
    );
    for (const unknown of [{ cpus: null }, { voluntarySwitches: null }])
      assert.equal(
        wakingWith(() => unknown),
        null,
      );
  });

  it('takes no time for waking where all share one CPU', () => {
    const cell = { ...OUTCOME.cell, placement: /** @type {const} */ ('same') };
    assert.equal(usOf(explained({ outcome: { ...SLEEPY, cell } }), 'waking'), 0);
  });

  it('leaves out what an end does when its message is on its way to another CPU', () => {
    const facts = { onTheWayUs: 20, afterUs: 3 };
    const explanation = explained({
      processes: [factsOf(facts), factsOf({ ...facts, name: 'master', role: 'master' })],
    });
    assert.deepEqual([usOf(explanation, 'loop'), usOf(explanation, 'systemCalls')], [12, 20]);
    assert.equal(explanation.besideUs, 10);
    for (const some of [explanation, explained({ processes: [factsOf({ onTheWayUs: 24.5 })] })]) {
      const foundLoop = some.parts.find(({ name }) => name === 'loop')?.found ?? '';
      assert.match(foundLoop, /less the parts above, and work in parallel: Node\.js and libuv$/);
    }
    assert.equal(Math.round(explanation.remainderUs), 10);
    const long = explained({ processes: [factsOf({ onTheWayUs: 8 })] });
    // 15 µs of Node.js and libuv at most, of which 4 are known, and the rest is system calls.
    assert.deepEqual([usOf(long, 'loop'), usOf(long, 'systemCalls'), long.besideUs], [0, 4, 17]);
  });

  it('leaves out nothing of the kind where all share one CPU', () => {
    const facts = factsOf({ onTheWayUs: 20, afterUs: 3 });
    const cell = { ...OUTCOME.cell, placement: /** @type {const} */ ('same') };
    const explanation = explained({ outcome: { ...SLEEPY, cell }, processes: [facts] });
    assert.equal(explanation.besideUs, 0);
    assert.ok(explanation.parts.every(({ found }) => !found.includes('in parallel')));
  });

  it('counts what an end does before a broker on its CPU can begin, and no wake-up between them', () => {
    const costs = SLEEPY.launches[0].costs;
    const withBroker = costs.map((cost) => ({ ...cost, cpus: cost.name === 'master' ? [0] : [1, 2] }));
    const outcome = {
      ...SLEEPY,
      launches: SLEEPY.launches.map((launch) => ({
        ...launch,
        costs: [
          ...withBroker.map((cost) => ({ ...cost, voluntarySwitches: launch.operations })),
          {
            ...withBroker[0],
            name: 'redis',
            role: /** @type {const} */ ('broker'),
            cpus: [1],
            voluntarySwitches: launch.operations,
          },
        ],
      })),
    };
    const facts = { onTheWayUs: 18, afterUs: 3 };
    const master = factsOf({ ...facts, name: 'master', role: 'master' });
    const explanation = explained({ broker: 'redis', outcome, processes: [factsOf(facts), master] });
    // Of the worker 4 µs for other messages of the broker, of the master 7 µs.
    assert.equal(explanation.besideUs, 11);
    const late = { onTheWayUs: 23, afterUs: 3 };
    const lateMaster = factsOf({ ...late, name: 'master', role: 'master' });
    const allInTime = explained({ broker: 'redis', outcome, processes: [factsOf(late), lateMaster] });
    assert.equal(allInTime.besideUs, 2, 'of the master alone');
    // The master by the broker each time, and the broker by the master every other time: the worker causes the rest.
    assert.equal(Math.round(Number(usOf(explanation, 'waking'))), 15);
    assert.match(explanation.parts.find(({ name }) => name === 'waking')?.found ?? '', /^1\.5 times 10/);
  });

  it('is what each costs by itself where several are under way, and the rest is waiting for others', () => {
    const cell = { ...OUTCOME.cell, workers: 2, loops: 4 };
    const busy = { onTheWayUs: 20 };
    const explanation = explained({
      outcome: { ...SLEEPY, cell },
      wholeUs: buildEstimate(400, 390, 410),
      processes: [
        factsOf({ ...busy, name: 'master', role: 'master' }),
        factsOf({ ...busy, codecUs: 1 }),
        factsOf({ ...busy, name: 'w1', codecUs: 3 }),
      ],
    });
    assert.equal(explanation.underWay, 8);
    assert.deepEqual([usOf(explanation, 'workerCodec'), usOf(explanation, 'masterCodec')], [2, 2]);
    assert.equal(explanation.besideUs, 0, 'an end that goes on works for another round trip');
    assert.equal(Math.round(explanation.remainderUs), 400 - 70);
    assert.ok(addsUp(explanation), 'waiting is no part that is lacking');
    assert.equal(addsUp({ ...explanation, remainderUs: -50 }), false);
    assert.deepEqual(
      shownParts([explanation]).map(({ name }) => name),
      ['codec', 'transport', 'loop', 'systemCalls', 'waking', 'other', 'others'],
    );
  });

  it('has the CPU time of other threads where an end sleeps so often that they must take part', () => {
    const withThreads = (/** @type {number} */ sleeps, ofMaster = sleeps) => ({
      ...SLEEPY,
      launches: SLEEPY.launches.map((launch) => ({
        ...launch,
        operations: 10_000,
        windowMs: 1_000,
        costs: launch.costs.map((cost) => ({
          ...cost,
          voluntarySwitches: 10_000 * (cost.role === 'master' ? ofMaster : sleeps),
          share: 0.5,
          mainShare: 0.3,
        })),
      })),
    });
    const { parts } = explained({ outcome: withThreads(3) });
    const threads = parts.find(({ name }) => name === 'threads');
    assert.equal(threads?.title, 'other threads');
    assert.equal(threads.found, 'CPU time of the threads that run no JavaScript');
    // Of each 100 µs a fifth in each of two processes.
    assert.ok(Math.abs(Number(threads.us) - 40) < 1e-9, String(threads.us));
    assert.equal(usOf(explained({ outcome: withThreads(2.4) }), 'threads'), undefined);
    assert.notEqual(usOf(explained({ outcome: withThreads(1, 2.5) }), 'threads'), undefined);
  });

  it('has a broker’s CPU time, and says where nobody can read it', () => {
    const ofBroker = (/** @type {number | null} */ broker) => ({
      ...SLEEPY,
      cpuUsPerOperation: { ...SLEEPY.cpuUsPerOperation, broker },
    });
    assert.equal(usOf(explained(), 'broker'), undefined);
    const parts = [33, null].map((us) => explained({ broker: 'redis', outcome: ofBroker(us) }).parts.at(-1));
    assert.deepEqual(
      parts.map((part) => [part?.name, part?.us]),
      [
        ['broker', 33],
        ['broker', null],
      ],
    );
    const found = new Set(parts.map((part) => part?.found));
    assert.ok(found.size === 2 && !found.has(''), 'each with its evidence');
  });

  it('counts once what functions of native add-ons do in the kernel', () => {
    const explanation = explained({ processes: [factsOf({ transportUs: 16 })] });
    // 25 µs at work, of which 15 in user mode by the clock and 19 in functions that are known.
    assert.deepEqual([usOf(explanation, 'loop'), usOf(explanation, 'systemCalls')], [0, 6]);
    const beyond = explained({ processes: [factsOf({ transportUs: 30 })] });
    assert.deepEqual([usOf(beyond, 'loop'), usOf(beyond, 'systemCalls')], [0, 0], 'more than it was at work');
  });

  it('does not take a process that was blocked for one that was at work', () => {
    const explanation = explained({ processes: [factsOf({ activeUs: 900 })] });
    assert.equal(usOf(explanation, 'systemCalls'), 15);
  });
});

describe('what is explained', () => {
  it('is a round trip in closed loops, whose way is on one host', () => {
    const { cell } = OUTCOME;
    for (const shape of [{}, { workers: 2, loops: 4 }, { connections: 2 }])
      assert.ok(isExplainable({ ...cell, ...shape }), JSON.stringify(shape));
    for (const other of [{ ratePerSecond: 9 }, { network: '1ms' }])
      assert.equal(isExplainable({ ...cell, ...other }), false, JSON.stringify(other));
    assert.equal(isExplainable({ ...cell, scenario: 'stream' }), false);
  });

  /** @param {any} launch   what becomes of the extra one @param {object} [traits] */
  async function lookedAt(launch, traits = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-explain-'));
    const plugins = {
      transports: new Map([
        ['unix', { url: TRANSPORT, plugin: { settings: {}, traits: { broker: null, ...traits } } }],
      ]),
      codecs: new Map([['json', { url: CODEC }]]),
      scenarios: new Map([['round-trip', { url: 'file:///x/round-trip.js' }]]),
    };
    const runner = {
      context: { plugins, scratch: { folderFor: async () => mkdtempSync(join(folder, 'x')) } },
      run: async (/** @type {any} */ ...[, , , , { onDone }]) => {
        onDone({ openMs: 0, windowMs: 1 });
        return launch;
      },
    };
    try {
      return await explain(OUTCOME, new ExtraLaunches(/** @type {any} */ (runner)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  it('is what two extra launches recorded: the turns of the first, the functions of the second', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'ipcb-explain-'));
    const record = recordOf({ activeMs: 6, cpuMs: 7 });
    const recorded = { master: record, w0: record, w1: recordOf({ activeMs: 6, cpuMs: 7, operations: 0 }) };
    /** @type {any[]} */
    const looks = [];
    const runner = /** @type {any} */ ({
      context: {
        plugins: {
          transports: new Map([['unix', { plugin: { settings: {}, traits: { broker: null } } }]]),
          codecs: new Map([['json', { url: CODEC }]]),
          scenarios: new Map([['round-trip', { url: 'file:///x/round-trip.js' }]]),
        },
        scratch: { folderFor: async (/** @type {string} */ name) => mkdtempSync(join(parent, name)) },
      },
      run: async (/** @type {any} */ ...[, , order, , { adapt, onDone }]) => {
        const { profileDir, explained } = adapt({ timing: { measureMs: 1 }, deadlines: { lifeMs: 1 } });
        looks.push([order, explained]);
        for (const [name, own] of Object.entries(recorded)) {
          writeFileSync(join(profileDir, `${name}${READINGS_ENDING}`), JSON.stringify(own));
          if (looks.length === 2)
            writeFileSync(join(profileDir, `${name}${PROFILE_ENDING}`), JSON.stringify(profileOf([4, 5, 3])));
        }
        onDone({ openMs: WINDOW.fromMs, windowMs: WINDOW.toMs - WINDOW.fromMs });
        return OUTCOME.launches[0];
      },
    });
    // Where nobody placed the processes, nobody knows what it takes to wake one.
    const outcome = { ...OUTCOME, cell: { ...OUTCOME.cell, placement: /** @type {const} */ ('free') } };
    /** @type {any[]} */
    let found;
    try {
      found = await explain(outcome, new ExtraLaunches(runner));
      assert.deepEqual(readdirSync(parent), [], 'nothing is left of them');
    } finally {
      rmSync(parent, { recursive: true });
    }
    assert.notEqual(looks[0][0], looks[1][0]);
    assert.deepEqual(
      looks.map(([, explained]) => explained),
      ['iterations', 'functions'],
    );
    const [explanation, ...others] = found;
    assert.deepEqual(others, []);
    assert.deepEqual(
      explanation.processes.map((/** @type {any} */ { name, role }) => [name, role]),
      [
        ['master', 'master'],
        ['w0', 'worker'],
      ],
    );
    assert.equal(Math.round(explanation.processes[0].activeUs), 60);
    assert.equal(usOf(explanation, 'waking'), null);
    assert.ok(Number(usOf(explanation, 'workerCodec')) > 0);
  });

  it('is told to be unknown when the extra launch fails, shows nothing, or never sleeps', async () => {
    const failed = { code: 'PROCESS_DIED', message: 'w0 died' };
    await assert.rejects(lookedAt({ status: 'failed', ...failed }), failed);
    const empty = { status: 'measured', operations: 1, windowMs: 1 };
    await assert.rejects(lookedAt(empty), { code: 'RUNTIME', message: /recorded too little/ });
    await assert.rejects(lookedAt(null, { isSpinning: true }), { code: 'RUNTIME', message: /never sleep/ });
  });
});

describe('an explanation as it is shown', () => {
  const cells = RESULTS.outcomes.map(({ cell }) => cell);
  const explanations = [
    { ...explained(), cell: cells[0] },
    { ...explained({ wakeUs: null }), cell: cells[1] },
  ];
  const results = parseResults(resultsText({ ...RESULTS, explanations }), 'explained');

  /** @param {any} explanation @returns the lengths of the parts of its row, by their titles, and the places of ticks */
  function drawnParts(explanation) {
    const [figure] = makeFigures({ ...results, explanations: [explanation] }).filter(({ name }) =>
      name.startsWith('roundTrip-parts'),
    );
    const [{ data: drawn, marks }] = figure.panels;
    const lengths = drawn.datasets.map(({ label, data }) => [label, data[0].x ?? 0]);
    const ticks = marks.filter(({ symbol }) => symbol === 'tick').map(({ value }) => value);
    return { lengths: Object.fromEntries(lengths), ticks, message: figure.message };
  }
  const lengthOf = (/** @type {Record<string, number>} */ lengths) =>
    Object.values(lengths).reduce((total, us) => total + us, 0);
  const [, lacking] = explanations; // 20 of 70 µs are left over
  const whole = lacking.wholeUs.estimate;
  /** @param {{ name: string, us: number }[]} further @param {number} excessUs */
  const exceeding = (further, excessUs) => ({
    ...lacking,
    parts: [...lacking.parts, ...further.map((part) => ({ ...part, title: part.name, found: 'CPU time' }))],
    remainderUs: -excessUs,
  });

  it('is a bar of the parts as they were found, with a tick at a median that they exceed', () => {
    const { lengths, ticks } = drawnParts(exceeding([{ name: 'broker', us: 50 }], 30));
    assert.equal(lengths.broker, 50);
    assert.equal(lengths['event loop and callbacks'], 22);
    assert.equal(lengths['remainder of the median'], undefined);
    assert.deepEqual(ticks, [whole]);
  });

  it('is a bar that ends at the median, without a tick, where the parts do not exceed it', () => {
    const { lengths, ticks, message } = drawnParts(lacking);
    assert.equal(Math.round(lengthOf(lengths)), whole);
    assert.deepEqual(ticks, []);
    assert.match(message, /^The greatest (separate )?part of it is (?!remainder)/);
  });

  it('has its rows in the order of their table', async () => {
    const slow = {
      ...explanations[0],
      wholeUs: { ...explanations[0].wholeUs, estimate: 90, low: 89, high: 91 },
    };
    const own = {
      ...results,
      explanations: [{ ...slow, remainderUs: slow.remainderUs + 20 }, explanations[1]],
    };
    const figure = makeFigures(own).find(({ name }) => name.startsWith('roundTrip-parts'));
    assert.deepEqual(figure?.panels[0].data.labels, ['tcp/json', 'unix/json']);
    const [{ content }] = await table.render(own, { columns: 80 });
    assert.match(String(content), /rest\ntcp\/json.*\nunix\/json/);
  });

  it('is a table on the page, with a part in each column', async () => {
    const [{ content }] = await html.render(results, {});
    const [, explained = ''] = String(content).split('<h3>Where the time of a round trip goes');
    assert.match(explained, /<th [^>]*><button type="button">codec</);
    assert.match(explained, /<th scope="row"[^>]*>unix\/json</);
  });

  it('has a picture for each shape, in which waiting for other round trips is a part', async () => {
    const cell = { ...cells[0], workers: 2, loops: 4 };
    const [first, second] = results.outcomes;
    const shaped = {
      ...results,
      outcomes: [{ ...first, cell }, second],
      explanations: [{ ...explanations[1], cell, underWay: 8 }, explanations[1]],
    };
    const figures = makeFigures(/** @type {any} */ (shaped)).filter(({ name }) =>
      /^roundTrip.*-parts/.test(name),
    );
    assert.deepEqual(
      figures.map(({ name }) => name.split('-parts')[0]),
      ['roundTrip-2x4', 'roundTrip'],
    );
    const [ofOthers, alone] = figures.map(({ legend }) => legend.at(-1)?.text);
    assert.deepEqual([ofOthers, alone], ['waiting while others are under way', 'remainder of the median']);
    const [{ content }] = await table.render(/** @type {any} */ (shaped), { columns: 80 });
    assert.match(String(content), /transport\/codec .* others\n/);
    assert.match(String(content).replaceAll(/\s+/g, ' '), /8 round trips overlapped/);
  });
});
