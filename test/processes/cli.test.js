// Runs always.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { readResults } from '../../lib/results/read.js';
import { callCli, makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { eventually } from '../fixtures/launch-cell.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const FIXTURE = fileURLToPath(new URL('../fixtures/results-default.json', import.meta.url));
const workspace = makeWorkspace();
after(() => workspace.remove());
const { folder } = workspace;

// Two cells of three short launches: all that the command line needs to be seen at work.
const SHORT = '--transport pipe,unix --codec json --workers 1x1 --launches 2';
const QUICK = `${SHORT} --warmup 20ms --measure 50ms --placement free`;

/**
 * @param {string | string[]} args
 * @param {Record<string, string>} [environment]   that of the user, without a word on colours
 */
const start = (args, environment) =>
  startCli(args, workspace, { NO_COLOR: undefined, FORCE_COLOR: undefined, ...environment });

/** @param {string | string[]} args @param {Parameters<typeof callCli>[2]} [how] */
const called = (args, how) => callCli(args, workspace, how);

describe('help and version', () => {
  const launch = () => assert.fail('it measured');

  it('prints help for --help, -h and the word help, and measures nothing', async () => {
    const { stdout: all } = await called('--help');
    for (const line of ['help', '-h', '-h --quick'])
      assert.deepEqual(await called(line, { launch }), { code: 0, stdout: all, stderr: '' }, line);
    for (const name of ['run', 'doctor', 'selftest']) {
      const { stdout: own } = await called(`${name} --help`);
      for (const line of [`${name} help`, `help ${name}`, `${name} -h`, `${name} -h --quick`])
        assert.deepEqual(await called(line, { launch }), { code: 0, stdout: own, stderr: '' }, line);
    }
    const { stdout: version } = await called('--version');
    assert.match(version, /^\d+\.\d+\.\d+\n$/);
    assert.equal((await called('-v')).stdout, version);
  });

  it('refuses the word help behind options', async () => {
    const { code, stderr } = await called('--transport unix help', { launch });
    assert.equal(code, 2);
    assert.match(stderr, /unknown command "help"/);
  });
});

// What is wrong with a value is in the unit tests of options, plug-ins and plans.
describe('wrong command lines', () => {
  /** @type {[string[], RegExp][]} */
  const cases = [
    [['--paylod', '5'], /unknown option --paylod.*Did you mean --payload/],
    [['-x', '5'], /unknown option -x/],
    [
      ['-t', 'pipee,unixx', '-c', 'json'],
      /"pipee".*Did you mean pipe\?.*"unixx".*Did you mean unix\?.*Built in/,
    ],
    [['-vh'], /unknown option -vh;.*Did you mean -v -h\?/],
    [['-p100'], /unknown option -p100;.*Did you mean -p 100\?/],
    [['rnu'], /Did you mean run\?/],
    [['-t'], /--transport needs a value: NAME/],
    [['unix', 'tcp'], /unknown command "unix".*Did you mean --transport unix,tcp/],
    [['constructor'], /unknown command "constructor"; commands are run, .* joined by commas\.\n$/],
    [['uds'], /unknown command "uds".*Did you mean --transport unix/],
    [['old.json'], /old\.json cannot be read as results: there is no such file/],
    [['recommend', '--messages', '2k'], /unknown option --messages.*Did you mean --rate/],
    [['--shared-folder'], /unknown option --shared-folder.*Did you mean --same-machine/],
    [['list', '--json'], /--json needs a value: FILE/],
    [['--save-baseline', '../x'], /--save-baseline: "..\/x" is not a name for a baseline/],
    [['lst'], /unknown command "lst"; commands are run, list, report.*Did you mean list/],
    [['--workers', '1x1', '2x4'], /unknown command "2x4".*joined by commas/],
    [['run', 'list'], /run does not take "list"/],
    [['--workers'], /--workers needs a value: WxC/],
    [['--json', '--quiet'], /--json needs a value: FILE/],
    [['--quick=yes'], /--quick takes no value "yes"; write --quick or --no-quick/],
    [['record', '--contents=yes', '--', 'node'], /--contents takes no value "yes"/],
    [['--no-payload'], /--no-payload means nothing/],
    [['list', 'codecs', '--markdown', '-'], /--markdown is the table of the transports/],
    [['--config', '/nonexistent.json'], /cannot read \/nonexistent.json/],
    [['list', 'transport'], /no kind "transport".*Did you mean transports/],
    [['list', '--workers', '1x1'], /unknown option --workers/],
    [['report'], /report needs a run, and there is none in this folder; measure with npx ipc-bench/],
    [['compare'], /compare takes two runs, not 0, and 0 of them can be found in this folder/],
    [
      ['--scenario', 'stream', '--messages', '100'],
      /^ipc-bench: stream runs for a fixed time: leave out --messages$/m,
    ],
    [
      ['--scenario', 'records', '--connections', '5'],
      /: records:records=100 uses one connection per worker: leave out --connections$/m,
    ],
    [['report', FIXTURE, '--preset', 'x'], /unknown option --preset/],
    [['--payload', '\u001b[31mred'], /"\\u001b\[31mred" is not a size/],
  ];
  for (const [args, expected] of cases) {
    it(`refuses ${JSON.stringify(args)} with exit code 2 and one sentence`, async () => {
      const { code, stderr } = await called(args);
      assert.equal(code, 2);
      assert.match(stderr, expected);
      assert.match(stderr, /^ipc-bench: [^\n]+\n$/);
      assert.equal(stderr.includes('\u001b'), false);
    });
  }
});

describe('bin', () => {
  it('prints errors on stderr alone and sets the exit code', async () => {
    const { code, stdout, stderr } = await start('--theme drak').ended;
    assert.deepEqual([code, stdout], [2, '']);
    assert.equal(stderr, 'ipc-bench: --theme: "drak" is not one of light, dark, both. Did you mean dark?\n');
  });

  it('refuses a removed working directory in one sentence', async () => {
    const { code, stdout, stderr } = await startCli(
      'list',
      workspace,
      {},
      'mkdir gone && cd gone && rmdir ../gone',
    ).ended;
    assert.deepEqual([code, stdout], [2, '']);
    assert.equal(
      stderr,
      'ipc-bench: the working directory was removed; change to one that exists, and start again\n',
    );
  });
});

describe('list', () => {
  it('names everything that is built in, with traits and settings', async () => {
    const all = await called('list');
    const transports = await called('list transports');
    assert.deepEqual([all.code, transports.code], [0, 0]);
    for (const word of ['redis-pubsub', 'msgpack', 'round-trip', 'node-ipc-2016']) {
      assert.ok(all.stdout.includes(word), word);
    }
    for (const word of ['redis-pubsub', ':flush=direct|tick', 'duplex']) {
      assert.ok(transports.stdout.includes(word), word);
    }
  });

  it('prints the traits of all transports as a Markdown table, whatever this machine has', async () => {
    const here = await called('list --markdown -');
    const poor = await called('list transports --markdown -', { environment: { PATH: '/nonexistent' } });
    assert.equal(here.stdout, poor.stdout);
    const rows = here.stdout.trim().split('\n');
    const names = rows.map((row) => row.split('|')[1].trim());
    for (const name of builtinNames('transport')) assert.ok(names.includes(name), name);
    assert.equal(new Set(rows.map((row) => row.replaceAll('\\|', '').split('|').length)).size, 1);
    assert.match(rows[0], /delivery \| order \| greatest message \| platforms \| needs \| settings/);
  });

  it('prints why a transport is unavailable, and the remedy', async () => {
    const { stdout } = await called('list transports', { environment: { PATH: '/nonexistent' } });
    assert.match(stdout, /redis-pubsub[^:]*\n +not available here: .*\S/);
  });

  it('prints JSON of one kind', async () => {
    const { stdout } = await called('list transports --json -');
    const { transports, ...others } = JSON.parse(stdout);
    assert.deepEqual(others, {});
    assert.ok(
      transports.some((/** @type {any} */ { name, traits }) => name === 'unix' && traits.class === 'socket'),
    );
  });
});

describe('run --dry-run', () => {
  it('prints the cells in order with the reasons of the skipped ones, and measures nothing', async () => {
    const { code, stdout } = await called('--dry-run --transport pipe,unix --codec json,string --seed 5');
    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n').slice(0, 2), [
      'pipe/json    round-trip 2x4 1000 B split',
      'pipe/string  round-trip 2x4 1000 B split  skipped: pipe serialises messages itself (json, v8), so string would be encoded twice',
    ]);
    assert.match(
      stdout,
      /3 of 4 cells, at least 6 launches \(2 of each, seed 5\), about \d+ s to \d+ s. Launches are added until every ratio is clear of 1 or known to ± 5 %, at most 8 of each, or 40 s are over. Ratios refer to pipe\/json/,
    );
    assert.equal(existsSync(join(folder, 'ipc-bench-results')), false);
  });

  it('prints how long a sweep may take, as the run itself does, and ends with 7 if it finds no rate', async () => {
    const cells = '--sweep --transport unix,tcp --codec json --workers 1x1';
    const { stdout } = await called(`${cells} --dry-run --launches 2 --seed 5`);
    assert.match(
      stdout,
      /^2 of 2 cells, up to about 74 launches \(2 of each rate, seed 5\), at most about 8 min 0 s\. /m,
    );
    // Too little for any rate: what is said is said all the same.
    const short = '--max-time 1s --launches 1 --warmup 20ms --measure 1s --no-controls --no-charts';
    const run = await called(`${cells} ${short} --placement free`, { launch: simulatedLauncher() });
    assert.equal(run.code, 7, run.stderr);
    assert.match(
      run.stderr,
      /^This sweep takes at most about 2 s: 1 s for each of 2 cells, for its search and the launches at rates around what it finds; --max-time sets the time of a cell$/m,
    );
    assert.match(run.stdout, /no rate could be tried within --max-time, beginning with [\d,]+\/s/);
  });

  it('ends with 7 when there is nothing to run, as the run itself', async () => {
    const args = '--transport pipe --codec string';
    const dry = await called(`${args} --dry-run`);
    const real = await called(args);
    assert.deepEqual([dry.code, real.code], [7, 7]);
    assert.match(
      real.stderr,
      /nothing to run, every cell is skipped:\n {2}- pipe\/string: pipe serialises messages itself/,
    );
  });

  it('prints a reason once, with its rows', async () => {
    const args = '--transport unix,tcp --runtime node@99';
    const dry = await called(`${args} --dry-run`);
    const real = await called(args);
    assert.equal(dry.stdout.match(/there is no node@99/g)?.length, 1);
    assert.match(dry.stdout, /^tcp\/json on node@99 .* skipped, as unix\/json on node@99$/m);
    assert.equal(real.stderr.match(/there is no node@99/g)?.length, 1);
    assert.match(real.stderr, /- unix\/json on node@99, unix\/string on node@99, tcp\/json on node@99, tcp/);
  });

  it('skips rows that an option excludes, if others are left', async () => {
    const args = '--scenario round-trip,stream --messages 100 --transport unix --codec json --dry-run';
    const { code, stdout } = await called(args);
    assert.equal(code, 0);
    assert.match(stdout, /unix\/json {2}stream .* skipped: stream runs for a fixed time/);
  });

  it('prints which rows have longer slices, for the length of their operations', async () => {
    const { stdout } = await called(
      '--dry-run --workers 1x1 --transport unix --codec json --scenario task:work=100000,round-trip',
    );
    assert.match(
      stdout,
      /task:work=100000 .* {2}in slices of about \d+ ms, for the length of its operations\n/,
    );
    assert.doesNotMatch(stdout, /round-trip .* in slices/);
  });

  it('prints which rows are measured in one window, if others are sliced', async () => {
    const { stdout } = await called('--scenario round-trip,stream --transport unix --codec json --dry-run');
    assert.match(stdout, /round-trip 2x4 1000 B split\n.*stream 2x4 1000 B split {2}in one window\n/);
    const alike = await called('--scenario stream --transport unix --codec json --dry-run');
    assert.doesNotMatch(alike.stdout, /window/);
  });

  it('prints how long an adaptive run may take, and that a quick one gives no verdict', async () => {
    const cell = '--transport unix --codec json --dry-run --seed 5';
    const adaptive = await called(`${cell} --target-error 3%`);
    assert.match(
      adaptive.stdout,
      /at least 2 launches \(2 of each, seed 5\), about \d+ s to 5 min 0 s\. Launches are added/,
    );
    assert.match(adaptive.stdout, /until every 95 % interval is within ± 3 %, or 5 min 0 s are over/);
    const short = await called(`${cell} --max-time 2s`);
    assert.match(short.stdout, /These already take longer than --max-time 2 s/);
    assert.match((await called(`${cell} --quick`)).stdout, /A quick run gives no verdict\./);
  });

  it('names ratios only if a table has several rows', async () => {
    const one = await called('--transport unix --codec json --payload 100,1000 --dry-run');
    assert.match(one.stdout, /added until every estimate is known to ± 5 %, at most 8 of each/);
    assert.doesNotMatch(one.stdout, /ratio/i);
    const two = await called('--transport unix,tcp --codec json --dry-run');
    assert.match(two.stdout, /until every ratio is clear of 1 or known .* Ratios refer to unix\/json\.$/m);
  });

  it('warns of more workers than the machine can run', async () => {
    const { stdout } = await called('--transport unix --codec json --workers 900x1 --dry-run');
    assert.match(stdout, /^900 workers share \d+ CPUs?: .* Choose fewer --workers\.$/m);
  });

  it('refuses a matrix that is too large without --force', async () => {
    const args = '--payload 1..900 --transport unix,tcp';
    const refused = await called(args);
    const dry = await called(`${args} --dry-run`);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /7,200 launches and take about .*--force/);
    assert.equal(dry.code, 0);
  });
});

