// Rules between flags, derived from their rows: which flags contradict each other, which have no effect without another one, and which
// are refused together with another one.

import { refuse } from '../format/quantity.js';
import { QUICK } from './flags.js';
import { OPTION_TABLE } from './option-table.js';
import { isOn } from './quantities.js';

/** @import { Layer } from './layers.js' */
/** @import { FindFlag, FlagTexts } from './quantities.js' */

const VERDICT_LAUNCHES = 6; // this many launches, or more, are meant for a verdict

/**
 * Drops the weaker of two flags that contradict each other. A switch that is off contradicts no flag.
 * @param {Layer[]} layers    the strongest first
 * @param {string[]} [flags]
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT if one layer has both
 */
export function dropContradictions(layers, flags = Object.keys(OPTION_TABLE)) {
  const isSweep = isOn(layers.find(({ sweep }) => sweep)?.sweep);
  for (const flag of flags) {
    for (const other of OPTION_TABLE[flag].excludes ?? []) {
      // The --max-time of a sweep limits the time per cell, which does not contradict --quick.
      if (!(isSweep && flag === 'quick' && other === 'max-time')) dropWeaker(layers, flag, other);
    }
  }
}

/** @param {Layer[]} layers @param {string} one @param {string} other */
function dropWeaker(layers, one, other) {
  const strongest = layers.findIndex((layer) => isUsed(one, layer[one]) || isUsed(other, layer[other]));
  if (strongest === -1) return;
  const layer = layers[strongest];
  if (isUsed(one, layer[one]) && isUsed(other, layer[other]))
    refuse(layer[one].source, `contradicts ${layer[other].source.label}; give one of the two`);
  const dropped = isUsed(one, layer[one]) ? other : one;
  for (const weaker of layers.slice(strongest)) delete weaker[dropped];
}

/**
 * Refuses --quick with many launches in the same layer: the launches are meant for a verdict, and --quick gives none.
 * @param {Layer[]} layers
 */
export function refuseQuickVerdict(layers) {
  for (const { quick, launches } of layers) {
    if (!isOn(quick) || launches === undefined || !(Number(launches.texts[0]) >= VERDICT_LAUNCHES)) continue;
    const next = `leave out --quick; --measure ${QUICK.measure} makes windows as short as it does`;
    refuse(
      launches.source,
      `contradicts ${quick.source.label}, which gives no verdict however many launches there are; ${next}`,
    );
  }
}

/** @param {FindFlag} find @throws {import('../errors.js').BenchError} BAD_ARGUMENT if a flag would have no effect */
export function refuseIdle(find) {
  for (const [flag, { needs }] of Object.entries(OPTION_TABLE)) {
    const given = find(flag);
    if (given === undefined || needs === undefined) continue;
    if (!needs.anyOf.some((other) => isUsed(other, find(other)))) refuse(given.source, needs.why);
  }
}

/** @param {FindFlag} find @param {string} other   a flag that is given @throws {import('../errors.js').BenchError} BAD_ARGUMENT */
export function refuseBeside(find, other) {
  for (const [flag, { without, default: standard }] of Object.entries(OPTION_TABLE)) {
    const given = find(flag);
    const isUsual = given?.texts.every((text) => text.split(',').every((part) => part.trim() === standard));
    if (given !== undefined && without?.[other] !== undefined && isUsed(flag, given) && !isUsual)
      refuse(given.source, `cannot be combined with --${other}: ${without[other]}`);
  }
}

/** @param {string} flag @param {FlagTexts | undefined} given */
function isUsed(flag, given) {
  return given !== undefined && (OPTION_TABLE[flag].value !== undefined || given.texts[0] !== 'false');
}
