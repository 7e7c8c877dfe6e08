// What flags have to do with each other: which exclude each other, and which are nothing without another one.

import { FLAGS, QUICK } from './flags.js';
import { isOn, refuse } from './quantities.js';

/** @import { Layer } from './layers.js' */
/** @import { Find, Given } from './quantities.js' */

// Each pair excludes each other.
const RIVALS = [
  ['message-file', 'payload'],
  ['message-file', 'content'],
  ['traffic', 'payload'],
  ['traffic', 'content'],
  ['traffic', 'message-file'],
  ['speed', 'sweep'],
  ['messages', 'measure'],
  ['messages', 'rate'],
  ['messages', 'sweep'],
  ['rate', 'sweep'],
  ['rate', 'target-error'],
  ['rate', 'max-time'],
  ['sweep', 'target-error'],
];

/**
 * Quick is a bundle of values: it stands right below what its own layer says in so many words.
 * @param {Layer[]} layers    the strongest first; those that the user wrote
 */
export function silenceRivalsOfQuick(layers) {
  if (!isOn(layers.find((layer) => layer.sweep)?.sweep)) silenceRival(layers, ['quick', 'max-time']);
  silenceRival(layers, ['quick', 'target-error']);
  refuseQuickVerdict(layers);
}

/** @param {Layer[]} layers    with the values of --quick */
export function silenceRivals(layers) {
  for (const rivals of RIVALS) silenceRival(layers, rivals);
}

/**
 * @param {Find} find
 * @param {ReadonlySet<string>} chosen   what flags, environment or config file gave
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function refuseIdle(find, chosen) {
  const format = find('message-format');
  if (format !== undefined && find('message-file') === undefined)
    refuse(format.source, 'says how --message-file is read; give that as well');
  const channel = find('channel');
  if (channel !== undefined && find('traffic') === undefined)
    refuse(channel.source, 'is a channel of recorded traffic; give its file as well, with --traffic');
  const speed = find('speed');
  if (speed !== undefined && find('traffic') === undefined)
    refuse(speed.source, 'is times the rate of recorded traffic; give its file as well, with --traffic');
  const arrivals = find('arrivals');
  if (arrivals?.texts[0] === 'recorded' && find('traffic') === undefined)
    refuse(arrivals.source, 'recorded arrivals are those of --traffic; give that as well');
  refuseIdleLoad(find, chosen);
}

/**
 * An option that would change nothing is refused: the user who wrote it expects open load.
 * @param {Find} find
 * @param {ReadonlySet<string>} chosen
 */
function refuseIdleLoad(find, chosen) {
  if (find('rate') !== undefined || isOn(find('sweep'))) return;
  for (const flag of ['arrivals', 'catchup', 'slo']) {
    const given = find(flag);
    if (given === undefined || !chosen.has(flag)) continue;
    refuse(given.source, 'is for open load only; add --rate N or --sweep');
  }
}

const VERDICT_LAUNCHES = 6; // as many as a run makes that is not quick

/**
 * A quick run gets no verdict, and who writes so many launches beside it expects one.
 * @param {import('./layers.js').Layer[]} layers
 */
function refuseQuickVerdict(layers) {
  for (const { quick, launches } of layers) {
    if (!isOn(quick) || launches === undefined || !(Number(launches.texts[0]) >= VERDICT_LAUNCHES)) continue;
    const next = `leave out --quick; --measure ${QUICK.measure} makes windows as short as it does`;
    refuse(
      launches.source,
      `contradicts ${quick.source.label}, which gives no verdict however many launches there are; ${next}`,
    );
  }
}

/** @param {string} flag @param {Given} given @returns {boolean} of a switch: it is written to be off, and excludes nothing */
function isOff(flag, { texts }) {
  return FLAGS[flag].value === undefined && texts[0] === 'false';
}

/**
 * Of two options that exclude each other the stronger layer decides; in one layer they contradict each other.
 * @param {Layer[]} layers
 * @param {string[]} rivals
 */
function silenceRival(layers, [one, other]) {
  const has = (/** @type {Layer} */ layer, /** @type {string} */ flag) =>
    layer[flag] && !isOff(flag, layer[flag]);
  const strongest = layers.findIndex((layer) => has(layer, one) || has(layer, other));
  if (strongest === -1) return;
  const layer = layers[strongest];
  if (has(layer, one) && has(layer, other)) {
    refuse(layer[one].source, `contradicts ${layer[other].source.label}; give one of the two`);
  }
  const silenced = has(layer, one) ? other : one;
  for (const weaker of layers.slice(strongest)) delete weaker[silenced];
}