describe('places for documents', () => {
  it('refuses - for a folder, and for the file of a program that writes to stdout itself', async () => {
    for (const args of ['', 'report x.json', 'compare --run A=unix --run B=tcp', 'record -- node -e 0']) {
      const { code, stderr, stdout } = await called(args.replace(/^\w*/, '$& --out -').trim());
      assert.equal(code, 2, stderr);
      assert.match(stderr, /--out: - is stdout/);
      assert.equal(stdout, '');
    }
  });
});

describe('SIGHUP', { skip: process.platform === 'win32' ? 'needs its signals' : false }, () => {
  it('ends a command that does not measure yet with the documented exit code', async () => {
    const plugin = join(folder, 'never-loads.js');
    writeFileSync(
      plugin,
      "console.error('loading'); await new Promise((resolve) => setTimeout(resolve, 60_000));",
    );
    const { child, ended, stderrSoFar } = start(['--dry-run', '--transport', plugin]);
    await eventually(() => stderrSoFar().includes('loading'), 10_000);
    child.kill('SIGHUP');
    const { code, signal } = await ended;
    assert.deepEqual([code, signal], [143, null]);
  });
});

describe('run', () => {
  it('prints the table, what is saved and the next command', async () => {
    const { code, stdout, stderr } = await start(`${QUICK} --no-controls --out shown`).ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /unix\/json/);
    assert.match(stdout, /^Saved shown: results\.json, \S+\.png/m);
    assert.match(stdout, /^Next, .*: npx ipc-bench /m);
    assert.match(stderr, /^repetition 1\/2 · /);
    assert.equal(`${stdout}${stderr}`.includes('\u001b'), false);
    const results = await readResults(join(folder, 'shown', 'results.json'));
    assert.equal(results.status, 'complete');
    assert.deepEqual(
      results.outcomes.map(({ status }) => status),
      ['measured', 'measured'],
    );
  });

  it('prints what is skipped before the first launch, in the words of the table', async () => {
    const args = '--transport pipe,redis-pubsub --codec json --launches 2 --no-charts --lock ignore';
    const how = { environment: { PATH: '' }, launch: simulatedLauncher() };
    const { code, stdout, stderr } = await called(args, how);
    assert.equal(code, 0, stderr);
    const [line] =
      /^Skipped: redis-pubsub: .*apt install redis-server.*--broker-url redis=\S+$/m.exec(stderr) ?? [];
    assert.ok(line !== undefined && stderr.indexOf(line) < stderr.indexOf('repetition 1/'), stderr);
    assert.ok(stdout.replaceAll('\n  ', ' ').includes(line), stdout);
    assert.equal((await called(`${args} --quiet`, how)).stderr, '');
  });

  it('leaves stdout to one document, and stderr empty when quiet', async () => {
    const args = `${QUICK} --quiet --json - --out json --no-controls --no-charts`;
    const { code, stdout, stderr } = await called(args, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
    assert.equal(JSON.parse(stdout).status, 'complete');
  });

  it('draws the same documents again from the file', async () => {
    const args = `${QUICK} --no-controls --seed 1 --title twice --theme dark --quiet`;
    const into = (/** @type {string} */ out) => `--out ${out} --csv ${out}.csv --markdown ${out}.md`;
    const first = await called(`${args} ${into('first')}`, { launch: simulatedLauncher() });
    assert.equal(first.code, 0, first.stderr);
    const again = await called(`report ${join('first', 'results.json')} ${into('second')}`);
    assert.equal(again.code, 0, again.stderr);
    assert.ok(first.stdout.startsWith(again.stdout.slice(0, again.stdout.indexOf('Saved'))));
    assert.ok(readdirSync(join(folder, 'first')).length > 1);
    assert.deepEqual(contents('second'), contents('first'));
    for (const kind of ['csv', 'md']) {
      assert.deepEqual(
        readFileSync(join(folder, `second.${kind}`)),
        readFileSync(join(folder, `first.${kind}`)),
      );
    }
  });

  /** @param {string} name */
  function contents(name) {
    const files = readdirSync(join(folder, name)).sort();
    return files.map((file) => [file, readFileSync(join(folder, name, file)).toString('base64')]);
  }
});

