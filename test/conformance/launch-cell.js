// One launch of one cell, with real processes and short deadlines.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transportToMaster } from '../../lib/cell/launch-roles.js';
import { checkedSettings, innerParts } from '../../lib/cell/settings.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { configured } from '../../lib/plugins/plugins.js';
import { assign, prepareCell } from '../../lib/run/assign.js';
import { runLaunch } from '../../lib/run/launch.js';
import { longEnoughMs, patiently } from './deadline.js';

/** For this process only, because other tests run at the same time. */
export const TEST_LAUNCH_ID = `test${process.pid}`;
// For an idle machine. Those of a start and of the whole launch only end processes that hang.
const DEADLINES = { connectMs: 20_000, replyMs: 1_500, finishMs: 2_500, exitMs: 2_000, lifeMs: 60_000 };

const OPEN_LOAD = Object.freeze({ ratesPerSecond: [], arrivals: 'fixed', slo: null, isWindowChosen: true });

/** @returns {typeof DEADLINES} */
function usualDeadlines() {
  const { replyMs, finishMs, exitMs, ...others } = DEADLINES;
  const [reply, finish, exit] = [replyMs, finishMs, exitMs].map(patiently);
  return { ...others, replyMs: reply, finishMs: finish, exitMs: exit };
}

/**
 * @param {'transport' | 'codec' | 'scenario'} kind
 * @param {string} name   of one that is built in, a URL, or a path relative to this file
 */
async function load(kind, name) {
  const isUrlOrPath = name.startsWith('.') || URL.canParse(name);
  const url = isUrlOrPath ? new URL(name, import.meta.url).href : builtinUrl(kind, name);
  return { plugin: (await import(url)).default, url };
}

/** @param {string} written   'tcp:flush=tick' */
async function loadOnward(written) {
  const { name, written: settings } = innerParts(written);
  const loaded = await load('transport', name);
  return { ...loaded, settings: checkedSettings(loaded.plugin, settings), unavailable: null };
}

/**
 * @param {object} wish
 * @param {string} [wish.transport]    its name, or a path relative to this file
 * @param {string} [wish.scenario]     its name, its URL, or a path relative to this file
 * @param {Record<string, string>} [wish.asking]   settings of the scenario
 * @param {Partial<import('../../lib/types/plans.js').Cell>} [wish.cell]   with a rate it is under open load, at even distances unless the timing says otherwise
 * @param {Partial<Pick<import('../../lib/types/plans.js').Options, 'warmupMs' | 'measureMs' | 'sliceMs' | 'messages' | 'open' | 'tierUp' | 'messageFile'>>} [wish.timing]
 * @param {Partial<typeof DEADLINES>} [wish.deadlines]
 * @param {AbortSignal} [wish.signal]
 * @param {import('../../lib/run/launch.js').Wrap} [wish.wrap]
 * @param {string | null} [wish.brokerUrl]
 * @param {string | null} [wish.brokerUrlToMaster]   of the last hop, where it goes over another transport
 * @param {number[] | null} [wish.cpus]        to be placed on
 * @param {(phase: string) => void} [wish.onPhase]
 * @param {import('../../lib/run/launch-groups.js').SlicedLaunch} [wish.sliced]   with a `sliceMs`: leads its slices
 * @param {import('../../lib/types/runtimes.js').PeerProgram} [wish.peer]   that plays the master; left out: this Node
 * @param {number} [wish.memoryLimitBytes]   left out: as in a run
 * @param {typeof runLaunch} [wish.launch]   left out: on this host
 * @param {import('../../lib/machine/delay-line.js').OpenNetwork} [wish.network]   that is open; left out: the processes share a host
 * @param {() => unknown} [wish.beforeLook]   awaited when it has ended, before it is looked what is left
 * @param {import('../../lib/plugins/plugins.js').LoadedPlugins['runtimes']} [wish.runtimes]   of which `cell.runtime` is one
 */
export async function launchCell({
  transport = 'unix',
  scenario = 'round-trip',
  asking = {},
  cell = {},
  timing = {},
  deadlines,
  signal,
  wrap,
  brokerUrl = null,
  brokerUrlToMaster = null,
  cpus = null,
  onPhase,
  sliced,
  memoryLimitBytes,
  launch = runLaunch,
  peer,
  network,
  beforeLook,
  runtimes,
}) {
  const loaded = await load('transport', transport);
  const { plugin, url } = await load('scenario', scenario);
  const asked = { url, plugin: configured(plugin, asking) };
  /** @type {import('../../lib/types/plans.js').Cell} */
  const whole = {
    transport: loaded.plugin.name,
    codec: 'json',
    scenario: asked.plugin.name,
    payloadBytes: asked.plugin.carries?.(asked.plugin.chosen ?? {}).payloadBytes ?? 100,
    workers: 2,
    loops: 4,
    placement: 'free',
    settings: {},
    ...cell,
  };
  const onward = transportToMaster(asked.plugin);
  const plugins = {
    onward: new Map(onward === null ? [] : [[onward, await loadOnward(onward)]]),
    transports: new Map([[whole.transport, loaded]]),
    codecs: new Map([[whole.codec, await load('codec', whole.codec)]]),
    scenarios: new Map([[whole.scenario, asked]]),
    runtimes,
  };
  // On a busy machine a process may get no CPU for some milliseconds.
  const open = cell.ratePerSecond === undefined ? null : OPEN_LOAD;
  const usual = { warmupMs: 30, measureMs: longEnoughMs(80), messages: null, open };
  const options = /** @type {any} */ ({ ...usual, ...timing });
  const prepared = prepareCell(whole, { options, plugins, cpus });
  const scratchDir = mkdtempSync(join(tmpdir(), 'ipcb-test-'));
  Object.assign(prepared.spec, memoryLimitBytes !== undefined && { memoryLimitBytes }, peer && { peer });
  const spec = assign(prepared, {
    launchId: TEST_LAUNCH_ID,
    scratchDir,
    seed: 1,
    brokerUrl,
    broker: null,
    toMaster: { brokerUrl: brokerUrlToMaster, broker: null },
    ...(network && { network, bindAddress: network.masterAddress }),
    deadlines: { ...usualDeadlines(), ...deadlines },
  });
  try {
    const end = await launch(spec, {
      padding: '',
      signal: signal ?? new AbortController().signal,
      wrap,
      before: network?.beforeMaster,
      onPhase,
      sliced,
    });
    await beforeLook?.();
    return { end, spec, left: readdirSync(scratchDir) };
  } finally {
    rmSync(scratchDir, { recursive: true });
  }
}
