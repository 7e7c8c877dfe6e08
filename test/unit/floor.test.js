// The floor without its programs: which cell has which, when it is launched, and what tables, pictures and sentences make of it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellLabel } from '../../lib/cell/labels.js';
import { BenchError } from '../../lib/errors.js';
import { estimatedRun } from '../../lib/plan/duration-estimate.js';
import { FLOOR_LAUNCH_MS, floorOrWhy, plannedFloor } from '../../lib/plan/planned-baseline.js';
import { readFloor, shareOfFloor } from '../../lib/results/calibration-rows.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { BaselineLaunches } from '../../lib/run/diagnostics/native-baseline.js';
import csv from '../../reports/csv/csv.js';
import relay from '../../scenarios/relay.js';
import roundTrip from '../../scenarios/round-trip.js';
import stream from '../../scenarios/stream.js';
import fifo from '../../transports/fifo/fifo.js';
import http from '../../transports/http.js';
import pipe from '../../transports/pipe.js';
import redis from '../../transports/redis-pubsub.js';
import memory from '../../transports/shared-memory/shared-memory.js';
import tcp from '../../transports/tcp.js';
import udp from '../../transports/udp.js';
import unix from '../../transports/unix.js';
import { buildResults } from '../fixtures/build-results.js';

/** @import { Cell, FloorRow, MeasuredOutcome } from '../../lib/types/index.js' */

const loaded = (/** @type {any[]} */ plugins) => new Map(plugins.map((plugin) => [plugin.name, { plugin }]));
const PLUGINS = {
  transports: loaded([fifo, http, pipe, redis, memory, tcp, udp, unix]),
  scenarios: loaded([relay, roundTrip, stream]),
};
/** @type {Cell} */
const CELL = {
  transport: 'unix',
  codec: 'json',
  scenario: 'round-trip',
  payloadBytes: 100,
  workers: 2,
  loops: 4,
  placement: 'same',
  settings: {},
};
const KEY = { mechanism: 'unix', coalesces: false, spins: false };

/** @param {Partial<Cell>} cell @param {NodeJS.Platform} [platform] */
const floorIn = (cell, platform = 'linux') => floorOrWhy({ ...CELL, ...cell }, PLUGINS, platform);

/** @param {Partial<FloorRow>} row @param {number[]} rates   of its launches, one a group @returns {FloorRow} */
function rowOf(row, rates) {
  const launches = rates.map((perSecond, group) => ({ group, perSecond, cpuUs: { master: 2, workers: 3 } }));
  return /** @type {FloorRow} */ ({
    mechanism: 'unix',
    coalesces: false,
    spins: false,
    payloadBytes: 1000,
    workers: 2,
    loops: 4,
    placement: 'split',
    cells: [],
    launches,
    ...row,
  });
}

/** @param {number} factor   times as fast as unix/json is its floor @param {import('../fixtures/build-results.js').Recipe} [recipe] */
function resultsWithFloor(factor, recipe = {}) {
  const results = buildResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], ...recipe });
  const outcomes = /** @type {MeasuredOutcome[]} */ (results.outcomes);
  const rows = outcomes
    .filter(({ cell }) => cell.transport === 'unix')
    .map(({ cell, launches }) => {
      const rates = launches.map(({ values }) => factor * (values.roundTripsPerSecond ?? 0));
      const { payloadBytes, workers, loops } = cell;
      return rowOf({ payloadBytes, workers, loops, cells: [cellLabel(cell)] }, rates);
    });
  const pipes = outcomes.filter(({ cell }) => cell.transport === 'pipe').map(({ cell }) => cellLabel(cell));
  results.floor = { rows, without: [{ reason: 'no reason', cells: pipes }] };
  return { results, unixRow: outcomes.find(({ cell }) => cell.transport === 'unix') };
}

