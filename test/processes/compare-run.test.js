// compare --run: where a variant's code is, which cells pair, and whole interleaved comparisons.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cellLabel } from '../../lib/cell/labels.js';
import { optionsOfTree } from '../../lib/cli/tree.js';
import { alignedTo, areInterleaved, pairedCells } from '../../lib/compare/pair-variants.js';
import { callCli, placeForEach } from '../fixtures/cli-run.js';
import { makeResults } from '../fixtures/make-results.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHORT = '--codec json --workers 1x1 --messages 40 --no-controls --warmup 20ms --launches 2';

describe('a variant', () => {
  it('of a checkout takes its transports from there', () => {
    const options = /** @type {any} */ ({
      transports: [
        { name: 'unix', settings: { flush: 'tick' } },
        { name: './own.js', settings: {} },
        { name: 'rabbitmq', settings: {} },
      ],
      codecs: ['json'],
      scenarios: ['round-trip'],
    });
    const { options: placed, folder } = optionsOfTree(options, ROOT);
    assert.deepEqual(placed.transports[0], {
      name: join(ROOT, 'transports/unix.js'),
      settings: { flush: 'tick' },
    });
    assert.equal(placed.transports[1].name, './own.js');
    assert.equal(
      placed.transports[2].name,
      join(ROOT, 'transports/rabbitmq/rabbitmq.js'),
      'its body is a folder',
    );
    assert.equal(placed.codecs[0], join(ROOT, 'lib/codecs/json.js'));
    assert.equal(`${folder}/`, ROOT);
    assert.throws(() => optionsOfTree(options, join(ROOT, 'none')), { message: /no folder/ });
  });
});

describe('the cells of two variants', () => {
  const names = { old: 'A', new: 'B' };
  const cellsOf = (/** @type {string[]} */ series, payloads = [1000]) =>
    makeResults({ series, payloads, launches: 1 }).outcomes.map(({ cell }) => cell);
  const pairsOf = (
    /** @type {ReturnType<typeof cellsOf>} */ one,
    /** @type {ReturnType<typeof cellsOf>} */ other,
  ) =>
    [...pairedCells(one, other, names)].map(
      ([label, cell]) => `${label.split(' ')[0]}=${cell.transport} ${cell.payloadBytes}`,
    );

  it('pair with their equals first, and else in order', () => {
    const pairs = pairsOf(cellsOf(['unix/json', 'tcp/json']), cellsOf(['tcp/json', 'pipe/json']));
    assert.deepEqual(pairs.sort(), ['pipe/json=unix 1000', 'tcp/json=tcp 1000']);
  });

  it('pair only where the question is the same', () => {
    const pairs = pairsOf(cellsOf(['unix/json'], [10, 100]), cellsOf(['tcp/json'], [100, 10]));
    assert.deepEqual(pairs, ['tcp/json=unix 10', 'tcp/json=unix 100']);
    assert.throws(() => pairsOf(cellsOf(['unix/json'], [10]), cellsOf(['tcp/json'], [100])), {
      code: 'NOT_COMPARABLE',
      message: /A has 1 cells of round-trip 2x4 10 B that B has not/,
    });
  });

  it('pair with what is alike in payload, content, polling and placement, whatever the order of the plans', () => {
    const [cell] = cellsOf(['unix/json']);
    /** @type {Partial<typeof cell>[]} */
    const places = [{}, { content: 'utf8' }, { poll: 'busy' }, { placement: 'same' }, { payloadBytes: 10 }];
    const one = places.map((place) => ({ ...cell, ...place }));
    const other = places.toReversed().map((place) => ({ ...cell, ...place, transport: 'tcp' }));
    for (const [label, partner] of pairedCells(one, other, names)) {
      assert.equal(label, cellLabel({ ...partner, transport: 'tcp' }));
    }
  });

  it('may differ in their placement, and in nothing else that is asked', () => {
    const [cell] = cellsOf(['unix/json']);
    const pairs = pairedCells([cell], [{ ...cell, placement: 'same' }], names);
    assert.deepEqual([...pairs.values()], [cell]);
    /** @type {[Partial<typeof cell>, RegExp][]} */
    const questions = [
      [{ content: 'utf8' }, /1 cells of round-trip 2x4 1000 B that B has not, and B 0 that A has not/],
      [{ poll: 'busy' }, /1 cells of round-trip 2x4 1000 B that B has not/],
      [{ ratePerSecond: 50 }, /1 cells of round-trip 2x4 1000 B that B has not/],
    ];
    for (const [difference, message] of questions) {
      const others = [{ ...cell, ...difference }];
      assert.throws(() => pairedCells([cell], others, names), { code: 'NOT_COMPARABLE', message });
    }
  });

  it('are called alike in the comparison, and known as interleaved by their files', () => {
    const runId = '0123456789abcdef';
    const old = { ...makeResults({ series: ['unix/json'] }), variant: { name: 'A', written: 'unix', runId } };
    const fresh = { ...makeResults({ series: ['tcp/json'] }), variant: { name: 'B', written: 'tcp', runId } };
    assert.deepEqual(alignedTo(old, fresh).outcomes[0].cell, old.outcomes[0].cell);
    assert.equal(areInterleaved(old, fresh), true);
    assert.equal(areInterleaved(old, old), false);
    assert.equal(areInterleaved(old, makeResults()), false);
    assert.equal(
      areInterleaved(old, { ...fresh, variant: { ...fresh.variant, runId: 'fedcba9876543210' } }),
      false,
    );
  });
});

