// Decides which cells of a plan are skipped, and why. In reports, a note lists the cells that no machine can measure, and a cell that
// only this machine cannot measure is a gap.

import { isSweep } from '../cell/axes.js';
import { connectingAtOnce, connectionsInAll, loopsInAll } from '../cell/connections.js';
import { transportLabel } from '../cell/labels.js';
import {
  allRoles,
  CONTROLLER,
  EVERY,
  findRuntime,
  furtherProcesses,
  runtimesByRole,
} from '../cell/launch-roles.js';
import { resolveTraits, settingDefaults } from '../cell/traits.js';
import { formatCount } from '../format/numbers.js';
import { isSocketUrl } from '../format/socket-url.js';

/** @import { Cell, Codec, FoundRuntime, Options, Peer, PlannedCell, RuntimeChoice, Scenario, Transport, ValueSchema } from '../types/index.js' */
/** @import { Onward } from '../plugins/plugins.js' */
/** @import { CpusToPlan } from '../machine/placement.js' */
/** @import { ConnectionRoom } from '../machine/limits.js' */
/** @typedef {{ choice: RuntimeChoice, thisNode: FoundRuntime }} Runtimes */
/**
 * @typedef {object} SkipParts
 * @property {Transport} transport
 * @property {Codec} codec
 * @property {Scenario} scenario
 * @property {Cell} cell
 * @property {Pick<Options, 'messages' | 'messageFile'> & Partial<Options>} options
 * @property {ValueSchema | null} schema      describes the objects of --message-file; null without such objects
 * @property {Onward} [onward]                the transport to the master, if it differs from that of the cell
 * @property {Runtimes} [runtimes]            without it, this Node runs all roles
 * @property {string | null} [unavailable]    why the transport cannot run on this machine
 * @property {ReadonlyMap<string, string>} [unavailableCodecs]   name → reason and remedy
 */
/**
 * Values that skipOfCell adds to SkipParts for the rules.
 * @typedef {object} FurtherFacts
 * @property {CpusToPlan | null} cpus
 * @property {Transport['traits']} traits     resolved for the settings of the cell
 * @property {Cell['settings']} settings      with defaults filled in
 * @property {string} label                   the name of the transport with its settings
 * @property {boolean} serialises             true if the channel or the pool encodes by itself, so the codec is only a name
 * @property {number} between                 number of processes between master and workers
 */
/** @typedef {SkipParts & FurtherFacts} SkipFacts */
/** @typedef {Omit<SkipParts, 'options' | 'runtimes'> & { options?: Partial<Options> }} PeerParts */
/** @typedef {(facts: SkipFacts) => string | null} SkipRule   Returns the reason to skip the cell. */

/**
 * Rules are checked in this order, and the first reason counts. A contradiction is between options, so no other transport or codec helps.
 * 'impossible' holds on every machine, 'unavailable' on this one.
 * @type {readonly { kind: 'contradiction' | 'impossible' | 'unavailable', rules: SkipRule[] }[]}
 */