describe('the floor of a cell', () => {
  it('finds the floor of a cell by the mechanism and the settings of its transport', () => {
    const shape = { payloadBytes: 100, workers: 2, loops: 4, placement: 'same' };
    assert.deepEqual(floorIn({}), { ...KEY, ...shape });
    assert.deepEqual(floorIn({ settings: { flush: 'tick' } }), { ...KEY, coalesces: true, ...shape });
    assert.deepEqual(floorIn({ transport: 'pipe' }), { ...KEY, ...shape }, 'a pair of sockets');
    assert.deepEqual(floorIn({ transport: 'fifo' }), { ...KEY, mechanism: 'pipe', ...shape });
    assert.deepEqual(floorIn({ transport: 'tcp' }), { ...KEY, mechanism: 'tcp', ...shape });
    assert.deepEqual(floorIn({ transport: 'http' }), { ...KEY, mechanism: 'tcp', ...shape });
    assert.deepEqual(floorIn({ transport: 'http', settings: { net: 'unix' } }), { ...KEY, ...shape });
    assert.deepEqual(floorIn({ poll: 'busy' }), { ...KEY, spins: true, ...shape });
    const spinning = { transport: 'shared-memory', settings: { wake: 'spin' } };
    assert.deepEqual(floorIn(spinning, 'darwin'), { ...KEY, mechanism: 'memory', spins: true, ...shape });
  });

  it('has no floor, with the reason, if two programs do not exchange messages directly', () => {
    assert.match(String(floorIn({ scenario: 'stream' })), /an operation of stream is not a round trip/);
    assert.match(String(floorIn({ scenario: 'relay' })), /an operation of relay is not a round trip/);
    assert.match(String(floorIn({ transport: 'udp' })), /no program for the mechanism/);
    assert.match(String(floorIn({ transport: 'redis-pubsub' })), /pass a broker/);
    assert.match(String(floorIn({ ratePerSecond: 5 })), /its rate is planned/);
    assert.match(String(floorIn({ network: '1ms' })), /emulated network/);
    assert.match(String(floorIn({ connections: 2 })), /several connections/);
    assert.match(String(floorIn({ transport: 'shared-memory' }, 'darwin')), /futex of Linux/);
  });

  it('plans one floor for cells with equal properties, and keeps launches of an interrupted run', () => {
    const cells = [CELL, { ...CELL, codec: 'string' }, { ...CELL, transport: 'pipe' }, { ...CELL, loops: 5 }];
    const udpCell = { ...CELL, transport: 'udp' };
    const planned = plannedFloor([...cells, udpCell], PLUGINS);
    assert.deepEqual(
      planned.rows.map((row) => [row.loops, row.cells, row.launches]),
      [
        [4, cells.slice(0, 3).map(cellLabel), []],
        [5, [cellLabel(cells[3])], []],
      ],
    );
    assert.deepEqual(
      planned.without.map(({ cells: labels }) => labels),
      [[cellLabel(udpCell)]],
    );
    planned.rows[1].launches.push({ group: 0, perSecond: 5, cpuUs: null });
    const again = plannedFloor(cells, PLUGINS, planned);
    assert.deepEqual(
      again.rows.map(({ launches }) => launches.length),
      [0, 1],
    );
  });
});

describe('the time that a run takes', () => {
  it('adds the floors to the duration of a run, one for rows that differ in their codec', () => {
    const { options } = buildResults();
    const plan = [CELL, { ...CELL, codec: 'string' }, { ...CELL, loops: 5 }].map((cell) => ({
      cell,
      skip: null,
    }));
    const msOf = (/** @type {object} */ further) =>
      estimatedRun(/** @type {any} */ ({ ...options, ...further }), plan).ms;
    const fourLaunches = { launches: 4 };
    assert.equal(msOf({ ...fourLaunches, floor: true }) - msOf(fourLaunches), 4 * 2 * FLOOR_LAUNCH_MS);
  });
});

