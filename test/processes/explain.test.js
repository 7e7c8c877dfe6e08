// Runs in CI.
// Where the time of a round trip goes, in real launches with a transport and a codec of known costs.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readResults } from '../../lib/results/read.js';
import { LONG_ONLY, notInLongForm } from '../conformance/long-form.js';
import { callCli, workspaceForEach } from '../fixtures/cli-run.js';

/** @import { Explanation } from '../../lib/types/index.js' */

const fileUrl = (/** @type {string} */ path) => pathToFileURL(join(import.meta.dirname, path)).href;
const MINE = './mine.mjs';
// Busy for a known time: in the sending of questions, of answers, or in the encoding of either.
const BUSY = `const busy = (us) => { for (const untilMs = performance.now() + us / 1e3; performance.now() < untilMs; ); };`;
const TRANSPORT = `import unix from '${fileUrl('../../transports/unix.js')}';
${BUSY}
const slowed = (channel, us) => {
  const send = channel.send.bind(channel);
  channel.send = (wire) => { busy(us); return send(wire); };
  return channel;
};
const setting = { summary: 'busy', default: 0, min: 0, max: 1e6, unit: 'µs' };
export default { ...unix, name: 'mine', settings: { ...unix.settings, workerUs: setting, masterUs: setting },
  listen: (host) => unix.listen({ ...host, onChannel: (channel, id) => host.onChannel(slowed(channel, host.settings.masterUs), id) }),
  connect: async (guest) => slowed(await unix.connect(guest), guest.settings.workerUs) };`;
/** @param {Record<string, number>} busyUs   by end */
const codecText = (busyUs) => `import json from '${fileUrl('../../lib/codecs/builtin/json.js')}';
${BUSY}
const us = ${JSON.stringify(busyUs)}[process.argv[1].match(/(worker|master).js$/)?.[1]] ?? 0;
export default { ...json, name: 'slow', encode: (message) => { busy(us); return json.encode(message); } };`;
const CELL = '--codec ./slow.mjs --payload 100 --launches 1 --warmup 100ms --measure 200ms';
const SHORT = `${CELL} --lock ignore --no-controls --no-charts --quiet --explain --out o --force`;

const workspace = workspaceForEach();

/**
 * @param {string} chosen   './mine.mjs' with its settings
 * @param {Record<string, number>} [codecUs]   by the end whose codec is busy
 * @param {string} [shape]
 * @param {string} [transport]   its text
 */
async function explained(chosen, codecUs = {}, shape = '1x1', transport = TRANSPORT) {
  writeFileSync(join(workspace.folder, 'mine.mjs'), transport);
  writeFileSync(join(workspace.folder, 'slow.mjs'), codecText(codecUs));
  const args = `--transport ${chosen} --workers ${shape} ${SHORT}`;
  const { code, stdout, stderr } = await callCli(args, workspace);
  assert.equal(code, 0, stderr);
  assert.deepEqual(workspace.leftovers(), []);
  return { stdout, results: await readResults(join(workspace.folder, 'o', 'results.json')) };
}

/** @param {Explanation} explanation @param {string} name @returns {number} */
function usOf({ parts }, name) {
  return Number(parts.find((part) => part.name === name)?.us);
}

/**
 * A crowded machine keeps the thread that samples from its CPU, and a profile misses most of what was done meanwhile. So
 * one look of several must show what all of a quiet machine's do.
 * @param {number} tries
 * @param {() => Promise<void>} look   throws where it does not show it
 */
async function oneOf(tries, look) {
  for (let left = tries; ; left -= 1)
    try {
      return await look();
    } catch (error) {
      if (left === 1) throw error;
    }
}