const CHECKS = Object.freeze([
  {
    kind: 'impossible',
    rules: [
      ({ transport, codec }) => pairSkipReason(transport, codec),
      ({ transport, settings }) => transport.whyImpossible?.(settings) ?? null,
    ],
  },
  {
    kind: 'contradiction',
    rules: [
      ({ scenario: { name, loads }, cell }) =>
        cell.ratePerSecond !== undefined && loads?.includes('open') === false
          ? `${name} does not support open load: leave out --rate and --sweep`
          : null,
      ({ scenario: { name, isByTime }, options }) =>
        isByTime && options.messages !== null ? `${name} runs for a fixed time: leave out --messages` : null,
      ({ scenario: { name, isOverConnections }, cell }) =>
        cell.connections !== undefined && !isOverConnections
          ? `${name} uses one connection per worker: leave out --connections`
          : null,
      ({ runtimes, scenario, cell }) => unknownRoleReason(runtimes, scenario, cell),
    ],
  },
  {
    kind: 'impossible',
    rules: [
      ({ traits, cell, label }) =>
        cell.connections !== undefined && !traits.reconnects
          ? `a worker has exactly one connection over ${label}, created when it starts: leave out --connections`
          : null,
      ({ traits, scenario, transport }) =>
        traits.startsWorkers && scenario.tasks === undefined
          ? `${transport.name} does tasks and carries no other messages: choose --scenario task`
          : null,
      ({ traits, options, transport }) =>
        traits.startsWorkers && options.messages !== null
          ? `${transport.name} runs for a fixed time: leave out --messages`
          : null,
      scenarioSkipReason,
      ({ transport, codec, cell, options }) => sizeSkipReason(transport, codec, cell, options),
      ({ transport, cell, options, onward }) =>
        networkSkipReason(transport, cell, options.brokerUrls, onward?.plugin),
      valuesSkipReason,
      bytesSkipReason,
      onwardSkipReason,
      (facts) => runtimeSkipReason(facts.runtimes, facts),
    ],
  },
  {
    kind: 'unavailable',
    rules: [
      ({ unavailable }) => unavailable ?? null,
      ({ serialises, codec, unavailableCodecs }) =>
        serialises ? null : (unavailableCodecs?.get(codec.name) ?? null),
      ({ transport, cell, scenario, options, onward }) =>
        hostsSkipReason(transport, cell, scenario, options, onward),
      ({ runtimes }) => runtimes?.choice.unavailable ?? null,
      ({ onward, scenario }) => (onward?.unavailable ? `${scenario.name}: ${onward.unavailable}` : null),
      ({ cell, cpus }) => emulationSkipReason(cell, cpus),
      ({ transport, cell, cpus, between }) => spinSkipReason(transport, cell, cpus, between),
      ({ onward, cell, cpus, between }) =>
        onward ? spinSkipReason(onward.plugin, { ...cell, settings: onward.settings }, cpus, between) : null,
      ({ transport, cell, cpus }) => memorySkipReason(transport, cell, cpus?.room),
    ],
  },
]);

/** A placeholder, in requests per second: the cells of a sweep are under open load, but their rates are not known yet. */
const TO_BE_FOUND = 1;

/**
 * @param {SkipParts} parts
 * @param {CpusToPlan | null} cpus   null disables the checks for spinning, connections and emulated networks
 * @returns {Pick<PlannedCell, 'skip' | 'isImpossible' | 'isContradiction'>}
 */
export function skipOfCell(parts, cpus) {
  const { transport, codec, options } = parts;
  const cell = isSweep(options.open) ? { ...parts.cell, ratePerSecond: TO_BE_FOUND } : parts.cell;
  const facts = {
    ...parts,
    cell,
    cpus,
    traits: resolveTraits(transport, cell.settings),
    settings: { ...settingDefaults(transport), ...cell.settings },
    serialises: transport.serialises?.includes(codec.name) === true,
    label: transportLabel(cell),
    between: furtherProcesses(parts.scenario).length,
  };
  for (const { kind, rules } of CHECKS) {
    /** @type {ReturnType<SkipRule>} */
    let skip = null;
    for (const rule of rules) skip ??= rule(facts);
    if (skip === null) continue;
    if (kind === 'unavailable') return { skip };
    return { skip, isImpossible: true, ...(kind === 'contradiction' && { isContradiction: true }) };
  }
  return { skip: null };
}

/** @param {Transport} transport @param {Codec} codec @returns {string | null} why the transport cannot carry what the codec makes */
export function pairSkipReason({ name, carries, serialises }, codec) {
  if (serialises?.includes(codec.name) || carries.includes(codec.produces)) return null;
  if (serialises) {
    return `${name} serialises messages itself (${serialises.join(', ')}), so ${codec.name} would be encoded twice`;
  }
  return `${name} carries ${carries.join(' and ')}, ${codec.name} produces ${codec.produces}`;
}

/** @type {SkipRule} */
function scenarioSkipReason(facts) {
  const { scenario, traits, cell, label } = facts;
  const why = scenario.skipReason?.(traits, scenario.chosen ?? {}, cell) ?? taskDataSkipReason(facts);
  return why === null ? null : `${label} does not support ${scenario.name}: ${why}`;
}

const CLONES = ['v8', 'none']; // With these codecs, channels and pools that serialise by themselves do not convert a Uint8Array.

