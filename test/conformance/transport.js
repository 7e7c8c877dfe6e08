// The contract of a transport as a test suite with real processes, for those of this package and of plug-ins, in a file that
// `node --test` runs:
//
//   import { describeTransport } from 'ipc-bench/conformance/transport';
//   await describeTransport(new URL('../my-transport.js', import.meta.url));

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transportLabel } from '../../lib/cell/labels.js';
import { settingDefaults } from '../../lib/cell/traits.js';
import { faultsIn } from '../../lib/plugins/plugin-faults.js';
import { BrokerPool } from '../../lib/run/brokers/broker-pool.js';
import { BULK_TESTS } from './bulk-tests.js';
import { ENDING_TESTS } from './ending-tests.js';
import { INTRUDER_TESTS } from './intruder-tests.js';
import { IS_LONG } from './long-form.js';
import { RECONNECTING_TESTS } from './reconnecting-tests.js';
import { Remote } from './remote.js';
import { TALK_TESTS } from './talk-tests.js';

/** @import { Transport } from '../../lib/types/index.js' */
/** @typedef {{ scratchDir: string, brokerUrl: string | undefined }} Resources */
/** @typedef {Record<string, string | number | boolean>} Settings */
/** @typedef {{ wireKind: import('../../lib/types/messages.js').WireKind, codec: string, titles: string[] }} Cargo */

const HOST_PATH = fileURLToPath(new URL('host.js', import.meta.url));
const SIDE_BY_SIDE = { concurrency: 2 }; // most time is spent waiting for unauthenticated peers
const ONE_BY_ONE = { concurrency: 1 };
const TEST_DEADLINE_MS = 60_000;
// In the order of their execution; the last ones end the shared launch.
const TITLES = [TALK_TESTS, BULK_TESTS, INTRUDER_TESTS, RECONNECTING_TESTS, ENDING_TESTS].flatMap((tests) =>
  Object.keys(tests),
);
const TITLES_OF_LISTENERS = Object.keys({ ...BULK_TESTS, ...INTRUDER_TESTS, ...RECONNECTING_TESTS });
const TITLES_OF_ROUTES = TITLES.filter((title) => !TITLES_OF_LISTENERS.includes(title));
const TITLES_OF_CARGOS = Object.keys({ ...TALK_TESTS, ...BULK_TESTS });
const CODEC_OF_KIND = { text: 'string', bytes: 'binary', value: 'json' };

/**
 * Declares the suite for one transport: for each kind of wire that it carries, and each choice that changes the route. The
 * tests of unauthenticated peers, bulk and reconnecting are run with the defaults and with each choice that changes the
 * listener, those about the end of a channel with each route, and other kinds of wire only carry messages. With the environment variable
 * LONG_TESTS set, all tests are run with each route. The suite opens several launches in one process, and in one worker process
 * if workers may reconnect, so a transport keeps no state of a launch in module variables.
 * If the transport is unavailable, the suite is skipped by name; with the environment variable CI set, it fails.
 * @param {string | URL} source               path or URL of the module
 * @param {object} [options]
 * @param {string} [options.brokerUrl]      a running broker; without it the transport's own is started
 * @param {import('../../lib/types/index.js').Setting[]} [options.proven]   settings that another transport proves: only those that
 *     change the listener are tested, as routes
 */
export async function describeTransport(source, { brokerUrl, proven = [] } = {}) {
  const url =
    source instanceof URL || source.startsWith('file:')
      ? String(source)
      : pathToFileURL(resolve(source)).href;
  /** @type {{ default: Transport }} */
  const { default: transport } = await import(url);
  const faults = faultsIn('transport', transport, null);
  assert.deepEqual(faults, [], `${url} is no usable transport`);
  const isBrokerNeeded = transport.broker !== undefined && brokerUrl === undefined;
  const routes = await Promise.all(
    routesOf(transport, proven).map(async (route) => {
      const settings = { ...settingDefaults(transport), ...route.chosen };
      const reason = (await transport.whyUnavailable?.(settings)) ?? undefined;
      const missing = isBrokerNeeded
        ? ((await transport.broker?.whyUnavailable(settings)) ?? undefined)
        : undefined;
      return { ...route, settings, reason: reason ?? missing };
    }),
  );
  describe(`transport ${transport.name}`, SIDE_BY_SIDE, () => {
    it('has a valid declaration', () => assertStatement(transport));
    const { platforms } = transport.traits;
    if (!platforms.includes(process.platform)) {
      it('runs on this platform', (t) => t.skip(`it needs ${platforms.join(' or ')}`));
      return;
    }
    /** @type {BrokerPool} */
    let brokers;
    let scratchDir = '';
    before(async () => {
      scratchDir = await mkdtemp(join(tmpdir(), 'ibc-'));
      brokers = new BrokerPool(scratchDir);
    });
    after(async () => {
      await brokers.close();
      await rm(scratchDir, { recursive: true, force: true });
    });
    for (const route of routes) {
      describeRoute(transport, url, route, async () => {
        if (transport.broker === undefined || brokerUrl !== undefined) return { scratchDir, brokerUrl };
        return { scratchDir, brokerUrl: (await brokers.acquire(transport.broker, route.settings, null)).url };
      });
    }
  });
}

