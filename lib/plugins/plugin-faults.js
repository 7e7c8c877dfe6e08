// What is wrong with a plug-in, said for all that is missing at once.

import { FILLS, HUES, isCodecLook, isTransportLook, LONGEST_DASH_PX, MARKERS } from '../cell/looks.js';
import { GROUP_NAMES, settingDefaults, TRANSPORT_CLASSES } from '../cell/traits.js';

/** @import { Kind } from './builtins.js' */

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

/** @param {any} value @param {Shape} shape @param {string} prefix */
function misfits(value, shape, prefix) {
  return Object.entries(shape)
    .filter(([property, [test]]) => !test(value[property]))
    .map(([property, [, wanted]]) => {
      const verb = value[property] === undefined ? 'is missing' : 'does not fit';
      return `${prefix}${property} ${verb}: ${wanted}`;
    });
}

// What a plug-in must look like: the part of the interfaces in types/ that can be seen without running anything. A row is a test,
// and in words what it wants.

/** @typedef {(value: any) => boolean} Test */
/** @typedef {readonly [Test, string]} Row */
/** @typedef {Record<string, Row>} Shape   by property */

/** @type {(row: Row) => Row} */
const optional = ([test, wanted]) => [(value) => value === undefined || test(value), `${wanted}, or absent`];
/** @type {(values: readonly unknown[], wanted?: string) => Row} */
const oneOf = (values, wanted = values.join(' or ')) => [(value) => values.includes(value), wanted];
/** @type {(shape: Shape) => Test} of an object in all of which each part fits */
const fits = (shape) => (value) => isObject(value) && misfits(value, shape, '').length === 0;

