// What a plug-in must look like: the part of the interfaces in types/ that can be seen without running anything.

import {
  FILLS,
  HUES,
  isCodecLook,
  isTransportLook,
  LONGEST_DASH_PX,
  MARKERS,
} from '../cell/explained-parts.js';
import { TRANSPORT_CLASSES } from '../cell/transport-classes.js';

/** @import { Kind } from './builtins.js' */

// What the roles of a scenario must look like: a chain from the master that leads to the workers, in which each connects to one
// before it.
// A part of the ids of launches and of paths of sockets, which are short.
const ROLE_NAME = /^[a-z]{1,8}$/;

const ROLES =
  'a list of roles, each name once and of 1 to 8 small letters: { name: "master", leads, listens }, then what stands between, each ' +
  '{ name, listens, connectsTo } with the name of one before it that listens, the first of them also over or not, and at last { name: "worker", count: "workers", connectsTo }';

/** @param {any} value @returns {boolean} */
function areRoles(value) {
  if (!Array.isArray(value) || value.length < 2) return false;
  if (!value.every((role) => ROLE_NAME.test(role?.name))) return false;
  if (new Set(value.map(({ name }) => name)).size < value.length) return false;
  return value.every((role, place) => isRoleAt(role, value.slice(0, place), place === value.length - 1));
}

/** @param {any} role @param {any[]} before @param {boolean} isLast @returns {boolean} */
function isRoleAt({ name, leads, listens, count, connectsTo, over }, before, isLast) {
  if (over !== undefined && (before.length !== 1 || isLast || typeof over !== 'string')) return false;
  if (before.length === 0) return name === 'master' && leads === true && listens === true;
  const connects = before.some((other) => other.name === connectsTo && other.listens === true);
  if (!connects || leads !== undefined) return false;
  return isLast
    ? name === 'worker' && count === 'workers' && listens === undefined
    : listens === true && count === undefined;
}

/** @typedef {(value: any) => boolean} Test */
/** @typedef {Record<string, [Test, string]>} Shape   property → test, and what it should be */

// Names become parts of labels such as `unix:flush=tick/json`, and are printed everywhere.
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
// A key in results, and the name of a column: letters and digits.
const MEASURE_NAME = /^[a-z][A-Za-z0-9]{0,79}$/;
const UNITS = ['per second', 'MB/s', 'µs', 'bytes', 'count', 'share'];
const MEASURES = `a list of { name, title, unit, better, kind, read }, each name once, partOf one of them or absent, beside too, scale linear or absent and never of the headline, with a unit of ${UNITS.join(', ')}, or absent`;
const WIRE_KINDS = ['text', 'bytes', 'value'];
const CLASSES = TRANSPORT_CLASSES.map(({ name }) => name);

const LONGEST_SAVED = 300; // as the schema of results has it

