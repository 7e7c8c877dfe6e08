// The end of a channel is noticed by the other end, and nothing remains of a launch.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './deadline.js';
import { canConnect } from './intruders.js';
import { listeningPorts } from './listening-ports.js';

/** @import { Test } from './test-launches.js' */

const NOTICE_MS = 1_000;
const GRACE_MS = 1_000;
const SECOND_CALL_MS = 50; // a second onClose would follow the first at once

/** @type {Record<string, Test>} */
export const ENDING_TESTS = {
  async 'is reachable from this machine only'(launches) {
    await launches.main();
    const ports = listeningPorts();
    if (ports === null) return 'this system does not report the ports on which a process listens';
    const open = ports.filter(({ isLoopback }) => !isLoopback).map(({ port }) => port);
    assert.deepEqual(
      open,
      [],
      'ports that listen on every interface; bind them to host.bindAddress or to 127.0.0.1',
    );
  },

  async 'closes the end of the host once, within a second, when a worker closes twice'(launches) {
    const { launch } = await launches.main();
    const [leaver, stayer] = launch.guests();
    const closing = leaver.remote.ask('close');
    await within(NOTICE_MS, 'onClose of the host', leaver.end.closed);
    assert.equal(await closing, 1, 'calls of onClose in the worker itself');
    await delay(SECOND_CALL_MS);
    assert.equal(leaver.end.closings, 1, 'calls of onClose in the host');
    await launch.echo(stayer, 'still here');
  },

  async 'closes the end of a worker once, within a second, when the host closes twice'(launches) {
    const { launch } = await launches.main();
    const [, { end, remote }] = launch.guests();
    const noticed = remote.ask('closed', { deadlineMs: NOTICE_MS });
    await within(NOTICE_MS, 'close()', Promise.all([end.channel.close(), end.channel.close()]));
    await within(NOTICE_MS, 'a late close()', end.channel.close());
    await noticed;
    await delay(SECOND_CALL_MS);
    const { closings } = await remote.ask('closed', { deadlineMs: NOTICE_MS });
    assert.equal(closings, 1, 'calls of onClose in the worker');
    assert.equal(end.closings, 1, 'calls of onClose in the host itself');
  },

  async 'does not keep a worker alive after its channel is closed'(launches) {
    const { launch } = await launches.main();
    await launch.endWorkers();
  },

  async 'leaves no file, port or process when its listener is closed twice'(launches) {
    await launches.endOthers(); // tests that end them may not have run
    const { launch, socketAddresses } = await launches.main();
    await launch.endWorkers();
    await Promise.all([launch.closeListener(), launch.closeListener()]);
    await launch.closeListener();
    let left = await leftOf(launch, socketAddresses);
    // A library with threads of its own may release resources a moment later.
    for (const end = Date.now() + GRACE_MS; left.length > 0 && Date.now() < end; ) {
      await delay(SECOND_CALL_MS);
      left = await leftOf(launch, socketAddresses);
    }
    assert.deepEqual(left, []);
  },
};

/**
 * @param {import('./launch.js').Launch} launch
 * @param {import('./intruders.js').SocketAddress[]} socketAddresses
 * @returns {Promise<string[]>} what remains
 */
async function leftOf(launch, socketAddresses) {
  const files = readdirSync(launch.scratchDir).map((name) => `the file ${name} in the scratch folder`);
  const ports = (listeningPorts() ?? []).map(({ port }) => `the port ${port}`);
  const children = childPids().map((pid) => `the child process ${pid}`);
  const open = await Promise.all(socketAddresses.map(canConnect));
  const answering = socketAddresses
    .filter((_, index) => open[index])
    .map((socketAddress) => `${JSON.stringify(socketAddress)}, which answers`);
  return [...files, ...ports, ...children, ...answering];
}

/** @param {number} [pid]   this process by default @returns {string[]} children of its main thread, on Linux */
export function childPids(pid = process.pid) {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
    return list.split(' ').filter((pid) => pid !== '');
  } catch {
    return [];
  }
}
