// Values of --need and the traits that meet them. Threads, busy-waiting and loss of messages are excluded unless the user names them, since
// most programs need processes that sleep while they wait, and messages that arrive.

/** @import { KnownTraits } from '../types/index.js' */
/**
 * @typedef {object} Need
 * @property {string} word   value of --need
 * @property {string} summary
 * @property {string} lack   reason if the need is not met: 'this machine only'
 * @property {(traits: KnownTraits) => boolean} isMet
 * @property {keyof KnownTraits} [from]   if a transport declares neither this trait nor `platforms`, an unmet need is reported as not known
 */

/** @param {string} platform @param {string} name @returns {Need} */
const runsOn = (platform, name) => ({
  word: name.toLowerCase(),
  summary: `exists on ${name}`,
  lack: `not on ${name}`,
  isMet: ({ platforms = [] }) => platforms.includes(platform),
  from: 'platforms',
});

/** @type {readonly Need[]} */
const NEEDS = Object.freeze([
  {
    word: 'other host',
    summary: 'workers on other hosts reach it',
    lack: 'this machine only',
    isMet: ({ reach }) => reach === 'network',
    from: 'reach',
  },
  {
    word: 'durable',
    summary: 'a broker keeps it on disk',
    lack: 'not kept on disk',
    isMet: ({ durability }) => durability === 'disk',
  },
  {
    word: 'ordered',
    summary: 'no message overtakes another',
    lack: 'messages may overtake each other',
    isMet: ({ order }) => order !== 'free',
  },
  {
    word: 'both ways',
    summary: 'the master may send at any time',
    lack: 'the master only responds',
    isMet: ({ direction }) => direction === 'duplex',
    from: 'direction',
  },
  {
    word: 'to all',
    summary: 'one message reaches all workers',
    lack: 'one message does not reach all',
    isMet: ({ publishes }) => publishes === true,
    from: 'publishes',
  },
  {
    word: 'queue',
    summary: 'workers take jobs from one queue',
    lack: 'no queue for all workers',
    isMet: ({ queues }) => queues !== undefined,
    from: 'queues',
  },
  {
    word: 'at least once',
    summary: 'jobs of a dead worker are done by others',
    lack: 'jobs are lost',
    isMet: ({ queues }) => queues === 'at least once',
    from: 'queues',
  },
  {
    word: 'reconnects',
    summary: 'a worker may connect again',
    lack: 'a worker connects once',
    isMet: ({ reconnects }) => reconnects === true,
    from: 'reconnects',
  },
  {
    word: 'no broker',
    summary: 'no server to run',
    lack: 'needs a broker',
    isMet: ({ broker }) => broker === null,
    from: 'broker',
  },
  {
    word: 'no package',
    summary: 'nothing to install from npm',
    lack: 'needs a package',
    isMet: ({ packages = [] }) => packages.length === 0,
    from: 'platforms', // a transport that declares its platforms declares its packages
  },
  runsOn('linux', 'Linux'),
  runsOn('darwin', 'macOS'),
  runsOn('win32', 'Windows'),
]);

/** Properties that exclude a transport unless the user names them. @type {readonly Need[]} */
export const NEED_KINDS = Object.freeze([
  {
    word: 'threads',
    summary: 'workers may be threads',
    lack: 'threads, not processes',
    isMet: (traits) => traits.class !== 'thread',
  },
  {
    word: 'spinning',
    summary: 'a waiting process may use a whole core',
    lack: 'spinning while they wait',
    isMet: ({ isSpinning }) => isSpinning !== true,
  },
  {
    word: 'loss',
    summary: 'messages may get lost',
    lack: 'messages may get lost',
    isMet: ({ loss }) => loss !== 'possible',
  },
]);

/** All values of --need. */
export const NEED_WORDS = Object.freeze([...NEEDS, ...NEED_KINDS].map(({ word }) => word));

/** @returns {string} a line per value of --need, with its meaning */
export function vocabulary() {
  return [...NEEDS, ...NEED_KINDS].map(({ word, summary }) => `  ${word}: ${summary}`).join('\n');
}

/**
 * @param {KnownTraits} traits
 * @param {readonly string[]} words   values of --need
 * @returns {string | null} the first reason against the transport: 'this machine only', 'not known: queue'
 */
export function unmetNeed(traits, words) {
  const needed = NEEDS.filter(({ word }) => words.includes(word));
  const kinds = NEED_KINDS.filter(({ word }) => !words.includes(word));
  const lacking = [...needed, ...kinds].find((need) => !need.isMet(traits));
  if (lacking === undefined) return null;
  const isKnown = lacking.from === undefined || Object.hasOwn(traits, lacking.from) || 'platforms' in traits;
  return isKnown ? lacking.lack : `not known: ${lacking.word}`;
}
