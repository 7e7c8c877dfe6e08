// Reads the facts of a process or thread: counts, sizes, times, pairs of requests and responses, and the sample of each of its links.

import { NS_PER_US } from '../format/units.js';
import {
  BY_PORT,
  FAILED,
  IS_BYTES,
  IS_TEXT,
  RECEIVED,
  readFacts,
  UNMEASURED,
  UNSIZABLE,
  WITH_TRANSFER,
} from './fact-format.js';
import { OpenRequests, RequestPairs } from './request-pairs.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { MessageShape as Shape } from '../types/shape-limits.js' */
/** @import { MessageFact } from './fact-format.js' */
/** @import { LinkFacts, PortPlace } from './recorded-link.js' */
/** @import { SavedPairs } from './request-pairs.js' */
/** @typedef {{ pid: number, label: string, isNode: boolean, why: string | null }} StartedProcess   why: reason if it is not recorded */
/**
 * @typedef {{ key: number, bytes: number, shape: Shape } | { key: number, bytes: number, value: any }} SampledMessage
 *   key: random number, by which a link selects its sample; bytes: size, or UNMEASURED or UNSIZABLE
 */
/**
 * Sums over the messages whose sizes are known. A measured message has the number of messages that it represents as its weight.
 * @typedef {object} SizeSums
 * @property {number} messages
 * @property {number} weights
 * @property {number} squares         weight²
 * @property {number} weighted        weight² · bytes
 * @property {number} weightedSquare  (weight · bytes)²
 */
/**
 * @typedef {object} LinkEnd   one end of a channel
 * @property {LinkFacts} facts
 * @property {number} sent
 * @property {number} failed   messages in `sent` whose sending failed
 * @property {number} received
 * @property {{ text: number, bytes: number, value: number }} kinds   number of sent messages by kind
 * @property {number} withTransfer
 * @property {number} unsized   messages that cannot be measured without running code of the program
 * @property {WeightedHistogram} bytes
 * @property {SizeSums} sizes
 * @property {number} skipped   number of messages since the last measured one
 * @property {WeightedHistogram} sendUs
 * @property {number[]} sentMs   times of all sent messages
 * @property {RequestPairs} finder
 * @property {OpenRequests} byPort   requests that have a port for their response
 * @property {(SavedPairs & { name: string | null }) | null} pairs   name: name of the field that pairs them; null if ports do
 * @property {Map<number, string>} fields   names of fields of sent messages by bit
 * @property {SampledMessage[]} sample
 * @property {number} sampleSize   greatest number of messages in the sample
 */
/**
 * The facts of a process or thread.
 * @typedef {object} RecordedProcess
 * @property {number} pid
 * @property {number} parentPid
 * @property {number} thread
 * @property {string} label
 * @property {boolean} isChild   whether it has a channel to its parent process
 * @property {string} [notRecorded]   reason why it is not recorded
 * @property {boolean} isComplete   whether it was recorded until it ended
 * @property {{ ms: number, why: string } | null} stopped   time and reason, if its recording ended before it did
 * @property {number} startedMs   on the system's monotonic clock, like all times in this type
 * @property {number} writtenMs   time of the last fact
 * @property {StartedProcess[]} processes
 * @property {{ thread: number, isInternal: boolean }[]} threads   threads that it started
 * @property {[PortPlace, PortPlace][]} between   the two ports of each channel that it sent
 * @property {[PortPlace, PortPlace][]} passed   ports that it received, and where it sent them
 * @property {LinkEnd[]} links
 * @property {{ facts: number, timed: number, ms: number }} own   cost of recording: total time of the `timed` ones among all `facts`
 * @property {number} unrecordedLinks
 * @property {string[]} errors
 */

/** @param {LinkFacts} facts @returns {LinkEnd} */
function makeLink(facts) {
  return {
    facts,
    sent: 0,
    failed: 0,
    received: 0,
    kinds: { text: 0, bytes: 0, value: 0 },
    withTransfer: 0,
    unsized: 0,
    bytes: new WeightedHistogram(),
    sizes: { messages: 0, weights: 0, squares: 0, weighted: 0, weightedSquare: 0 },
    skipped: 0,
    sendUs: new WeightedHistogram(),
    sentMs: [],
    finder: new RequestPairs(),
    byPort: new OpenRequests(),
    pairs: null,
    fields: new Map(),
    sample: [],
    sampleSize: Infinity,
  };
}

/**
 * @param {Buffer} file
 * @param {{ fromMs?: number, stopped?: RecordedProcess['stopped'] }} [span]   messages before `fromMs`, and after the recording was stopped,
 *   are left out
 * @returns {RecordedProcess | null} null if the first fact is missing or incomplete
 */