/** @param {Transport} transport @returns {string} what to choose instead of a codec that carries texts only */
function whichClones({ name, settings = {}, serialises, serialisesWith }) {
  /** @param {string} codec */
  const isClone = (codec) => CLONES.includes(codec);
  if (!serialises?.some(isClone)) return 'choose --transport pipe or threads-message, with --codec v8';
  if (serialisesWith === undefined) return 'choose --codec v8';
  const usual = settingDefaults({ settings });
  const choices = Object.entries(settings).flatMap(([key, { choices: all = [] }]) =>
    all
      .filter((choice) => isClone(serialisesWith({ ...usual, [key]: choice })))
      .map((choice) => `${key}=${choice}`),
  );
  return `choose --transport ${name}:${choices[0]}`;
}

/** @type {SkipRule} */
function taskDataSkipReason({ transport, scenario, traits, cell: { codec, settings }, serialises }) {
  const { tasks, chosen = {} } = scenario;
  if (tasks === undefined) return null;
  const { isBytes } = tasks(chosen);
  const transfers = traits.startsWorkers && settings?.transfer === true;
  if (transfers && traits.class === 'process-pool')
    return 'memory can be transferred to threads only, not to processes: leave out transfer=true';
  if (isBytes && !(serialises && CLONES.includes(codec)))
    return `its ${codec} messages do not carry bytes: ${whichClones(transport)}`;
  if (transfers && !isBytes) return 'only bytes can be transferred: choose --scenario task:data=bytes';
  return null;
}

/** Checks the hop from a relay to the master. @type {SkipRule} */
function onwardSkipReason({ scenario, onward, codec, cell, options }) {
  if (onward === undefined) return null;
  const { plugin, settings } = onward;
  const hop = { ...cell, transport: plugin.name, settings };
  const name = transportLabel(hop);
  const { usesForkHandles, loss } = resolveTraits(plugin, settings);
  const why =
    (usesForkHandles
      ? `${name} connects a master only with workers that it starts, and the proxy is not one of them`
      : null) ??
    (loss === 'possible' ? `${name} may lose messages, and the hop of a loss cannot be determined` : null) ??
    pairSkipReason(plugin, codec) ??
    plugin.whyImpossible?.({ ...settingDefaults(plugin), ...settings }) ??
    sizeSkipReason(plugin, codec, hop, options);
  return why === null ? null : `${scenario.name} is not applicable: ${why}`;
}

/** @param {Cell} cell @param {Pick<Options, 'messageFile'>} options */
export function greatestPayloadBytes({ content, payloadBytes }, { messageFile }) {
  return content !== undefined && content === messageFile?.content
    ? Math.max(messageFile.bytes.greatest, messageFile.responses?.bytes.greatest ?? 0)
    : payloadBytes;
}

/** The characters of a byte in a list of JSON, with its comma: 3.57 on average over all values of a byte. */
const LISTED_CHARACTERS = 3.6;

/** @param {Transport} transport @param {Codec} codec @param {Cell} cell @param {Pick<Options, 'messageFile'>} options */
function sizeSkipReason(transport, codec, cell, options) {
  const { greatestMessageBytes } = resolveTraits(transport, cell.settings);
  const isListed = cell.content === 'bytes' && codec.bytes?.isList === true;
  const bytes = greatestPayloadBytes(cell, options) * (isListed ? LISTED_CHARACTERS : 1);
  if (bytes <= greatestMessageBytes) return null;
  const most = `${transportLabel(cell)} carries at most ${formatCount(greatestMessageBytes)} bytes in a message`;
  return isListed ? `${most}, and ${codec.name} makes ${LISTED_CHARACTERS} characters of each byte` : most;
}

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {Readonly<Record<string, string>>} [brokerUrls]
 * @param {Transport} [onward]   the transport from a relay to the master, if it differs
 */
export function networkSkipReason(transport, cell, brokerUrls = {}, onward = undefined) {
  if (cell.network === undefined) return null;
  const label = transportLabel(cell);
  const given = [transport, onward].find((each) => Object.hasOwn(brokerUrls, each?.broker?.name ?? ''));
  if (given !== undefined)
    return `${given.broker?.name} is given by URL, and the emulated network does not reach it: leave out the URL or --network`;
  if (resolveTraits(transport, cell.settings).reach === 'network') return null;
  const hasNet = transport.settings?.net !== undefined;
  const remedy = hasNet ? `use ${transport.name}:net=tcp` : 'use tcp';
  return `${label} works on one machine only, not over a network: ${remedy}`;
}