/** @type {Test} */
export const isText = (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\n');
/** Of words that a results file has. @type {Test} */
const isSavedText = (value) => isText(value) && value.length <= LONGEST_SAVED;
/** @type {Test} */
export const isFunction = (value) => typeof value === 'function';
/** @type {Test} */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** @type {Test} */
const isTexts = (value) => Array.isArray(value) && value.every((each) => typeof each === 'string');
/** @type {Test} */
export const isBroker = (value) =>
  isText(value?.name) &&
  isFunction(value.whyUnavailable) &&
  isFunction(value.start) &&
  (value.whyBadUrl === undefined || isFunction(value.whyBadUrl)) &&
  (value.packages === undefined || (isObject(value.packages) && isTexts(Object.values(value.packages)))) &&
  [value.urlSchemes, value.dependsOn].every((texts) => texts === undefined || isTexts(texts));
/** @type {Test} */
const isOperation = (value) =>
  [value?.one, value?.many, value?.done].every(isSavedText) && orAbsent(isSavedText)(value.toAll);
/** @type {Test} */
const isMeasure = (value) =>
  isSavedText(value?.name) &&
  MEASURE_NAME.test(value.name) &&
  isSavedText(value.title) &&
  UNITS.includes(value.unit) &&
  ['higher', 'lower', null].includes(value.better) &&
  ['value', 'times'].includes(value.kind) &&
  [value.of, value.column].every(orAbsent(isSavedText)) &&
  [undefined, 'linear'].includes(value.scale) &&
  isFunction(value.read);
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
/** @type {Test} */
const isInPlace = (value) =>
  Number.isInteger(value?.headBytes) && isFunction(value.encodeInto) && isFunction(value.decodeFrom);
/** @type {Test} */
const isTrue = (value) => value === true;
/** @type {Test} */
const isAboveZero = (value) => typeof value === 'number' && value > 0;
/** @type {Test} */
const isReportOption = (value) => NAME.test(value?.flag) && typeof value.rank === 'number';
/** @type {Test} */
const isComparison = (value) => isText(value?.summary) && isFunction(value.render);
/** @type {(test: Test) => Test} */
const orAbsent = (test) => (value) => value === undefined || test(value);
const FUNCTION_OR_NONE = /** @type {[Test, string]} */ ([orAbsent(isFunction), 'a function, or absent']);
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

const TRANSPORT_LOOK = `{ hue, marker } of ${HUES.join(', ')} and ${MARKERS.join(', ')}, or absent`;
const CODEC_LOOK = `{ fill, dash } of ${FILLS.join(', ')} and at most ${LONGEST_DASH_PX} pixels, or absent`;

/** @type {Readonly<Record<Kind, Shape>>} */
export const SHAPES = {
  transport: {
    ...COMMON,
    traits: [isObject, 'an object'],
    look: [orAbsent(isTransportLook), TRANSPORT_LOOK],
    carries: [
      (value) => isTexts(value) && value.length > 0 && value.every(isOneOf(WIRE_KINDS)),
      `a list of ${WIRE_KINDS.join(', ')}`,
    ],
    serialises: [orAbsent(isTexts), 'a list of names of codecs, or absent'],
    settings: [orAbsent(isObject), 'an object, or absent'],
    traitsOf: FUNCTION_OR_NONE,
    whyImpossible: FUNCTION_OR_NONE,
    atPeer: FUNCTION_OR_NONE,
    broker: [orAbsent(isBroker), 'an object with name, whyUnavailable, start and urlSchemes, or absent'],
    whyUnavailable: FUNCTION_OR_NONE,
    listen: [isFunction, 'a function'],
    connect: [isFunction, 'a function'],
  },
  codec: {
    ...COMMON,
    look: [orAbsent(isCodecLook), CODEC_LOOK],
    produces: [isOneOf(WIRE_KINDS), `one of ${WIRE_KINDS.join(', ')}`],
    encode: [isFunction, 'a function'],
    decode: [isFunction, 'a function'],
    whyUnavailable: FUNCTION_OR_NONE,
    prepare: FUNCTION_OR_NONE,
    packages: [orAbsent(isTexts), 'a list of names of npm packages, or absent'],
    values: [orAbsent((value) => isFunction(value?.carry)), 'an object with carry, or absent'],
    inPlace: [orAbsent(isInPlace), 'an object with headBytes, encodeInto and decodeFrom, or absent'],
    trustsLength: [orAbsent(isTrue), 'true, or absent'],
    sources: [orAbsent(isTexts), 'a list of links, or absent'],
  },
  scenario: {
    ...COMMON,
    operation: [orAbsent(isOperation), 'words for one, many and done, or absent'],
    measures: [orAbsent(areMeasures), MEASURES],
    codings: FUNCTION_OR_NONE,
    addsTo: [orAbsent(isText), 'the name of a scenario, or absent'],
    roles: [orAbsent(areRoles), `${ROLES}, or absent`],
    settings: [orAbsent(isObject), 'an object, or absent'],
    isByTime: [orAbsent(isTrue), 'true, or absent'],
    ofSettings: FUNCTION_OR_NONE,
    isOverConnections: [orAbsent(isTrue), 'true, or absent'],
    carries: FUNCTION_OR_NONE,
    isPacedByMaster: FUNCTION_OR_NONE,
    isPublished: FUNCTION_OR_NONE,
    sharedQueue: FUNCTION_OR_NONE,
    kills: FUNCTION_OR_NONE,
    loads: [
      orAbsent((value) => isTexts(value) && value.every(isOneOf(['closed', 'open']))),
      'closed, open, or absent',
    ],
    isCold: [orAbsent(isTrue), 'true, or absent'],
    leastWindowMs: [orAbsent((value) => value > 0 && value < Infinity), 'a number of ms above 0, or absent'],
    roundTrips: [
      orAbsent((value) => value === null || isAboveZero(value)),
      'a number above 0, null, or absent',
    ],
    skipReason: FUNCTION_OR_NONE,
    endpoints: [orAbsent(isObject), 'lists of methods of the kit by role, or absent'],
    endpoint: [isFunction, 'a function'],
  },
  report: {
    ...COMMON,
    render: [isFunction, 'a function'],
    option: [orAbsent(isReportOption), 'an object with flag and rank, or absent'],
    comparison: [orAbsent(isComparison), 'an object with summary and render, or absent'],
  },
  runtime: {
    ...COMMON,
    speaks: [isOneOf(['modules', 'names']), 'modules or names'],
    remedy: [isFunction, 'a function'],
    find: [isFunction, 'a function'],
    args: [isFunction, 'a function'],
    skipReason: FUNCTION_OR_NONE,
    peer: FUNCTION_OR_NONE,
  },
};

/** @type {Shape} */
export const TRAITS = {
  class: [isOneOf(CLASSES), `one of ${CLASSES.join(', ')}`],
  reach: [isOneOf(['host', 'network']), 'host or network'],
  direction: [isOneOf(['duplex', 'one-way', 'request-reply']), 'duplex, one-way or request-reply'],
  guarantee: [isSavedText, `one line of text, at most ${LONGEST_SAVED} characters`],
  durability: [orAbsent(isOneOf(['memory', 'disk'])), 'memory or disk, or absent'],
  order: [orAbsent(isOneOf(['free'])), 'free, or absent'],
  loss: [orAbsent(isOneOf(['possible'])), 'possible, or absent'],
  isSpinning: [orAbsent(isTrue), 'true, or absent'],
  mechanism: [orAbsent(isOneOf(['pipe', 'unix', 'tcp', 'memory'])), 'pipe, unix, tcp or memory, or absent'],
  publishes: [orAbsent(isTrue), 'true, or absent'],
  queues: [orAbsent(isOneOf(['at most once', 'at least once'])), 'at most once, at least once, or absent'],
  claimsAfterMs: [orAbsent(isAboveZero), 'a number above 0, or absent'],
  reconnects: [orAbsent(isTrue), 'true, or absent'],
  ridesOnStart: [orAbsent(isTrue), 'true, or absent'],
  answersAtOnce: [orAbsent(isTrue), 'true, or absent'],
  isCostly: [orAbsent(isTrue), 'true, or absent'],
  coalesces: [orAbsent(isTrue), 'true, or absent'],
  greatestMessageBytes: [isAboveZero, 'a number above 0, or Infinity'],
  platforms: [isTexts, 'a list of names of process.platform'],
  broker: [(value) => value === null || isText(value), 'its name, or null'],
  packages: [orAbsent(isTexts), 'a list of names of npm packages, or absent'],
  sources: [isTexts, 'a list of links'],
  messagesPerRoundTrip: [orAbsent(isAboveZero), 'a number above 0, or absent'],
};

/** @type {Shape} */
export const SETTING = {
  summary: [isText, 'one line of text'],
  default: [isOneType(['string', 'number', 'boolean']), 'a string, number or boolean'],
  choices: [orAbsent(Array.isArray), 'a list, or absent'],
  min: [orAbsent(isOneType(['number'])), 'a number, or absent'],
  max: [orAbsent(isOneType(['number'])), 'a number, or absent'],
  isList: [orAbsent(isTrue), 'true, or absent'],
  takesFractions: [orAbsent(isTrue), 'true, or absent'],
  changesTheWay: [orAbsent(isTrue), 'true, or absent'],
  changesTheDoor: [orAbsent(isTrue), 'true, or absent'],
  isQuantity: [orAbsent(isTrue), 'true, or absent'],
  ofPrivateServer: [orAbsent(isTrue), 'true, or absent'],
};

/**
 * @param {string[]} types
 * @returns {Test}
 */
function isOneType(types) {
  return (value) => types.includes(typeof value);
}