describe('compare --run', () => {
  const place = placeForEach();

  it('takes the code of a variant from a folder, one version against another', async () => {
    for (const [tree, delay] of [
      ['old', 0],
      ['new', 4],
    ]) {
      mkdirSync(join(place.folder, String(tree)));
      const unix = JSON.stringify(join(ROOT, 'lib/selftest/slowed-unix.js'));
      const text = `import slowed from ${unix};
export default { ...slowed, name: 'mine', listen: (host) => slowed.listen({ ...host, settings: { ...host.settings, delayUs: ${Number(delay) * 1000} } }) };`;
      writeFileSync(join(place.folder, String(tree), 'mine.mjs'), text);
    }
    const args = `compare --run v1=@old v2=@./new --transport ./mine.mjs --json c.json ${SHORT}`;
    const { code, stderr } = await callCli(args, place);
    assert.equal(code, 0, stderr);
    const [row] = JSON.parse(readFileSync(join(place.folder, 'c.json'), 'utf8')).rows;
    assert.equal(row.cell.transport, 'mine');
    assert.ok(row.new.high <= 255, 'a busy wait of 4 ms before each question');
    assert.equal(row.verdict, 'inconclusive', 'two blocks are too few');
  });

  it('refuses a folder that holds the results of one of its variants, without --force', async () => {
    mkdirSync(join(place.folder, 'out'));
    writeFileSync(join(place.folder, 'out', 'B.json'), 'of an earlier comparison');
    const args = `compare --run A=unix B=tcp --out out ${SHORT}`;
    const { code, stderr } = await callCli(args, place, { launch: simulatedLauncher() });
    assert.equal(code, 2);
    assert.match(stderr, /^ipc-bench: out holds results already; .*--force to overwrite$/m);
    assert.equal(readFileSync(join(place.folder, 'out', 'B.json'), 'utf8'), 'of an earlier comparison');
    assert.equal((await callCli(`${args} --force`, place, { launch: simulatedLauncher() })).code, 0);
  });

  it('refuses a folder from which neither variant takes anything', async () => {
    mkdirSync(join(place.folder, 'empty'));
    const { code, stderr } = await callCli(`compare --run A=@empty B= --transport unix ${SHORT}`, place);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /--run: nothing is taken from @.*empty, which is no checkout of ipc-bench.*--transport \.\/mine\.js/,
    );
  });

  it('has its options refused about saved runs', async () => {
    const { code, stderr } = await callCli('compare a.json b.json --launches 3', place);
    assert.equal(code, 2);
    assert.match(stderr, /--launches changes nothing about saved runs/);
  });
});
