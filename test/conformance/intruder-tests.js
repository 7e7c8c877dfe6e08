// What comes from outside harms nobody; and where one can knock at all.

import assert from 'node:assert/strict';
import { resolveTraits } from '../../lib/cell/traits.js';
import { canConnect, knockLoudly, placesOf } from './intruders.js';
import { listeningPorts } from './listening-ports.js';

/** @import { Test } from './test-launches.js' */

const OTHER_ADDRESS = '127.0.0.2';
const MEGABYTE = 1_048_576;
const MEMORY_MEGABYTES = 64; // an unauthenticated peer who announces 2 or 4 GiB must not be given them
const NO_SOCKET = 'it has no socket of its own that anybody could connect to';

/** @type {Record<string, Test>} */
export const INTRUDER_TESTS = {
  async 'goes on unharmed when unauthenticated peers send garbage'(launches) {
    const { launch, places, impostorIsCounted } = await launches.main();
    if (places.length === 0) return NO_SOCKET;
    await impostorIsCounted;
    const before = process.memoryUsage();
    for (const place of places) {
      const leave = await knockLoudly(place);
      await launch.talk('difficult');
      leave();
    }
    await stillThere(launch);
    const after = process.memoryUsage();
    const grown = after.arrayBuffers + after.rss - before.arrayBuffers - before.rss;
    assert.ok(grown < MEMORY_MEGABYTES * MEGABYTE, `memory grew by ${Math.round(grown / MEGABYTE)} MiB`);
  },

  async 'turns unauthenticated peers away who say nothing in time'(launches) {
    const { launch, places, silentOnes } = await launches.main();
    if (places.length === 0) return NO_SOCKET;
    await silentOnes;
    await stillThere(launch);
  },

  async 'turns an impostor away who does not know the token, and counts it'(launches) {
    const { launch, impostor, impostorIsCounted } = await launches.main();
    if (usesHandles(launch)) return 'nobody but our own children reaches the fork channel';
    await impostor;
    assert.ok(await impostorIsCounted, 'onRejected was not called');
    await stillThere(launch);
  },

  async 'binds to the address that it is given, and to nothing else'(launches) {
    const { transport, variant } = launches;
    if (resolveTraits(transport, variant.settings).reach !== 'network') return 'it reaches this machine only';
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
    for (const place of await placesOf(address, launch.scratchDir)) {
      assert.ok('host' in place, `${JSON.stringify(place)} leads nowhere from another host`);
      assert.equal(place.host, OTHER_ADDRESS);
      const isHereToo = await canConnect({ ...place, host: '127.0.0.1' });
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
