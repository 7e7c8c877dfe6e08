// `--transport pipes,unix:flush=tick`: a group means the built-in transports of its class, as they are by default. It
// is the word itself that counts: no package of that name can take its place.

import { EVERY_CLASS, GROUP_NAMES, inReadingOrder, TRANSPORT_CLASSES } from '../cell/transport-classes.js';
import { BenchError } from '../errors.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadTransports } from '../plugins/plugins.js';

/** @import { Options, Transport, TransportChoice } from '../types/index.js' */

/**
 * @param {Options} options
 * @returns {Promise<Options>} with the names of transports alone, each choice once
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

/** @param {string} group @param {Transport[]} builtin @returns {TransportChoice[]} by class, then by the alphabet */
function expandGroup(group, builtin) {
  const wanted = TRANSPORT_CLASSES.find((one) => one.group === group)?.name;
  const members = builtin.filter(({ traits }) => group === EVERY_CLASS || traits.class === wanted);
  if (members.length === 0) {
    throw new BenchError('BAD_ARGUMENT', `--transport ${group}: none of these is built in; name your own`);
  }
  return members.map(({ name }) => ({ name, settings: {} }));
}