/** @param {Pick<Cell, 'network'>} cell @param {Pick<CpusToPlan, 'whyNoNetwork'> | null} machine */
export function emulationSkipReason({ network }, machine) {
  return network === undefined ? null : (machine?.whyNoNetwork ?? null);
}

const SPARE_FILES = 128; // other files that a Node process or a broker opens
const OWN_FILES = 4; // files that a brokerless library opens for each connection of a worker: further sockets and threads
const OR_FEWER = 'or use fewer --connections';

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {ConnectionRoom} [room]   limits of this machine; without it, the number of connections is not checked
 */
export function memorySkipReason(transport, cell, room) {
  if (room === undefined || cell.connections === undefined) return null;
  const { class: ofClass, reach, direction } = resolveTraits(transport, cell.settings);
  // A loop keeps its socket while it waits for a response, so each loop needs one.
  const further = direction === 'request-reply' ? loopsInAll(cell) : 0;
  const sockets = connectionsInAll(cell) + further;
  const many = `${formatCount(connectionsInAll(cell))} connections need`;
  const files = Math.max(sockets, ofClass === 'brokerless' ? OWN_FILES * cell.connections : 0) + SPARE_FILES;
  if (files > (room.openFiles ?? Infinity)) {
    const limit = formatCount(Number(room.openFiles));
    return `${many} ${formatCount(files)} open files in one process, but the limit is ${limit}: sudo prlimit --pid $$ --nofile=${files}, ${OR_FEWER}`;
  }
  if (reach === 'network' && sockets > (room.ports ?? Infinity)) {
    const limit = formatCount(Number(room.ports));
    return `${many} ${formatCount(sockets)} ports, but this system has ${limit}: sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535", ${OR_FEWER}`;
  }
  const waiting = connectingAtOnce(cell);
  if (waiting > (room.backlog ?? Infinity)) {
    return `${many} a backlog of ${waiting}, but the limit is ${room.backlog}: sudo sysctl -w net.core.somaxconn=4096, ${OR_FEWER}`;
  }
  return null;
}

/** @param {string | null} broker @param {Readonly<Record<string, string>>} brokerUrls */
function reachSkipReason(broker, brokerUrls) {
  // The setting `net` is no remedy, because it applies to private brokers only.
  return broker !== null && isSocketUrl(brokerUrls[broker] ?? '')
    ? `${broker} is given as a unix socket, which other hosts cannot reach: give it as a host and a port`
    : null;
}

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {Scenario} scenario
 * @param {Partial<Pick<Options, 'brokerUrls' | 'hosts'>>} options
 * @param {Onward} [onward]   the transport from a relay to the master, which are on one host
 */
export function hostsSkipReason(transport, cell, scenario, { brokerUrls = {}, hosts }, onward) {
  if (cell.hosts === undefined) return null;
  const { chosen = {} } = scenario;
  const { reach, usesForkHandles, broker } = resolveTraits(transport, cell.settings);
  const why =
    reachSkipReason(broker, brokerUrls) ?? reachSkipReason(onward?.plugin.traits.broker ?? null, brokerUrls);
  if (why !== null) return why;
  const isGiven = broker !== null && Object.hasOwn(brokerUrls, broker);
  const isCarried = reach === 'network' || hosts?.sharesFolder === true;
  if (!isGiven && (!isCarried || usesForkHandles)) {
    const hasNet = transport.settings?.net !== undefined;
    const remedy = hasNet ? `${transport.name}:net=tcp` : 'a transport that works over the network';
    return `${transportLabel(cell)} works on one host only: between hosts, use ${remedy}`;
  }
  if (cell.placement === 'same')
    return 'placement same needs one CPU for all processes, and these are several hosts';
  if (scenario.isCold) return `${scenario.name} measures processes that start on the same host as the master`;
  if ((scenario.kills?.(chosen) ?? 0) > 0)
    return `${scenario.name} kills its workers, which a master can do only on its own host`;
  return null;
}