describe('--explain', () => {
  it('attributes the known costs of a transport and a codec to their parts and ends', async () => {
    const { results, stdout } = await explained(`${MINE}:masterUs=2000`, { worker: 2_000 });
    const [outcome] = results.outcomes;
    assert.equal(
      outcome.status === 'measured' && outcome.launches.length,
      1,
      'the extra launch does not count',
    );
    const [explanation] = results.explanations ?? [];
    const { parts, processes, wholeUs, remainderUs } = explanation;
    const [master, worker] = processes;
    assert.deepEqual(
      [master.name, master.role, worker.name, worker.role],
      ['master', 'master', 'w0', 'worker'],
    );
    const known = parts.reduce((sum, { us }) => sum + (us ?? 0), 0);
    assert.ok(Math.abs(known + remainderUs - wholeUs.estimate) < 1e-6, 'parts and remainder are the whole');
    const told = JSON.stringify(explanation);
    // A profile misses some samples, and a crowded machine more: they are 1.6 ms on a quiet one.
    for (const part of ['transport', 'workerCodec']) assert.ok(usOf(explanation, part) > 500, told);
    for (const other of ['masterCodec', 'harness'])
      assert.ok(!(usOf(explanation, other) > usOf(explanation, 'transport') / 2), told);
    assert.ok(worker.transportUs < master.transportUs / 2, told);
    assert.match(stdout, /Where the time of a round trip goes, in µs, 100 B, 1x1/);
  });

  it('finds 20 µs at either end', {
    skip: notInLongForm,
  }, async () => {
    await oneOf(3, async () => {
      const transports = ['', ':workerUs=20', ':masterUs=20'].map((settings) => `${MINE}${settings}`);
      const { explanations = [] } = (await explained(transports.join(','))).results;
      const [plain, ofWorker, ofMaster] = explanations.map(({ processes: [master, worker] }) => ({
        master: master.transportUs,
        worker: worker.transportUs,
      }));
      const told = JSON.stringify(explanations);
      // A profile finds two thirds of so short a piece.
      assert.ok(ofWorker.worker - plain.worker > 4, told);
      assert.ok(ofMaster.master - plain.master > 4, told);
      assert.ok(ofWorker.master - plain.master < ofWorker.worker - plain.worker, told);
      assert.ok(ofMaster.worker - plain.worker < ofMaster.master - plain.master, told);
    });
    for (const end of ['worker', 'master'])
      await oneOf(3, async () => {
        const [plain] = (await explained(MINE)).results.explanations ?? [];
        const [slowed] = (await explained(MINE, { [end]: 20 })).results.explanations ?? [];
        for (const part of ['workerCodec', 'masterCodec', 'transport', 'harness'])
          assert.equal(
            usOf(slowed, part) - usOf(plain, part) > 4,
            part === `${end}Codec`,
            JSON.stringify([part, plain, slowed]),
          );
      });
  });

  it('finds the work of each end before its writes over pipe', LONG_ONLY, async () => {
    const args =
      '--transport pipe --codec json --workers 1x1 --payload 100 --launches 1 --warmup 100ms --measure 200ms';
    await oneOf(3, async () => {
      const { code, stderr } = await callCli(
        `${args} --lock ignore --no-controls --no-charts --quiet --explain --out o --force`,
        workspace,
      );
      assert.equal(code, 0, stderr);
      const { explanations = [] } = await readResults(join(workspace.folder, 'o', 'results.json'));
      assert.equal(explanations.length, 1);
      for (const { name, onTheWayUs } of explanations[0].processes) assert.ok(onTheWayUs > 0, name);
    });
  });

  it('keeps the run when the diagnostic launch fails, and prints the reason', async () => {
    const failing = TRANSPORT.replace(
      'slowed(await',
      `process.execArgv.includes('--no-turbo-inlining') ? Promise.reject(new Error('it is looked into')) : $&`,
    );
    const { results, stdout } = await explained(MINE, {}, '1x1', failing);
    assert.equal(results.explanations, undefined);
    const [{ flag, message }] = results.failedDiagnoses ?? [];
    assert.equal(flag, 'explain');
    assert.match(message, /it is looked into/);
    assert.match(
      stdout.replaceAll(/\s+/g, ' '),
      /--explain has no result for mine\/slow: its extra launch failed, /,
    );
  });

  it('is rejected before the run if it cannot explain any cell', async () => {
    const args = '--transport unix --scenario stream --explain --lock ignore';
    const { code, stderr } = await callCli(args, workspace);
    assert.equal(code, 2);
    assert.match(stderr, /--explain finds nothing to explain.*add --scenario round-trip/s);
  });
});
