// Runs in CI.
// compare --run: where a variant's code is, and whole interleaved comparisons.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { optionsOfTree } from '../../lib/cli/prepare.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';
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
    assert.equal(placed.codecs[0], join(ROOT, 'lib/codecs/builtin/json.js'));
    assert.equal(`${folder}/`, ROOT);
    assert.throws(() => optionsOfTree(options, join(ROOT, 'none')), { message: /no folder/ });
  });
});

describe('compare --run', () => {
  const workspace = workspaceForEach();

  it('takes the code of a variant from a folder, one version against another', async () => {
    for (const [tree, delay] of [
      ['old', 0],
      ['new', 4],
    ]) {
      mkdirSync(join(workspace.folder, String(tree)));
      const unix = JSON.stringify(join(ROOT, 'lib/cli/slowed-unix.js'));
      const text = `import slowed from ${unix};
export default { ...slowed, name: 'mine', listen: (host) => slowed.listen({ ...host, settings: { ...host.settings, delayUs: ${Number(delay) * 1000} } }) };`;
      writeFileSync(join(workspace.folder, String(tree), 'mine.mjs'), text);
    }
    const args = `compare --run v1=@old v2=@./new --transport ./mine.mjs --json c.json ${SHORT}`;
    const { code, stderr } = await callCli(args, workspace);
    assert.equal(code, 0, stderr);
    const [row] = JSON.parse(readFileSync(join(workspace.folder, 'c.json'), 'utf8')).rows;
    assert.equal(row.cell.transport, 'mine');
    assert.ok(row.new.estimate <= 255, 'a busy wait of 4 ms before each question');
    assert.ok(row.ratio.estimate < 0.5, String(row.ratio.estimate));
  });

  it('refuses a folder that holds the results of one of its variants, without --force', async () => {
    mkdirSync(join(workspace.folder, 'out'));
    writeFileSync(join(workspace.folder, 'out', 'B.json'), 'of an earlier comparison');
    const args = `compare --run A=unix B=tcp --out out ${SHORT}`;
    const { code, stderr } = await callCli(args, workspace, { launch: simulatedLauncher() });
    assert.equal(code, 2);
    assert.match(stderr, /^ipc-bench: out holds results already; .*--force to overwrite$/m);
    assert.equal(readFileSync(join(workspace.folder, 'out', 'B.json'), 'utf8'), 'of an earlier comparison');
    assert.equal((await callCli(`${args} --force`, workspace, { launch: simulatedLauncher() })).code, 0);
  });

  it('refuses a folder from which neither variant takes anything', async () => {
    mkdirSync(join(workspace.folder, 'empty'));
    const { code, stderr } = await callCli(`compare --run A=@empty B= --transport unix ${SHORT}`, workspace);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /--run: @.*empty has no effect: it is not a checkout of ipc-bench.*--transport \.\/mine\.js/,
    );
  });

  it('prints the plan, its time and the least difference that it will find, and makes no folder', async () => {
    const args =
      'compare --run A=unix/json B=unix:flush=tick/json --launches 20 --min-effect 10% --out out --dry-run';
    const { code, stdout, stderr } = await callCli(args, workspace, {
      launch: () => assert.fail('it measured'),
    });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^A: unix\/json\nunix\/json {2}round-trip .*^B: unix:flush=tick\/json\nunix:flush=tick\/json /ms,
    );
    assert.match(stdout, /^40 launches in 20 repetitions, about \d.*\.$/m);
    const found =
      /detected with 80 % power: about ([\d.]+) % on a quiet machine, ([\d.]+) % on a noisy one\. --min-effect is 10 %\.$/m;
    const [, quiet, noisy] = (found.exec(stdout) ?? []).map(Number);
    assert.ok(quiet > 1 && quiet < noisy && noisy < 10, stdout);
    assert.equal(existsSync(join(workspace.folder, 'out')), false);
  });

  it('has its options refused about saved runs', async () => {
    const { code, stderr } = await callCli('compare a.json b.json --launches 3', workspace);
    assert.equal(code, 2);
    assert.match(stderr, /--launches changes nothing about saved runs/);
  });
});
