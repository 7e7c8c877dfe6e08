// `--transport pipes,unix:flush=tick`: a group stands for the built-in transports of its class, as they are by default. It
// is the word itself that counts: no package of that name can take its place.

import { EVERY_CLASS, GROUP_NAMES, inReadingOrder, TRANSPORT_CLASSES } from '../cell/transport-classes.js';
import { BenchError } from '../errors.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadTransports } from '../plugins/plugins.js';

/** @import { Options, TransportChoice } from '../types/plans.js' */

/**
 * @param {Options} options
 * @returns {Promise<Options>} with the names of transports alone, each choice once
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function withoutGroups(options) {
  if (!options.transports.some(({ name }) => GROUP_NAMES.includes(name))) return options;
  const members = await builtinByClass();
  const choices = options.transports.flatMap((choice) =>
    GROUP_NAMES.includes(choice.name) ? choicesOf(choice.name, members) : [choice],
  );
  const transports = [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()];
  return Object.freeze({ ...options, transports });
}

/** @returns {Promise<{ name: string, className: string }[]>} in the order of the classes, then of the alphabet */
async function builtinByClass() {
  const loaded = await loadTransports(builtinNames('transport'));
  return inReadingOrder([...loaded.values()]).map(({ plugin }) => ({
    name: plugin.name,
    className: plugin.traits.class,
  }));
}

/** @param {string} group @param {Awaited<ReturnType<typeof builtinByClass>>} members @returns {TransportChoice[]} */
function choicesOf(group, members) {
  const wanted = TRANSPORT_CLASSES.find((one) => one.group === group)?.name;
  const names = members.filter(({ className }) => group === EVERY_CLASS || className === wanted);
  if (names.length === 0) {
    throw new BenchError('BAD_ARGUMENT', `--transport ${group}: none of these is built in; name your own`);
  }
  return names.map(({ name }) => ({ name, settings: {} }));
}
