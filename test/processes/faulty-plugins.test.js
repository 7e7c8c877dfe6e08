// Runs always.
// What faulty parts of somebody else do to a command: their rows fail, or the command ends with a sentence that names them.
// Everything else goes on.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { readResults } from '../../lib/results/read.js';
import { callCli, makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const QUICK =
  '--workers 1x2 --launches 2 --warmup 30ms --messages 100 --no-controls --no-charts --codec json --seed 1';

const SAVED = fileURLToPath(new URL('../fixtures/results-default.json', import.meta.url));

const workspace = makeWorkspace();
after(() => workspace.remove());
/** @param {string} name @param {string} text */
const writePart = (name, text) => writeFileSync(join(workspace.folder, name), text);

/** @param {string} name @param {{ headline?: string, second?: string }} reads   what its measures give */
function writeScenario(name, { headline = '1', second = '2' }) {
  const words = "unit: 'count', better: 'lower', kind: 'value'";
  writePart(
    `${name}.js`,
    `export default {
      name: '${name}',
      summary: 'a scenario whose measures are faulty',
      measures: [
        { name: 'first', title: 'first', ${words}, read() { return ${headline}; } },
        { name: 'second', title: 'second', ${words}, read() { return ${second}; } },
      ],
      endpoint: (role, kit) => (role === 'master' ? kit.responder() : kit.requester()),
    };`,
  );
}

describe('a scenario whose measures cannot be read', () => {
  it('fails its own rows by name, and no other row', async () => {
    const throwing = "(() => { throw new Error('rd'); })()";
    const faulty = /** @type {[string, Parameters<typeof writeScenario>[1], RegExp][]} */ ([
      ['throws', { headline: throwing }, /the measure first of the scenario throws cannot be read: rd/],
      [
        'secondthrows',
        { second: throwing },
        /the measure second of the scenario secondthrows cannot be read: rd/,
      ],
      [
        'text',
        { headline: "'many'" },
        /measure first of the scenario text .* it gave a text, not a finite number/,
      ],
      ['nothing', { second: 'undefined' }, /measure second of the scenario nothing .* it gave undefined/],
      ['big', { second: '5n' }, /measure second of the scenario big .* it gave a BigInt/],
      ['endless', { second: 'Infinity' }, /measure second of the scenario endless .* it gave Infinity/],
      ['negative', { second: '-3' }, /measure second of the scenario negative .* it gave -3/],
      [
        'none',
        { headline: 'null' },
        /measure first of the scenario none .* it is the headline and gave null/,
      ],
      ['zero', { headline: '0' }, /measure first of the scenario zero .* it is the headline and gave 0/],
    ]);
    for (const [name, reads] of faulty) writeScenario(name, reads);
    writeScenario('good', {});
    const names = ['round-trip', ...faulty.map(([name]) => `./${name}.js`), './good.js'].join();
    const args = `${QUICK} --transport unix --scenario ${names} --out faulty`;
    const { code, stderr } = await callCli(args, workspace, { launch: simulatedLauncher() });
    assert.equal(code, 3, stderr);
    assert.doesNotMatch(stderr, /unexpected error/);
    const { outcomes } = await readResults(join(workspace.folder, 'faulty', 'results.json'));
    for (const outcome of outcomes) {
      const { scenario } = outcome.cell;
      const why = faulty.find(([name]) => name === scenario)?.[2];
      assert.equal(outcome.status, why === undefined ? 'measured' : 'failed', scenario);
      if (why !== undefined && outcome.status === 'failed') assert.match(outcome.message, why);
    }
    assert.equal(outcomes.length, faulty.length + 2);
  });
});

describe('a private broker that is dead at the end of a launch', () => {
  it('fails the launch, although its processes have measured', async () => {
    const broker = fileURLToPath(new URL('../fixtures/dead-broker.js', import.meta.url));
    const args = `${QUICK} --transport tcp,${broker} --out dead`;
    const { code, stderr } = await callCli(args, workspace, { launch: simulatedLauncher() });
    assert.equal(code, 3, stderr);
    const { outcomes } = await readResults(join(workspace.folder, 'dead', 'results.json'));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['measured', 'failed'],
    );
    const [, failed] = outcomes;
    assert.ok(failed.status === 'failed');
    assert.equal(failed.code, 'BROKER');
    assert.match(failed.message, /: dead died: it was killed by SIGKILL;/);
  });
});

/** @param {string} name @param {string} body   of its render */
const writeReport = (name, body) =>
  writePart(`${name}.js`, `export default { name: '${name}', summary: 'faulty', render() { ${body} } };`);

describe('a plug-in that is faulty when it is loaded', () => {
  for (const [name, text, why] of /** @type {[string, string, RegExp][]} */ ([
    [
      'exits.js',
      'process.exit(0);',
      /^ipc-bench: the process was ended by transport \.\/exits\.js .* while it was being loaded\. .*process\.exit\(\)\.\n$/,
    ],
    [
      'waits.js',
      'await new Promise(() => {});',
      /^ipc-bench: transport \.\/waits\.js .* cannot be loaded: .*a promise in it that never settles\.\n$/,
    ],
    [
      'undecided.js',
      `import unix from ${JSON.stringify(builtinUrl('transport', 'unix'))};
export default { ...unix, name: 'undecided', whyUnavailable: () => new Promise(() => {}) };`,
      /^ipc-bench: whyUnavailable of transport undecided cannot be called: .*a promise in it that never settles\.\n$/,
    ],
  ])) {
    it(`ends the command with its name: ${text.slice(text.indexOf('\n') + 1)}`, async () => {
      writePart(name, text);
      const { code, stdout, stderr } = await startCli(['--dry-run', '--transport', `./${name}`], workspace)
        .ended;
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, why);
    });
  }

  it('is named where it throws when it is looked at', async () => {
    writePart('trap.js', "export default new Proxy({}, { get() { throw new Error('trap'); } });");
    const { code, stderr } = await callCli(['--dry-run', '--transport', './trap.js'], workspace);
    assert.equal(code, 2);
    assert.match(stderr, /^ipc-bench: transport \.\/trap\.js .* cannot be loaded: trap/);
  });

  it('is named where its settings throw', async () => {
    const part =
      "name: 'odd', summary: 'odd', endpoint() {}, ofSettings() { throw new Error('no settings'); }";
    writePart('odd.js', `export default { ${part} };`);
    const { code, stderr } = await callCli(['--dry-run', '--scenario', './odd.js'], workspace);
    assert.equal(code, 2);
    assert.match(stderr, /^ipc-bench: scenario \.\/odd\.js .* its settings cannot be applied: no settings/);
  });
});

describe('a report that is faulty when it is rendered', () => {
  for (const [name, body, why] of /** @type {[string, string, RegExp][]} */ ([
    [
      'leaves',
      'process.exit(0);',
      /^ipc-bench: the process was ended by the report \.\/leaves\.js while it was being rendered\. .*\n$/,
    ],
    [
      'hangs',
      'return new Promise(() => {});',
      /^ipc-bench: the report \.\/hangs\.js cannot be rendered: .*a promise in it that never settles\.\n$/,
    ],
  ])) {
    it(`ends the command with its name: ${body}`, async () => {
      writeReport(name, body);
      const args = ['report', SAVED, '--quiet', '--report', `./${name}.js=-`];
      const { code, stderr } = await startCli(args, workspace).ended;
      assert.equal(code, 2);
      assert.match(stderr, why);
    });
  }
});