describe('launches of the floor', () => {
  const { signal } = new AbortController();
  const other = { ...CELL, codec: 'string' };
  const how = { program: 'p', cpus: null, signal };

  it('launches a floor once in each group, before the first of its cells', async () => {
    const floor = plannedFloor([CELL, other], PLUGINS);
    let count = 0;
    const launch = async () => ({ perSecond: ++count, cpuUs: null });
    const launches = new BaselineLaunches(floor, { ...how, launch });
    for (const [cell, group] of /** @type {[Cell, number][]} */ ([
      [other, 0],
      [CELL, 0],
      [CELL, 2],
    ])) {
      await launches.before(cell, group);
    }
    await launches.before({ ...CELL, transport: 'udp' }, 3);
    assert.deepEqual(floor.rows[0].launches, [
      { group: 0, perSecond: 1, cpuUs: null },
      { group: 2, perSecond: 2, cpuUs: null },
    ]);
  });

  it('records failed launches of a floor, gives up after two, and throws interruptions and bugs', async () => {
    const floor = plannedFloor([CELL], PLUGINS);
    let count = 0;
    const launch = async () => {
      if (++count === 2) return { perSecond: 1, cpuUs: null };
      throw new BenchError('PROCESS_DIED', 'out of luck');
    };
    const launches = new BaselineLaunches(floor, { ...how, launch });
    for (const group of [0, 1, 2, 3]) await launches.before(CELL, group);
    const failed = { code: 'PROCESS_DIED', message: 'out of luck' };
    assert.deepEqual(floor.rows[0].launches, [
      { group: 0, ...failed },
      { group: 1, perSecond: 1, cpuUs: null },
      { group: 2, ...failed },
    ]);
    for (const [error, signal] of /** @type {[Error, AbortSignal][]} */ ([
      [new TypeError('a bug'), how.signal],
      [new BenchError('INTERRUPTED', 'by the user'), AbortSignal.abort()],
    ])) {
      const failing = { ...how, signal, launch: () => Promise.reject(error) };
      await assert.rejects(
        new BaselineLaunches(plannedFloor([CELL], PLUGINS), failing).before(CELL, 0),
        error,
      );
    }
  });
});

describe('the share of the floor', () => {
  it('computes the share of the floor from launches of the same groups', () => {
    const { results, unixRow } = resultsWithFloor(4);
    const outcome = /** @type {MeasuredOutcome} */ (unixRow);
    const share = shareOfFloor(outcome, results);
    assert.ok(Math.abs(Number(share?.estimate) - 0.25) < 1e-9);
    assert.ok(Math.abs(Number(share?.high) - 0.25) < 1e-9, 'what differs from group to group cancels');
    assert.equal(share?.n, 6);
    const [row] = results.floor?.rows ?? [];
    row.launches = row.launches.map((launch) => ({ ...launch, group: launch.group + 100 }));
    assert.equal(shareOfFloor(outcome, results), null, 'no group in common');
    assert.ok(readFloor(results.floor, outcome.cell) !== null);
  });

  it('returns no share without a floor, after failures only, or of a single quick launch', () => {
    const { results, unixRow } = resultsWithFloor(4);
    const outcome = /** @type {MeasuredOutcome} */ (unixRow);
    assert.equal(shareOfFloor(outcome, { ...results, floor: undefined }), null);
    const quick = { ...results, options: { ...results.options, quick: true } };
    assert.notEqual(shareOfFloor(outcome, quick), null);
    const [row] = results.floor?.rows ?? [];
    row.launches = row.launches.slice(0, 1);
    assert.equal(shareOfFloor(outcome, quick), null);
    row.launches = [{ group: 0, code: 'DEADLINE', message: 'late' }];
    assert.equal(shareOfFloor(outcome, results), null);
    assert.equal(readFloor(results.floor, outcome.cell), null);
  });
});

describe('a run with a floor', () => {
  const { results } = resultsWithFloor(4);

  it('reads a floor from a results file as it was written', () => {
    assert.deepEqual(parseResults(resultsText(results), 'a run').floor, results.floor);
    const spoiled = structuredClone(results);
    /** @type {any} */ (spoiled.floor).rows[0].launches[0].perSecond = 0;
    assert.throws(() => parseResults(resultsText(spoiled), 'a run'), { code: 'BAD_RESULTS_FILE' });
  });

  it('writes the share of the floor into the CSV', async () => {
    const [{ content }] = await csv.render(results, {});
    const [names, , row] = String(content)
      .split('\r\n')
      .map((line) => line.split(','));
    assert.equal(Number(row[names.indexOf('ofFloor')]).toFixed(6), '0.250000');
    assert.ok(Number(row[names.indexOf('floorPerSecond')]) > 0);
  });
});