/**
 * @param {Runtimes | undefined} runtimes   This Node runs all roles if it is undefined.
 * @param {Scenario} scenario
 * @param {Cell} cell
 */
function unknownRoleReason(runtimes, scenario, cell) {
  if (runtimes === undefined) return null;
  // Both are needed: the name of a cell omits roles that this Node runs, and a choice omits roles whose program this machine lacks.
  const named = { ...runtimes.choice.byRole, ...runtimesByRole(cell.runtime ?? '') };
  const roles = allRoles(scenario).map(({ name }) => name);
  const unknown = Object.keys(named).find((name) => name !== EVERY && !roles.includes(name));
  if (unknown === undefined) return null;
  return `${scenario.name} has no ${unknown}: --runtime names a role of ${roles.join(', ')}`;
}

/**
 * @param {Runtimes | undefined} runtimes   This Node runs all roles if it is undefined.
 * @param {PeerParts} parts
 */
export function runtimeSkipReason(runtimes, parts) {
  const { transport, scenario, cell } = parts;
  if (cell.runtime === undefined || runtimes === undefined) return null;
  const { choice, thisNode } = runtimes;
  const roles = allRoles(scenario);
  const ends = roles.map(({ name }) => findRuntime(choice, name) ?? thisNode);
  const programs = new Set(ends.map(({ path }) => path));
  if (transport.traits.class === 'thread' && programs.size > 1) {
    return `${transport.name} uses threads of one process, which has one runtime`;
  }
  if (transport.traits.startsWorkers && programs.size > 1)
    return `${transport.name} starts its workers itself, by the runtime of the main process`;
  const names = new Set(ends.map(({ runtime }) => runtime.name));
  const isOwnFormat = cell.codec !== 'json' && transport.serialises?.includes(cell.codec);
  if (isOwnFormat && names.size > 1) {
    return `${transport.name} serialises ${cell.codec} with the runtime, and the formats of ${[...names].join(' and ')} are incompatible`;
  }
  const settings = { ...settingDefaults(transport), ...cell.settings };
  for (const [index, { runtime, name, peer }] of ends.entries()) {
    const role = roles[index];
    const whyPeer = peer ? peerSkipReason(peer, role.name, parts) : null;
    const why =
      whyPeer ??
      runtime.skipReason?.({ role, transport, settings, codec: cell.codec, scenario, ends }) ??
      null;
    if (why !== null) return `${role.name} on ${name}: ${why}`;
  }
  return null;
}

/** @type {SkipRule} */
function valuesSkipReason({
  scenario: { name, carries, chosen = {} },
  transport,
  codec,
  schema: ofFile,
  serialises,
}) {
  if (carries === undefined) {
    // A codec that cannot encode objects gets the texts of the file.
    if (ofFile === null || serialises) return null;
    const why = codec.values?.skipReason?.(ofFile) ?? null;
    return why === null ? null : `${codec.name} has no schema for the messages of the file: ${why}`;
  }
  const { schema, isUntouched } = carries(chosen);
  if (serialises) {
    return isUntouched
      ? `${transport.name} serialises messages itself, so it cannot forward encoded ones`
      : null;
  }
  if (codec.values === undefined) return `${codec.name} carries text, and ${name} sends objects`;
  const why = codec.values.skipReason?.(schema) ?? null;
  return why === null ? null : `${codec.name} has no schema for what ${name} sends: ${why}`;
}

/** @type {SkipRule} */
function bytesSkipReason({ cell, codec, serialises }) {
  if (cell.content !== 'bytes' || serialises || codec.bytes !== undefined) return null;
  return `${codec.name} carries text only: leave out --content bytes, or choose another codec, such as json, v8, msgpack or binary`;
}

// A program in another language reports the transports, codecs and scenarios that it supports.

/** @param {readonly string[]} names @param {string} name @param {string} what */
function unknownNameReason(names, name, what) {
  return names.includes(name) ? null : `it does not support ${what} ${name}, only ${names.join(', ')}`;
}

/**
 * @param {Peer} peer
 * @param {string} role
 * @param {PeerParts} parts
 * @param {NodeJS.Platform} [platform]
 */