/**
 * Checks the declaration of a usable transport.
 * @param {Transport} transport
 */
function assertStatement({ traits, carries, serialises, settings = {} }) {
  assert.ok(traits.sources.length > 0, 'traits.sources: the upstream documentation of its settings');
  if (serialises !== undefined) assert.ok(carries.includes('value'), 'what serialises is given values');
  for (const [key, setting] of Object.entries(settings)) {
    const isChoice = setting.choices?.some((choice) => choice === setting.default) ?? true;
    assert.ok(isChoice, `the default of ${key} is none of its choices`);
  }
}

/**
 * @param {Transport} transport
 * @param {import('../../lib/types/index.js').Setting[]} proven
 * @returns {{ chosen: Settings, cargos: Cargo[] }[]} all it carries with its defaults, and one kind of it with each other route
 */
function routesOf({ carries, serialises, settings = {} }, proven) {
  const kinds = carries.flatMap((wireKind) => {
    const codecs = (wireKind === 'value' && serialises) || [CODEC_OF_KIND[wireKind]];
    return codecs.map((codec) => ({ wireKind, codec }));
  });
  const titlesOfOthers = IS_LONG ? TITLES_OF_CARGOS : Object.keys(TALK_TESTS);
  const cargos = kinds.map((kind, index) => ({ ...kind, titles: index === 0 ? TITLES : titlesOfOthers }));
  const others = Object.entries(settings).flatMap(([key, setting]) => {
    const { choices = [true, false], default: preset, changesRoute = [], changesListener = false } = setting;
    const isProven = proven.includes(setting) && !IS_LONG;
    if (isProven && !changesListener) return [];
    const titles = IS_LONG || (changesListener && !isProven) ? TITLES : TITLES_OF_ROUTES;
    const changing = changesRoute === true || (IS_LONG && changesRoute.length > 0) ? choices : changesRoute;
    return changing
      .filter((choice) => choice !== preset)
      .map((choice) => ({ chosen: { [key]: choice }, cargos: [{ ...kinds[0], titles }] }));
  });
  return [{ chosen: {}, cargos }, ...others];
}

/**
 * @param {Transport} transport
 * @param {string} url
 * @param {{ chosen: Settings, settings: Settings, cargos: Cargo[], reason: string | undefined }} route   reason: why it cannot
 *     be tested on this machine
 * @param {() => Promise<Resources>} openResources
 */
function describeRoute(transport, url, { chosen, settings, cargos, reason }, openResources) {
  describe(transportLabel({ transport: transport.name, settings: chosen }), ONE_BY_ONE, () => {
    if (reason !== undefined) {
      it('runs on this machine', (t) => (process.env.CI ? assert.fail(reason) : t.skip(reason)));
      return;
    }
    /** @type {Resources} */
    let resources;
    /** @type {Remote} */
    let host;
    before(async () => {
      resources = await openResources();
      host = new Remote(fork(HOST_PATH, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }), 'the host');
    });
    // Each test opens the launch that it needs, because Node.js 22 and later run no hook of a suite without a selected test.
    /** @type {Cargo | undefined} */
    let opened;
    /** @type {Promise<unknown> | undefined} */
    let opening;
    const open = (/** @type {Cargo} */ cargo) => {
      if (cargo !== opened) {
        opened = cargo;
        const { titles, ...kind } = cargo;
        opening = host.ask('open', {
          url,
          settings,
          brokerUrl: resources.brokerUrl ?? null,
          scratchDir: resources.scratchDir,
          ...kind,
          hasIntruders: titles === TITLES,
        });
      }
      return opening;
    };
    // In reverse, because the last tests of the first cargo end the workers.
    for (const cargo of cargos.toReversed()) {
      describe(`${cargo.wireKind} (${cargo.codec})`, ONE_BY_ONE, () => {
        for (const title of cargo.titles) {
          it(title, async (t) => {
            await open(cargo);
            const reason = await host.ask('run', { title }, TEST_DEADLINE_MS);
            if (typeof reason === 'string') t.skip(reason);
          });
        }
      });
    }
    it('does not keep the host alive after everything is closed', async () => {
      await open(opened ?? cargos[0]);
      await host.ask('finish');
      await host.leave();
    });
    after(async () => {
      // It is still connected if only some tests were selected or it has failed, and keeps this process alive.
      if (!host?.child.connected) return;
      try {
        await host.ask('clear');
      } finally {
        await host.leave();
      }
    });
  });
}
