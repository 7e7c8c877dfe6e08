// Lists the faults of a plug-in, instead of throwing at the first one. It calls no function of the plug-in except traitsOf(), with the
// default settings.

import { safeParse } from 'valibot';
import { GROUP_NAMES, settingDefaults } from '../cell/traits.js';
import { pathText } from '../format/shape-fault.js';
import { Codec } from '../types/messages.js';
import { Report } from '../types/reports.js';
import { Runtime } from '../types/runtimes.js';
import { isRecord } from '../types/scalars.js';
import { Scenario } from '../types/scenarios.js';
import { Traits, Transport } from '../types/transports.js';

/** @import { BaseIssue, GenericSchema } from 'valibot' */
/** @import { Kind } from './builtins.js' */

/** @type {Readonly<Record<Kind, GenericSchema<any>>>} */
const SHAPES = { transport: Transport, codec: Codec, scenario: Scenario, report: Report, runtime: Runtime };

/**
 * @param {Kind} kind
 * @param {any} plugin
 * @param {string | null} fileName   name that a built-in plug-in must have
 * @returns {string[]} empty if none was found; traitsOf() is called only if the shape has no fault
 */
export function faultsIn(kind, plugin, fileName) {
  if (!isRecord(plugin))
    return [`its default export is not an object; write \`export default { name: ... }\``];
  const faults = misfits(SHAPES[kind], plugin);
  if (fileName !== null && typeof plugin.name === 'string' && plugin.name !== fileName) {
    faults.push(`name is "${plugin.name}", but the file is ${fileName}.js`);
  }
  return kind === 'transport' ? [...faults, ...transportFaults(plugin, faults.length > 0)] : faults;
}

/**
 * @param {any} plugin
 * @param {boolean} isMisfit   whether SHAPES has found faults, so that traits and broker may be missing
 * @returns {string[]} faults that SHAPES does not cover
 */
function transportFaults(plugin, isMisfit) {
  const faults = isMisfit || plugin.traitsOf === undefined ? [] : changedTraitsFaults(plugin);
  if (GROUP_NAMES.includes(plugin.name)) {
    faults.push(`name is "${plugin.name}", which is the name of a group of transports; choose another`);
  }
  if (!isMisfit && plugin.broker !== undefined && plugin.traits.broker !== plugin.broker.name) {
    faults.push(`traits.broker is not "${plugin.broker.name}", the name of its broker`);
  }
  return faults;
}

/** @param {any} transport @returns {string[]} faults of the traits that depend on its settings, checked with the defaults */
function changedTraitsFaults({ traits, traitsOf, settings }) {
  try {
    const changed = traitsOf(settingDefaults({ settings }));
    if (!isRecord(changed)) return ['traitsOf gives no object: what differs from traits, or {}'];
    return misfits(Traits, { ...traits, ...changed }).map((fault) => `traitsOf().${fault}`);
  } catch (error) {
    return [`traitsOf fails with the defaults: ${error instanceof Error ? error.message : error}`];
  }
}

/** @param {GenericSchema<any>} shape @param {any} value @returns {string[]} */
function misfits(shape, value) {
  const { issues = [] } = safeParse(shape, value, { abortPipeEarly: true });
  return [...new Set(issues.map((issue) => inWords(shape, issue)))];
}

/** @param {any} shape @param {BaseIssue<any>} issue @returns {string} 'traits.loss does not fit: possible, or absent' */
function inWords(shape, { path, input }) {
  const steps = /** @type {{ key: unknown, type: string }[]} */ (path ?? []);
  let wanted = '';
  let part = shape;
  for (const { key } of steps) {
    part = findPart(part, key);
    wanted = describeShape(part) ?? wanted;
  }
  const verb = input === undefined ? 'is missing' : 'does not fit';
  return `${pathText(steps)} ${verb}: ${wanted}${part?.type === 'optional' ? ', or absent' : ''}`;
}

/** @param {any} shape @param {any} key @returns {any} shape of the property or item */
function findPart({ wrapped, entries, item, value }, key) {
  return wrapped ? findPart(wrapped, key) : (entries?.[key] ?? item ?? value);
}

/** @param {any} shape @returns {string | undefined} the values that the shape accepts, if it names them */
function describeShape({ errorText, wrapped, options, literal, entries }) {
  if (errorText !== undefined) return errorText;
  if (wrapped !== undefined) return describeShape(wrapped);
  if (literal !== undefined) return String(literal);
  if (options === undefined) return entries && 'an object';
  return options.length > 2 ? `one of ${options.join(', ')}` : options.join(' or ');
}
