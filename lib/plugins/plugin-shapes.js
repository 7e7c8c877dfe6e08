// What a plug-in must look like, said for all that is missing at once. The interfaces are in types.js; this is the
// part of them that can be seen without running anything.

import { defaultsOf } from '../cell/traits.js';
import { GROUP_NAMES, TRANSPORT_CLASSES } from '../cell/transport-classes.js';

/** @import { Kind } from './builtins.js' */
/** @typedef {(value: any) => boolean} Test */
/** @typedef {Record<string, [Test, string]>} Shape   property → test, and what it should be */

// Names become parts of labels such as `unix:flush=tick/json`, and are printed everywhere.
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
const WIRE_KINDS = ['text', 'bytes', 'value'];
const CLASSES = TRANSPORT_CLASSES.map(({ name }) => name);

/** @type {Test} */
const isText = (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\n');
/** @type {Test} */
const isFunction = (value) => typeof value === 'function';
/** @type {Test} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @type {Test} */
const isTexts = (value) => Array.isArray(value) && value.every((each) => typeof each === 'string');
/** @type {Test} */
const isBroker = (value) =>
  isText(value?.name) &&
  isFunction(value.whyUnavailable) &&
  isFunction(value.start) &&
  [value.urlSchemes, value.dependsOn].every((texts) => texts === undefined || isTexts(texts));
/** @type {Test} */
const isTrue = (value) => value === true;
/** @type {Test} */
const isReportOption = (value) => NAME.test(value?.flag) && typeof value.rank === 'number';
/** @type {Test} */
const isComparison = (value) => isText(value?.summary) && isFunction(value.render);
/** @type {(test: Test) => Test} */
const orAbsent = (test) => (value) => value === undefined || test(value);
/** @type {(choices: string[]) => Test} */
const isOneOf = (choices) => (value) => choices.includes(value);

/** @type {Shape} */
const COMMON = {
  name: [
    (value) => typeof value === 'string' && NAME.test(value),
    'a name of letters, digits and . _ -, at most 64',
  ],
  summary: [isText, 'one line of text'],
};

/** @type {Readonly<Record<Kind, Shape>>} */
const SHAPES = {
  transport: {
    ...COMMON,
    traits: [isObject, 'an object'],
    carries: [
      (value) => isTexts(value) && value.length > 0 && value.every(isOneOf(WIRE_KINDS)),
      `a list of ${WIRE_KINDS.join(', ')}`,
    ],
    serialises: [orAbsent(isTexts), 'a list of names of codecs, or absent'],
    settings: [orAbsent(isObject), 'an object, or absent'],
    traitsOf: [orAbsent(isFunction), 'a function, or absent'],
    whyImpossible: [orAbsent(isFunction), 'a function, or absent'],
    broker: [orAbsent(isBroker), 'an object with name, whyUnavailable, start and urlSchemes, or absent'],
    whyUnavailable: [orAbsent(isFunction), 'a function, or absent'],
    listen: [isFunction, 'a function'],
    connect: [isFunction, 'a function'],
  },
  codec: {
    ...COMMON,
    produces: [isOneOf(WIRE_KINDS), `one of ${WIRE_KINDS.join(', ')}`],
    encode: [isFunction, 'a function'],
    decode: [isFunction, 'a function'],
    whyUnavailable: [orAbsent(isFunction), 'a function, or absent'],
    prepare: [orAbsent(isFunction), 'a function, or absent'],
    trustsLength: [orAbsent(isTrue), 'true, or absent'],
    sources: [orAbsent(isTexts), 'a list of links, or absent'],
  },
  scenario: { ...COMMON, answer: [isFunction, 'a function'], loop: [isFunction, 'a function'] },
  report: {
    ...COMMON,
    render: [isFunction, 'a function'],
    option: [orAbsent(isReportOption), 'an object with flag and rank, or absent'],
    comparison: [orAbsent(isComparison), 'an object with summary and render, or absent'],
  },
};

/** @type {Shape} */
const TRAITS = {
  class: [isOneOf(CLASSES), `one of ${CLASSES.join(', ')}`],
  reach: [isOneOf(['host', 'network']), 'host or network'],
  direction: [isOneOf(['duplex', 'one-way', 'request-reply']), 'duplex, one-way or request-reply'],
  guarantee: [isText, 'one line of text'],
  durability: [orAbsent(isOneOf(['memory', 'disk'])), 'memory or disk, or absent'],
  order: [orAbsent(isOneOf(['free'])), 'free, or absent'],
  loss: [orAbsent(isOneOf(['possible'])), 'possible, or absent'],
  isSpinning: [orAbsent(isTrue), 'true, or absent'],
  isCostly: [orAbsent(isTrue), 'true, or absent'],
  greatestMessageBytes: [(value) => typeof value === 'number' && value > 0, 'a number above 0, or Infinity'],
  platforms: [isTexts, 'a list of names of process.platform'],
  broker: [(value) => value === null || isText(value), 'its name, or null'],
  packages: [orAbsent(isTexts), 'a list of names of npm packages, or absent'],
  sources: [isTexts, 'a list of links'],
  messagesPerRoundTrip: [
    orAbsent((value) => typeof value === 'number' && value > 0),
    'a number above 0, or absent',
  ],
};

/** @type {Shape} */
const SETTING = {
  summary: [isText, 'one line of text'],
  default: [isOneTypeOf(['string', 'number', 'boolean']), 'a string, number or boolean'],
  choices: [orAbsent(Array.isArray), 'a list, or absent'],
  min: [orAbsent(isOneTypeOf(['number'])), 'a number, or absent'],
  max: [orAbsent(isOneTypeOf(['number'])), 'a number, or absent'],
  takesFractions: [orAbsent((value) => value === true), 'true, or absent'],
  changesTheWay: [orAbsent((value) => value === true), 'true, or absent'],
};

/**
 * @param {string[]} types
 * @returns {Test}
 */
function isOneTypeOf(types) {
  return (value) => types.includes(typeof value);
}

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

/**
 * @param {any} plugin
 * @returns {string[]} what is wrong further inside
 */
function transportFaults(plugin) {
  const settings = isObject(plugin.settings) ? plugin.settings : {};
  const faults = isObject(plugin.traits) ? misfits(plugin.traits, TRAITS, 'traits.') : [];
  for (const [key, setting] of Object.entries(settings)) {
    faults.push(...misfits(setting ?? {}, SETTING, `settings.${key}.`));
  }
  if (faults.length === 0 && isFunction(plugin.traitsOf))
    faults.push(...changedTraitsFaults(plugin, settings));
  if (GROUP_NAMES.includes(plugin.name)) {
    faults.push(`name is "${plugin.name}", which stands for a group of transports; take another`);
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
    const changed = traitsOf(defaultsOf({ settings }));
    if (!isObject(changed)) return ['traitsOf gives no object: what differs from traits, or {}'];
    return misfits({ ...traits, ...changed }, TRAITS, 'traitsOf().');
  } catch (error) {
    return [`traitsOf fails with the defaults: ${error instanceof Error ? error.message : error}`];
  }
}

/**
 * @param {any} value
 * @param {Shape} shape
 * @param {string} prefix
 * @returns {string[]}
 */
function misfits(value, shape, prefix) {
  return Object.entries(shape)
    .filter(([property, [test]]) => !test(value[property]))
    .map(([property, [, wanted]]) => {
      const verb = value[property] === undefined ? 'is missing' : 'does not fit';
      return `${prefix}${property} ${verb}: ${wanted}`;
    });
}