export function readPart(file, { fromMs = -Infinity, stopped = null } = {}) {
  const untilMs = stopped?.ms ?? Infinity;
  /** @type {Map<number, LinkEnd>} */
  const links = new Map();
  /** @type {RecordedProcess} */
  const part = {
    pid: -1,
    parentPid: -1,
    thread: 0,
    label: '',
    isChild: false,
    isComplete: false,
    stopped,
    startedMs: 0,
    writtenMs: 0,
    processes: [],
    threads: [],
    between: [],
    passed: [],
    links: [],
    own: { facts: 0, timed: 0, ms: 0 },
    unrecordedLinks: 0,
    errors: [],
  };
  /** @type {Record<string, (content: any) => void>} by the name of the fact */
  const readers = {
    start: (start) => Object.assign(part, start),
    label: (label) => Object.assign(part, { label }),
    link: ({ number, ...facts }) => {
      const known = links.get(number);
      if (known === undefined) links.set(number, makeLink(facts));
      else known.facts = facts;
    },
    field: ({ link, bit, name }) => links.get(link)?.fields.set(bit, name),
    sample: (sample) => addToSample(links.get(sample.link), sample),
    process: (process) => part.processes.push(process),
    thread: (thread) => part.threads.push(thread),
    between: (between) => part.between.push(between),
    passed: (passed) => part.passed.push(passed),
    own: (own) => Object.assign(part, { own }),
    end: ({ ms, ...facts }) => Object.assign(part, facts, { isComplete: true }),
  };
  /** @param {string} text */
  const onText = (text) => {
    for (const [name, content] of Object.entries(JSON.parse(text))) {
      readers[name]?.(content);
      if (content?.ms > part.writtenMs) part.writtenMs = content.ms;
    }
  };
  readFacts(file, onText, (fact) => {
    part.writtenMs = Math.max(part.writtenMs, fact.ms);
    const link = links.get(fact.link);
    if (link === undefined || fact.ms < fromMs || fact.ms >= untilMs) return;
    addMessage(link, fact);
    if (fact.flags & BY_PORT && fact.flags & RECEIVED)
      links.get(fact.requestLink)?.byPort.receive(fact.request, fact.ms);
  });
  if (part.pid === -1) return null;
  part.writtenMs = Math.min(untilMs, Math.max(part.writtenMs, part.startedMs));
  part.links = [...links.values()];
  for (const link of part.links) link.pairs = pairsOf(link);
  return part;
}

/** @param {LinkEnd} link @returns {LinkEnd['pairs']} */
function pairsOf({ finder, byPort, fields, sent }) {
  const byField = finder.save();
  const pairs = byPort.save(null, sent);
  if (byField === null || Number(pairs?.paired) > byField.paired) return pairs && { ...pairs, name: null };
  return { ...byField, name: fields.get(Number(byField.field)) ?? '' };
}

/** @param {LinkEnd | undefined} link @param {SampledMessage & { link: number, of: number }} sample */
function addToSample(link, { link: _, of, ...message }) {
  if (link === undefined) return;
  link.sampleSize = of;
  link.sample.push(message);
}

/** @param {LinkEnd} link @param {MessageFact} fact */
function addMessage(link, { flags, ms, bytes, sendNs, request, present, hashes }) {
  if (flags & FAILED) {
    link.failed += 1;
    return;
  }
  if (flags & RECEIVED) {
    link.received += 1;
    link.finder.add(false, ms, present, hashes);
    return;
  }
  link.sent += 1;
  if (flags & BY_PORT) link.byPort.send(request, ms);
  link.sentMs.push(ms);
  link.sendUs.record(sendNs / NS_PER_US);
  link.finder.add(true, ms, present, hashes);
  link.kinds[flags & IS_TEXT ? 'text' : flags & IS_BYTES ? 'bytes' : 'value'] += 1;
  if (flags & WITH_TRANSFER) link.withTransfer += 1;
  if (bytes === UNSIZABLE) link.unsized += 1;
  else if (bytes === UNMEASURED) link.skipped += 1;
  else addSize(link, bytes);
}

/** @param {LinkEnd} link @param {number} bytes */
function addSize(link, bytes) {
  // A measured message also represents the messages since the previous measured one, whose sizes are unknown.
  const weight = 1 + link.skipped;
  link.skipped = 0;
  link.bytes.record(bytes, weight);
  const { sizes } = link;
  sizes.messages += 1;
  sizes.weights += weight;
  sizes.squares += weight ** 2;
  sizes.weighted += weight ** 2 * bytes;
  sizes.weightedSquare += (weight * bytes) ** 2;
}
