// Resolves the transports of the command line to plug-ins, checks their settings, and replaces groups by their transports.

import { checkedSettings, labelParts, settingsLabel } from '../cell/settings.js';
import { EVERY_CLASS, GROUP_NAMES, inReadingOrder, TRANSPORT_CLASSES } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadScenarios, loadTransports } from '../plugins/plugins.js';

/** @import { Cell, Options, Setting, Transport, TransportChoice } from '../types/index.js' */
/**
 * @template T
 * @typedef {{ plugin: T, writtenAs: string[] }} Named
 */
/**
 * @typedef {object} ChosenTransport
 * @property {Transport} transport
 * @property {Cell['settings']} settings     only those that differ from the defaults
 * @property {string | null} unavailable     the reason and its remedy, or null if it can be measured on this machine
 */

/**
 * @param {readonly TransportChoice[]} chosen
 * @param {Map<string, Named<Transport>>} transports
 * @returns {(Omit<ChosenTransport, 'unavailable'> & { written: TransportChoice['settings'] })[]}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function transportChoices(chosen, transports) {
  return chosen.map(({ name, settings: written }) => {
    const transport = requirePlugin(transports, name);
    return { transport, settings: checkedSettings(transport, written), written };
  });
}

/** @template T @param {Map<string, Named<T>>} loaded @param {string} writtenAs */
export function requirePlugin(loaded, writtenAs) {
  const found = [...loaded.values()].find((each) => each.writtenAs.includes(writtenAs));
  if (found === undefined) throw new Error(`${writtenAs} was not loaded`);
  return found.plugin;
}

// `--transport pipes,unix:flush=tick`: a group name selects the built-in transports of its class with default settings, even if a package
// has that name. `all` selects the built-in transports that are not pools.

/**
 * @param {Options} options
 * @returns {Promise<Options>} Groups are replaced by their transports, without duplicates.
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function withoutGroups(options) {
  if (!options.transports.some(({ name }) => GROUP_NAMES.includes(name))) return options;
  const builtin = inReadingOrder(await loadTransports(builtinNames('transport')));
  const choices = options.transports.flatMap((choice) =>
    GROUP_NAMES.includes(choice.name) ? expandGroup(choice.name, builtin) : [choice],
  );
  const transports = [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()];
  return Object.freeze({ ...options, transports });
}

/** @param {string} group @param {Transport[]} builtin @returns {TransportChoice[]} sorted by class, then by name */
function expandGroup(group, builtin) {
  const wanted = TRANSPORT_CLASSES.find((one) => one.group === group)?.name;
  /** @param {Transport['traits']} traits */
  const isMember = (traits) => (group === EVERY_CLASS ? !traits.startsWorkers : traits.class === wanted);
  const members = builtin.filter(({ traits }) => isMember(traits));
  if (members.length === 0) {
    throw new BenchError('BAD_ARGUMENT', `--transport ${group}: none of these is built in; name your own`);
  }
  return members.map(({ name }) => ({ name, settings: {} }));
}

// `tcp:flush=tick,lead`: a number after a comma is another value of the setting, but a word is the next transport. If that word is a value
// of the setting, the error shows the correct spelling. This check needs the loaded plug-in.

/** @param {Pick<Options, 'transports' | 'scenarios'>} options @throws {BenchError} BAD_ARGUMENT */
export async function refuseListedWords({ transports, scenarios }) {
  await makeWordRefusal('transport', transports, loadTransports);
  const chosen = scenarios.map(labelParts).map(({ name, written }) => ({ name, settings: written }));
  await makeWordRefusal('scenario', chosen, loadScenarios);
}

/**
 * @param {'transport' | 'scenario'} kind
 * @param {readonly { name: string, settings: Record<string, string> }[]} choices
 * @param {typeof loadTransports | typeof loadScenarios} load
 */
async function makeWordRefusal(kind, choices, load) {
  const builtin = builtinNames(kind);
  for (const [index, { name, settings }] of choices.entries()) {
    const before = choices[index - 1];
    const isKnown = Object.keys(settings).length > 0 || builtin.includes(name) || GROUP_NAMES.includes(name);
    if (isKnown || before === undefined || !builtin.includes(before.name)) continue;
    const last = Object.keys(before.settings).at(-1);
    if (last === undefined) continue;
    const [{ plugin }] = (await load([before.name])).values();
    if (!listWordValues(plugin.settings?.[last]).includes(name)) continue;
    const both = [before.settings, { ...before.settings, [last]: name }];
    const next = both.map((each) => settingsLabel(before.name, each)).join(',');
    throw new BenchError(
      'BAD_ARGUMENT',
      `--${kind}: "${name}" is no ${kind}, but a value of ${last} of ${before.name}; to compare both write ${next}`,
    );
  }
}

/** @param {Setting | undefined} setting @returns its choices as text; empty if it has none */
function listWordValues(setting) {
  if (typeof setting?.default === 'boolean') return ['true', 'false'];
  return (setting?.choices ?? []).map(String);
}