/** @type {Test} */
const isText = (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\n');
/** @type {Test} */
const isFunction = (value) => typeof value === 'function';
/** @type {Test} */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @type {Test} */
const isTexts = (value) => Array.isArray(value) && value.every((each) => typeof each === 'string');

// Names become parts of labels such as `unix:flush=tick/json`, and are printed everywhere.
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
// A key in results, and the name of a column: letters and digits.
const MEASURE_NAME = /^[a-z][A-Za-z0-9]{0,79}$/;
const UNITS = ['per second', 'MB/s', 'µs', 'bytes', 'count', 'share'];
const WIRE_KINDS = ['text', 'bytes', 'value'];
const LONGEST_SAVED = 300; // as the schema of results has it

/** @type {Row} */
const TEXT = [isText, 'one line of text'];
/** Of words that a results file has. @type {Row} */
const SAVED_TEXT = [
  (value) => isText(value) && value.length <= LONGEST_SAVED,
  `one line of text, at most ${LONGEST_SAVED} characters`,
];
/** @type {Row} */
const FUNCTION = [isFunction, 'a function'];
/** @type {Row} */
const OBJECT = [isObject, 'an object'];
/** @type {Row} */
const NUMBER = [(value) => typeof value === 'number', 'a number'];
/** @type {Row} */
const ABOVE_ZERO = [(value) => value > 0 && typeof value === 'number', 'a number above 0'];
/** @type {Row} */
const LINKS = [isTexts, 'a list of links'];
const PACKAGES = optional([isTexts, 'a list of names of npm packages']);
const FUNCTION_OR_NONE = optional(FUNCTION);
const TRUE_OR_NONE = optional([(value) => value === true, 'true']);

const isBroker = fits({
  name: TEXT,
  whyUnavailable: FUNCTION,
  start: FUNCTION,
  whyBadUrl: FUNCTION_OR_NONE,
  packages: optional([(value) => isObject(value) && isTexts(Object.values(value)), 'names']),
  urlSchemes: optional(LINKS),
  dependsOn: optional(LINKS),
});
const isMeasure = fits({
  name: [(value) => isText(value) && MEASURE_NAME.test(value), 'a name'],
  title: SAVED_TEXT,
  unit: oneOf(UNITS),
  better: oneOf(['higher', 'lower', null]),
  kind: oneOf(['value', 'times']),
  of: optional(SAVED_TEXT),
  column: optional(SAVED_TEXT),
  scale: optional(oneOf(['linear'])),
  read: FUNCTION,
});
/** @type {Test} */
const areMeasures = (value) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(isMeasure) &&
  value[0].scale === undefined &&
  new Set(value.map(({ name }) => name)).size === value.length &&
  value.every(({ partOf, beside }) =>
    [partOf, beside].every((named) => named === undefined || value.some(({ name }) => name === named)),
  );

// The roles of a scenario are a chain from the master that leads to the workers, in which each connects to one before it. Their
// names are a part of the ids of launches and of paths of sockets, which are short.
const ROLE_NAME = /^[a-z]{1,8}$/;
const ROLES =
  'a list of roles, each name once and of 1 to 8 small letters: { name: "master", leads, listens }, then what stands between, each ' +
  '{ name, listens, connectsTo } with the name of one before it that listens, the first of them also over or not, and at last { name: "worker", count: "workers", connectsTo }';

/** @param {any} value */
function areRoles(value) {
  if (!Array.isArray(value) || value.length < 2) return false;
  if (!value.every((role) => ROLE_NAME.test(role?.name))) return false;
  if (new Set(value.map(({ name }) => name)).size < value.length) return false;
  return value.every((role, place) => isRoleAt(role, value.slice(0, place), place === value.length - 1));
}

/** @param {any} role @param {any[]} before @param {boolean} isLast */
function isRoleAt({ name, leads, listens, count, connectsTo, over }, before, isLast) {
  if (over !== undefined && (before.length !== 1 || isLast || typeof over !== 'string')) return false;
  if (before.length === 0) return name === 'master' && leads === true && listens === true;
  const connects = before.some((other) => other.name === connectsTo && other.listens === true);
  if (!connects || leads !== undefined) return false;
  return isLast
    ? name === 'worker' && count === 'workers' && listens === undefined
    : listens === true && count === undefined;
}

/** @type {Shape} */
const COMMON = {
  name: [
    (value) => typeof value === 'string' && NAME.test(value),
    'a name of letters, digits and . _ -, at most 64',
  ],
  summary: TEXT,
};

/** @type {Readonly<Record<Kind, Shape>>} */
const SHAPES = {
  transport: {
    ...COMMON,
    traits: OBJECT,
    look: optional([isTransportLook, `{ hue, marker } of ${HUES.join(', ')} and ${MARKERS.join(', ')}`]),
    carries: [
      (value) => isTexts(value) && value.length > 0 && value.every(oneOf(WIRE_KINDS)[0]),
      `a list of ${WIRE_KINDS.join(', ')}`,
    ],
    serialises: optional([isTexts, 'a list of names of codecs']),
    settings: optional(OBJECT),
    traitsOf: FUNCTION_OR_NONE,
    whyImpossible: FUNCTION_OR_NONE,
    peerEnd: FUNCTION_OR_NONE,
    broker: optional([isBroker, 'an object with name, whyUnavailable, start and urlSchemes']),
    whyUnavailable: FUNCTION_OR_NONE,
    listen: FUNCTION,
    connect: FUNCTION,
  },
  codec: {
    ...COMMON,
    look: optional([
      isCodecLook,
      `{ fill, dash } of ${FILLS.join(', ')} and at most ${LONGEST_DASH_PX} pixels`,
    ]),
    produces: oneOf(WIRE_KINDS, `one of ${WIRE_KINDS.join(', ')}`),
    encode: FUNCTION,
    decode: FUNCTION,
    whyUnavailable: FUNCTION_OR_NONE,
    prepare: FUNCTION_OR_NONE,
    packages: PACKAGES,
    values: optional([(value) => isFunction(value?.carry), 'an object with carry']),
    inPlace: optional([
      fits({ headBytes: [Number.isInteger, 'a number'], encodeInto: FUNCTION, decodeFrom: FUNCTION }),
      'an object with headBytes, encodeInto and decodeFrom',
    ]),
    trustsLength: TRUE_OR_NONE,
    sources: optional(LINKS),
  },
  scenario: {
    ...COMMON,
    operation: optional([
      fits({ one: SAVED_TEXT, many: SAVED_TEXT, done: SAVED_TEXT, toAll: optional(SAVED_TEXT) }),
      'words for one, many and done',
    ]),
    measures: optional([
      areMeasures,
      `a list of { name, title, unit, better, kind, read }, each name once, partOf one of them or absent, beside too, scale linear or absent and never of the headline, with a unit of ${UNITS.join(', ')}`,
    ]),
    codings: FUNCTION_OR_NONE,
    addsTo: optional([isText, 'the name of a scenario']),
    roles: optional([areRoles, ROLES]),
    settings: optional(OBJECT),
    isByTime: TRUE_OR_NONE,
    ofSettings: FUNCTION_OR_NONE,
    isOverConnections: TRUE_OR_NONE,
    carries: FUNCTION_OR_NONE,
    isPacedByMaster: FUNCTION_OR_NONE,
    isPublished: FUNCTION_OR_NONE,
    sharedQueue: FUNCTION_OR_NONE,
    kills: FUNCTION_OR_NONE,
    loads: optional([(value) => isTexts(value) && value.every(oneOf(['closed', 'open'])[0]), 'closed, open']),
    isCold: TRUE_OR_NONE,
    leastWindowMs: optional([(value) => value > 0 && value < Infinity, 'a number of ms above 0']),
    roundTrips: optional([(value) => value === null || ABOVE_ZERO[0](value), 'a number above 0, null']),
    skipReason: FUNCTION_OR_NONE,
    endpoint: FUNCTION,
    endpoints: optional([isObject, 'lists of methods of the kit by role']),
  },
  report: {
    ...COMMON,
    render: FUNCTION,
    option: optional([
      (value) => NAME.test(value?.flag) && NUMBER[0](value.rank),
      'an object with flag and rank',
    ]),
    comparison: optional([fits({ summary: TEXT, render: FUNCTION }), 'an object with summary and render']),
  },
  runtime: {
    ...COMMON,
    speaks: oneOf(['modules', 'names']),
    remedy: FUNCTION,
    find: FUNCTION,
    args: FUNCTION,
    skipReason: FUNCTION_OR_NONE,
    peer: FUNCTION_OR_NONE,
  },
};

const CLASSES = TRANSPORT_CLASSES.map(({ name }) => name);
/** @param {any} value @returns {boolean} */
function isWindow(value) {
  return isObject(value) && isText(value.setting) && Number.isInteger(value.messages) && value.messages > 0;
}

/** @type {Shape} */
const TRAITS = {
  class: oneOf(CLASSES, `one of ${CLASSES.join(', ')}`),
  reach: oneOf(['host', 'network']),
  direction: oneOf(['duplex', 'one-way', 'request-reply'], 'duplex, one-way or request-reply'),
  guarantee: SAVED_TEXT,
  durability: optional(oneOf(['memory', 'disk'])),
  order: optional(oneOf(['free'])),
  loss: optional(oneOf(['possible'])),
  isSpinning: TRUE_OR_NONE,
  mechanism: optional(oneOf(['pipe', 'unix', 'tcp', 'memory'], 'pipe, unix, tcp or memory')),
  publishes: TRUE_OR_NONE,
  queues: optional(oneOf(['at most once', 'at least once'], 'at most once, at least once')),
  claimsAfterMs: optional(ABOVE_ZERO),
  acknowledgementWindow: optional([isWindow, 'the name of a setting and a number of messages above 0']),
  reconnects: TRUE_OR_NONE,
  usesForkHandles: TRUE_OR_NONE,
  answersAtOnce: TRUE_OR_NONE,
  isCostly: TRUE_OR_NONE,
  coalesces: TRUE_OR_NONE,
  greatestMessageBytes: [ABOVE_ZERO[0], 'a number above 0, or Infinity'],
  platforms: [isTexts, 'a list of names of process.platform'],
  broker: [(value) => value === null || isText(value), 'its name, or null'],
  packages: PACKAGES,
  sources: LINKS,
  messagesPerRoundTrip: optional(ABOVE_ZERO),
};

/** @type {Shape} */
const SETTING = {
  summary: TEXT,
  default: [(value) => ['string', 'number', 'boolean'].includes(typeof value), 'a string, number or boolean'],
  choices: optional([Array.isArray, 'a list']),
  min: optional(NUMBER),
  max: optional(NUMBER),
  isList: TRUE_OR_NONE,
  takesFractions: TRUE_OR_NONE,
  changesRoute: optional([(value) => value === true || Array.isArray(value), 'true or a list']),
  changesListener: TRUE_OR_NONE,
  isQuantity: TRUE_OR_NONE,
  ofPrivateServer: TRUE_OR_NONE,
};