describe('report', () => {
  it('shows the latest run without a file', async () => {
    const here = join(folder, 'with runs');
    for (const run of ['2026-01-01T00-00-00Z', '2026-01-02T00-00-00Z', '2026-01-03T00-00-00Z']) {
      mkdirSync(join(here, 'ipc-bench-results', run), { recursive: true });
    }
    const latest = join('ipc-bench-results', '2026-01-02T00-00-00Z', 'results.json');
    const own = { ...workspace, folder: here };
    cpSync(FIXTURE, join(here, latest));
    const { code, stdout, stderr } = await callCli(['report'], own);
    assert.deepEqual([code, stderr], [0, `The latest run: ${latest}\n`]);
    assert.equal(stdout, (await callCli(['report', latest], own)).stdout);
  });

  it('saves a complete run as a baseline, and not an interrupted one', async () => {
    const own = { ...workspace, folder: join(folder, 'with runs of a name') };
    mkdirSync(own.folder);
    const args = `${QUICK} --save-baseline main --no-charts`;
    const file = join(own.folder, 'ipc-bench-results', 'baselines', 'main.json');
    const stop = () => void process.emit('SIGINT', 'SIGINT');
    const stopped = await callCli(args, own, { launch: simulatedLauncher(stop) });
    assert.equal(stopped.code, 130, stopped.stderr);
    assert.equal(existsSync(file), false);
    const { code, stdout, stderr } = await callCli(args, own, { launch: simulatedLauncher() });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Saved ipc-bench-results.baselines.main\.json$/m);
    assert.equal((await readResults(file)).status, 'complete');
    const { stderr: none } = await callCli('compare main', own);
    assert.match(none, /main\.json and .*results\.json hold the same run/, 'nothing was measured since');
  });

  it('names the saved results if a signal ends the command while it makes documents', async () => {
    const render =
      "async render() { process.kill(process.pid, 'SIGINT'); await new Promise((end) => setTimeout(end, 60_000)); }";
    const report = `export default { name: 'slow', summary: 'waits', ${render} };`;
    writeFileSync(join(folder, 'slow.mjs'), report);
    const { code, stderr } = await start(`${QUICK} --out stopped --report ./slow.mjs=slow.txt`).ended;
    assert.equal(code, 130, stderr);
    assert.match(stderr, /^SIGINT: .* report stopped.results\.json$/m);
    assert.equal((await readResults(join(folder, 'stopped', 'results.json'))).status, 'complete');
  });

  it('names a run of a folder of runs', async () => {
    const own = { ...workspace, folder: join(folder, 'with several runs') };
    for (const run of ['one', 'two']) {
      mkdirSync(join(own.folder, 'all', run), { recursive: true });
      cpSync(FIXTURE, join(own.folder, 'all', run, 'results.json'));
    }
    const { code, stderr } = await callCli('report all', own);
    assert.equal(code, 2);
    assert.match(stderr, /"all" holds 2 runs; .*two/);
    assert.equal((await callCli(['report', join('all', 'two')], own)).code, 0);
    const named = await callCli(['report', join('all', 'two'), '--save-baseline', 'all'], own);
    assert.equal(named.code, 0, named.stderr);
    assert.equal((await callCli('report all', own)).code, 0, 'a baseline precedes a folder of its name');
  });

  it('saves results as a baseline, and finds them by its name', async () => {
    const own = { ...workspace, folder: join(folder, 'with baselines') };
    mkdirSync(own.folder);
    const { stdout: table } = await callCli(['report', FIXTURE], own);
    const file = join('ipc-bench-results', 'baselines', 'main.json');
    const named = await callCli(['report', FIXTURE, '--save-baseline', 'main'], own);
    assert.deepEqual([named.code, named.stdout], [0, `${table}Saved ${file}\n`]);
    assert.equal((await callCli('report main', own)).stdout, table);
    assert.match(
      (await callCli('report mian', own)).stderr,
      /no baseline of that name; there are main\. Did you mean main\?$/m,
    );
    assert.equal(
      (await callCli(['report', FIXTURE, '--save-baseline', 'main'], own)).code,
      0,
      'in its place',
    );
    const same = await callCli('compare main main', own);
    assert.match(same.stderr, /main\.json and .*main\.json hold the same run/);
  });

  it('prints at a terminal of 0 columns what one of 80 shows, in each command', async () => {
    const commands = [
      'help',
      'help all',
      'list',
      'report FILE',
      'recommend FILE',
      'compare FILE FILE --force',
    ];
    for (const command of commands) {
      const words = command.split(' ').map((word) => (word === 'FILE' ? FIXTURE : word));
      const usual = await called(words, { columns: 80 });
      const broken = await called(words, { columns: 0 });
      assert.ok(usual.stdout.length > 0 || usual.stderr.length > 0, command);
      assert.deepEqual(broken, usual, command);
    }
  });

  it('prints more with --columns and --notes, and lists the columns', async () => {
    const { code, stdout, stderr } = await called(['report', FIXTURE, '--columns', 'memory', '--notes']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, / peak$/m);
    assert.match(stdout, /^placement split: /m);
    const refused = await called(['report', FIXTURE, '--columns', 'mem']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /"mem" is not one of mb, times, .*, all\. Did you mean memory\?/);
  });

  it('needs no transport that the file names', async () => {
    const path = join(folder, 'foreign.json');
    writeFileSync(path, readFileSync(FIXTURE, 'utf8').replaceAll('"unix"', '"carrier-pigeon"'));
    const { code, stdout, stderr } = await called(['report', path, '--csv', '-']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /carrier-pigeon/);
  });
});
