// Unauthenticated peers cause no harm, and the transport listens only at the given address.

import assert from 'node:assert/strict';
import { resolveTraits } from '../../lib/cell/traits.js';
import { canConnect, knockLoudly, listSocketAddresses } from './intruders.js';
import { listeningPorts } from './listening-ports.js';

/** @import { Test } from './test-launches.js' */

const OTHER_ADDRESS = '127.0.0.2';
const MEGABYTE = 1_048_576;
const MEMORY_MEGABYTES = 64; // announced lengths of 2 or 4 GiB must not be allocated
const NO_SOCKET = 'it has no socket of its own';

/** @type {Record<string, Test>} */
export const INTRUDER_TESTS = {
  async 'continues when unauthenticated peers send noise'(launches) {
    const { launch, socketAddresses, impostorIsCounted } = await launches.main();
    if (socketAddresses.length === 0) return NO_SOCKET;
    await impostorIsCounted;
    const before = process.memoryUsage();
    for (const socketAddress of socketAddresses) {
      const leave = await knockLoudly(socketAddress);
      await launch.talk('difficult');
      leave();
    }
    await stillThere(launch);
    const after = process.memoryUsage();
    const grown = after.arrayBuffers + after.rss - before.arrayBuffers - before.rss;
    assert.ok(grown < MEMORY_MEGABYTES * MEGABYTE, `memory grew by ${Math.round(grown / MEGABYTE)} MiB`);
  },

  async 'rejects unauthenticated peers that send nothing in time'(launches) {
    const { launch, socketAddresses, silentOnes } = await launches.main();
    if (socketAddresses.length === 0) return NO_SOCKET;
    await silentOnes;
    await stillThere(launch);
  },

  async 'rejects and counts a peer without the token'(launches) {
    const { launch, impostor, impostorIsCounted } = await launches.main();
    if (usesHandles(launch)) return 'only children of the host have its fork channel';
    await impostor;
    assert.ok(
      await impostorIsCounted,
      'onRejected was not called; call it with a reason for each peer without the token',
    );
    await stillThere(launch);
  },

  async 'listens only at the given address'(launches) {
    const { transport, variant } = launches;
    if (resolveTraits(transport, variant.settings).reach !== 'network')
      return 'it is reachable from this machine only';
    if (transport.broker !== undefined) return 'its broker listens';
    if (process.platform !== 'linux') return 'this system has one loopback address';
    await launches.main();
    const known = new Set((listeningPorts() ?? []).map(({ port }) => port));
    const size = { name: 'a launch at another address', workers: 1, bindAddress: OTHER_ADDRESS };
    const launch = await launches.beside(size);
    const own = (listeningPorts() ?? []).filter(({ port }) => !known.has(port));
    assert.ok(own.length > 0, 'it listens on no port');
    assert.deepEqual([...new Set(own.map(({ address }) => address))], [OTHER_ADDRESS]);
    const { address } = launch.openListener();
    for (const socketAddress of await listSocketAddresses(address, launch.scratchDir)) {
      assert.ok(
        'host' in socketAddress,
        `${JSON.stringify(socketAddress)} is not reachable from another host`,
      );
      assert.equal(socketAddress.host, OTHER_ADDRESS);
      const isHereToo = await canConnect({ ...socketAddress, host: '127.0.0.1' });
      assert.equal(isHereToo, false, 'it listens at 127.0.0.1 as well');
    }
    const [guest] = launch.guests();
    await launch.echo(guest, 'from elsewhere');
    await launches.endOthers();
  },
};

/** @param {import('./launch.js').Launch} launch */
async function stillThere(launch) {
  for (const guest of launch.guests()) await launch.echo(guest, 'still here');
}

/** @param {import('./launch.js').Launch} launch */
function usesHandles(launch) {
  return launch.openListener().adopt !== undefined;
}
