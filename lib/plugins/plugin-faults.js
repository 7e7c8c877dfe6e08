// What is wrong with a plug-in, said for all that is missing at once.

import { settingDefaults } from '../cell/traits.js';
import { GROUP_NAMES } from '../cell/transport-classes.js';
import { isBroker, isFunction, isObject, isText, SETTING, SHAPES, TRAITS } from './plugin-shapes.js';

/** @import { Kind } from './builtins.js' */
/** @import { Shape } from './plugin-shapes.js' */

/**
 * @param {Kind} kind
 * @param {any} plugin
 * @param {string | null} fileName   a built-in plug-in is named as its file
 * @returns {string[]} every fault, none: usable
 */
export function faultsIn(kind, plugin, fileName) {
  if (!isObject(plugin))
    return [`its default export is not an object; write \`export default { name: ... }\``];
  const faults = misfits(plugin, SHAPES[kind], '');
  if (fileName !== null && isText(plugin.name) && plugin.name !== fileName) {
    faults.push(`name is "${plugin.name}", but the file is ${fileName}.js`);
  }
  return kind === 'transport' ? [...faults, ...transportFaults(plugin)] : faults;
}

/** @param {any} plugin @returns {string[]} what is wrong further inside */
function transportFaults(plugin) {
  const settings = isObject(plugin.settings) ? plugin.settings : {};
  const faults = isObject(plugin.traits) ? misfits(plugin.traits, TRAITS, 'traits.') : [];
  for (const [key, setting] of Object.entries(settings)) {
    faults.push(...misfits(setting ?? {}, SETTING, `settings.${key}.`));
  }
  if (faults.length === 0 && isFunction(plugin.traitsOf))
    faults.push(...changedTraitsFaults(plugin, settings));
  if (GROUP_NAMES.includes(plugin.name)) {
    faults.push(`name is "${plugin.name}", which is the name of a group of transports; choose another`);
  }
  if (isBroker(plugin.broker) && isObject(plugin.traits) && plugin.traits.broker !== plugin.broker.name) {
    faults.push(`traits.broker is not "${plugin.broker.name}", the name of its broker`);
  }
  return faults;
}

/**
 * @param {any} plugin
 * @param {Record<string, import('../types/transports.js').Setting>} settings
 * @returns {string[]} of what its settings make of its traits, with the defaults for a sample
 */
function changedTraitsFaults({ traits, traitsOf }, settings) {
  try {
    const changed = traitsOf(settingDefaults({ settings }));
    if (!isObject(changed)) return ['traitsOf gives no object: what differs from traits, or {}'];
    return misfits({ ...traits, ...changed }, TRAITS, 'traitsOf().');
  } catch (error) {
    return [`traitsOf fails with the defaults: ${error instanceof Error ? error.message : error}`];
  }
}

/** @param {any} value @param {Shape} shape @param {string} prefix @returns {string[]} */
function misfits(value, shape, prefix) {
  return Object.entries(shape)
    .filter(([property, [test]]) => !test(value[property]))
    .map(([property, [, wanted]]) => {
      const verb = value[property] === undefined ? 'is missing' : 'does not fit';
      return `${prefix}${property} ${verb}: ${wanted}`;
    });
}
