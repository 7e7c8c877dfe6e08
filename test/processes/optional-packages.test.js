// Runs always.
// An installation without the optional packages: their rows are skipped with the command that installs them, and all others are measured.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { OWN_PACKAGE } from '../../lib/machine/packages.js';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadCodecs, loadTransports, neededPackages } from '../../lib/plugins/plugins.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

const ROOT = join(import.meta.dirname, '../..');
const NOTHING_TO_RUN = 7;
const isOptional = (/** @type {string} */ name) => Object.hasOwn(OWN_PACKAGE.peerDependencies, name);

const project = ownFolder('optional-packages-test-');
writeFileSync(join(project, 'package.json'), '{}');
const house = join(project, 'node_modules/ipc-bench');
for (const part of ['bin', 'lib', 'transports', 'scenarios', 'reports', 'package.json'])
  cpSync(join(ROOT, part), join(house, part), { recursive: true });
for (const name of Object.keys(OWN_PACKAGE.dependencies)) {
  const path = join(project, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(realpathSync(join(ROOT, 'node_modules', name)), path, 'junction');
}
mkdirSync(join(project, 'node_modules/ws'));
writeFileSync(join(project, 'node_modules/ws/package.json'), '{ "version": "7.5.10", "main": "index.js" }');
writeFileSync(join(project, 'node_modules/ws/index.js'), '');

/** @param {string} line @param {Record<string, string>} [variables] @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
function run(line, variables = {}) {
  const args = [join(house, 'bin/ipc-bench.js'), ...line.split(' ')];
  const env = { ...process.env, ...withTemporaryFolder(project), NO_COLOR: '1', ...variables };
  return promisify(execFile)(process.execPath, args, { cwd: project, env }).then(
    (output) => ({ code: 0, ...output }),
    (error) => error,
  );
}

/** @returns {Promise<Map<string, string[]>>} name of a built-in transport or codec → optional packages that it needs */
async function findOptionalPackages() {
  const loaded = await Promise.all([
    loadTransports(builtinNames('transport')),
    loadCodecs(builtinNames('codec')),
  ]);
  const plugins = loaded.flatMap((each) => [...each.values()]).map(({ plugin }) => plugin);
  return new Map(plugins.map((plugin) => [plugin.name, neededPackages(plugin).filter(isOptional)]));
}

describe('without optional packages', () => {
  it('list and doctor name each plug-in that needs one, with the command', async () => {
    const [needed, listed, checked] = await Promise.all([
      findOptionalPackages(),
      run('list --json -'),
      run('doctor --json -'),
    ]);
    const { transports, codecs } = JSON.parse(listed.stdout);
    for (const { name, unavailable, traits } of [...transports, ...codecs]) {
      const [first] = needed.get(name) ?? [];
      const isHere = traits?.platforms.includes(process.platform) ?? true;
      if (first === undefined) assert.doesNotMatch(unavailable ?? '', /^the package/, name);
      else if (isHere)
        assert.match(unavailable, new RegExp(`^the package ${first} .*: npm install ${first}@\\d`));
    }
    const { findings } = JSON.parse(checked.stdout);
    const { mend } = findings.find((/** @type {any} */ { check }) => check === 'plug-ins');
    const [install] = mend.split(' && ');
    assert.equal(mend.split('npm install').length, 2, mend);
    for (const name of ['@grpc/grpc-js@1', 'cbor-x@1', 'ws@8', '@nats-io/transport-node@3.3.1'])
      assert.ok(install.split(' ').includes(name), install);
  });

  it('a run skips their rows, and plans all others', async () => {
    const transports = 'unix,grpc,http,http:client=undici,websocket';
    const { code, stdout, stderr } = await run(`--dry-run --transport ${transports} --codec json,cbor`);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^unix\/json .* split$/m);
    assert.match(stdout, /^unix\/cbor .*skipped: .* is not installed: npm install cbor-x@1$/m);
    assert.match(stdout, /^http\/json .* split$/m);
    assert.match(stdout, /^http:client=undici\/json .*skipped: .* is not installed: npm install undici@7$/m);
    assert.match(stdout, /^grpc\/json .*skipped: .* is not installed: npm install @grpc\/grpc-js@1$/m);
    assert.match(stdout, /^websocket\/json .*skipped: .* is 7\.5\.10, .*: npm install ws@8$/m);
    assert.match(stdout, /^2 of 10 cells/m);
  });

  it('buffers of sockets that need one are a reason to skip', {
    skip: process.platform === 'win32' && 'Node does not expose the socket on Windows',
  }, async () => {
    const { code, stdout } = await run(
      '--dry-run --transport tcp,tcp:rcvbuf=4096,unix:sndbuf=4096 --codec json',
    );
    assert.equal(code, 0);
    assert.match(stdout, /^tcp\/json .* split$/m);
    for (const label of ['tcp:rcvbuf=4096', 'unix:sndbuf=4096'])
      assert.match(
        stdout,
        new RegExp(`^${label}/json .*skipped: .* cannot be set: .*: npm install koffi@3$`, 'm'),
      );
  });

  it('a run that needs them for all its rows ends as one without a row', async () => {
    const { code, stderr } = await run('--transport grpc --codec json');
    assert.equal(code, NOTHING_TO_RUN);
    assert.match(stderr, /grpc\/json: .*: npm install @grpc\/grpc-js@1$/m);
  });

  it('agents and runs with agents end with the command that installs BullMQ', async () => {
    const url = 'redis://127.0.0.1:1';
    for (const line of [
      `agent --redis ${url} --name a`,
      `--agents ${url} --master-on a --workers-on b --transport tcp`,
    ]) {
      const { code, stderr } = await run(line, { IPC_BENCH_SECRET: 'a'.repeat(64) });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /: npm install bullmq@6$/m);
    }
  });
});