export function peerSkipReason(
  { hello },
  role,
  { transport, codec, scenario, cell, schema, options },
  platform = process.platform,
) {
  if (role !== CONTROLLER)
    return 'a program in another language can only be the master: write it as master:NAME';
  const why =
    // The name of a scenario with settings includes them.
    unknownNameReason(hello.scenarios, scenario.name, 'scenario') ??
    unknownNameReason(hello.transports, transport.name, 'transport') ??
    unknownNameReason(hello.codecs, codec.name, 'codec');
  if (why !== null) return why;
  if (transport.peerEnd === undefined) return `${transport.name} does not support peers in other languages`;
  const unusual = Object.entries(cell.settings).find(
    ([name, value]) =>
      settingDefaults(transport)[name] !== value && !hello.settings?.[name]?.includes(String(value)),
  );
  if (unusual !== undefined) return `it does not support ${unusual.join('=')} of ${transport.name}`;
  if (schema !== null && codec.values !== undefined)
    return 'it carries text, and the file has objects: add --codec string';
  if (cell.content === 'bytes') return 'it carries text: leave out --content bytes';
  if (options?.messageFile?.responses !== undefined)
    return 'it repeats each request, and the recorded responses are others';
  if (cell.poll === 'busy') return 'it does not busy-wait: leave out --poll busy';
  return platform === 'linux' ? null : 'the costs of another program can be measured on Linux only';
}

const CROWDED =
  'a worker and its peer would busy-wait on the same CPU and measure the time slice of the scheduler: use fewer workers or ' +
  'more CPUs, or add --force to measure it anyway';

/**
 * Skips spinning without enough CPUs: a spinning process keeps its CPU until its time slice ends, so with both ends on one CPU a round
 * trip takes two time slices.
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {CpusToPlan | null} cpus
 * @param {number} [between]   number of processes between the master and the workers
 */
export function spinSkipReason(transport, { settings, placement, workers }, cpus, between = 0) {
  if (cpus === null || resolveTraits(transport, settings).isSpinning !== true) return null;
  const isAlone = cpus.usableCpus === 1;
  // The master has one CPU. Relays take the next ones, and workers share the rest.
  const isCrowded = between > 0 && cpus.usableCpus - 1 < between + workers;
  if (!isAlone && isCrowded && placement === 'split' && cpus.canPin) return CROWDED;
  if (!isAlone && !(placement === 'same' && cpus.canPin)) return null;
  const where = isAlone ? 'the only usable CPU' : 'one CPU with --placement same';
  const remedy = isAlone ? 'add a second CPU' : 'use --placement split';
  return `both ends would busy-wait on ${where} and measure the time slice of the scheduler: ${remedy}, or add --force to measure it anyway`;
}

// The URL of a user's broker determines the connection to it. The setting `net` and some others apply to private brokers only: a cell
// is skipped if its `net` contradicts the URL, or if it sets one of the others, because its row would have a wrong name. The environment
// in the results records the kind of connection.

/** @param {string} url */
export function detectNet(url) {
  return isSocketUrl(url) ? 'unix' : 'tcp';
}

/**
 * @param {Pick<Transport, 'broker' | 'settings'>} transport
 * @param {Record<string, string>} written    settings as written, including defaults that the user wrote out
 * @param {Readonly<Record<string, string>>} brokerUrls
 * @returns the problem and its remedy; null if the settings fit the URL
 */
export function otherNetReason({ broker, settings = {} }, written, brokerUrls) {
  if (broker === undefined || !Object.hasOwn(brokerUrls, broker.name)) return null;
  const idle = Object.keys(written).find((name) => settings[name]?.ofPrivateServer);
  if (idle !== undefined) {
    return `${idle}=${written[idle]} is about a private server, and a URL is given for ${broker.name}: leave out ${idle}, or the URL`;
  }
  const { net } = written;
  const given = detectNet(brokerUrls[broker.name]);
  if (given === net || (net !== 'unix' && net !== 'tcp')) return null;
  const targets = { unix: 'a unix socket', tcp: 'a host' };
  return `net=${net} needs ${targets[net]}, and the URL given for ${broker.name} names ${targets[given]}: leave out net, or give another URL`;
}
