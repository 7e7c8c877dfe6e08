// A replay under the recorder: its messages are timed as those of the program were, so that the two can be compared.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../children/run-directory.js';
import { joinParts } from '../record/join-parts.js';
import { readCosts } from '../record/traffic-costs.js';
import { recordedSince } from '../record/weighted-histogram.js';
import { runLaunch } from '../run/launch.js';
import { measureSides } from './measuring.js';
import { nodeOptions, readParts } from './record.js';

/** @import { Part } from '../record/preload.js' */
/** @import { TrafficChannel } from '../record/traffic-file.js' */
/** @import { Host } from './main.js' */
/** @import { Prepared } from './prepare.js' */
/**
 * What a launch took of a message with its response, in µs: at the end that sends the messages and at the other one. decoded: messages
 * that were deserialised again, and those that they stand for.
 * @typedef {{ fromUs: number, toUs: number, messages: number, decoded: number }} HeardLaunch
 */

const KEY = 'replay'; // nothing of it leaves this program
const FEWEST = 50; // messages after the warm-up

/** @typedef {{ hasResponses: boolean, isFromMaster: boolean }} Directions   isFromMaster: the messages, not their responses */

/**
 * @param {Prepared} prepared   a single row
 * @param {Directions} directions
 * @param {Host} host
 * @returns {Promise<{ launches: HeardLaunch[], stoppedWith: number | null }>} none: they failed, or could not be heard
 */
export async function replayHeard({ options, plugins, plan }, directions, host) {
  /** @type {HeardLaunch[]} */
  const launches = [];
  /** @type {typeof runLaunch} */
  const launch = async (spec, settings) => {
    const folder = mkdtempSync(join(tmpdir(), 'ipc-bench-heard-'));
    /** @type {Part[]} */
    let warm = [];
    try {
      const end = await (host.launch ?? runLaunch)(spec, {
        ...settings,
        tells: { NODE_OPTIONS: nodeOptions({ folder, key: KEY, hasContents: false }, host) },
        onPhase(phase) {
          if (phase === 'measure') warm = readParts(folder);
          settings.onPhase?.(phase);
        },
      });
      const heard = end.kind === 'done' ? readLaunch(warm, readParts(folder), directions) : null;
      if (heard !== null) launches.push(heard);
      return end;
    } finally {
      await removeFolder(folder);
    }
  };
  const { stoppedWith } = await measureSides(
    [{ options, plugins, plan, resultsPath: null }],
    { ...options, live: false },
    { ...host, launch },
  );
  return { launches, stoppedWith };
}

/** @param {Part[]} warm   as they were when the window opened @param {Part[]} parts @param {Directions} directions @returns {HeardLaunch | null} null: nothing was heard */
function readLaunch(warm, parts, { hasResponses, isFromMaster }) {
  const [channels, before] = [parts, warm].map((some) =>
    some.length === 0 ? [] : joinParts(some, (name) => name).channels,
  );
  const ends = isFromMaster ? ['master', 'worker'] : ['worker', 'master'];
  const [there, back] = ends.map((from) => {
    const found = findDirection(channels, from);
    const earlier = findDirection(before, from);
    return found && earlier && found.messages - earlier.messages >= FEWEST ? since(found, earlier) : found;
  });
  if (there === null) return null;
  const sent = readCosts(there);
  // Without responses only the controller of the launch speaks there.
  const returned = back === null || !hasResponses ? { sendUs: 0, receiveUs: 0 } : readCosts(back);
  return {
    fromUs: sent.sendUs + returned.receiveUs,
    toUs: sent.receiveUs + returned.sendUs,
    messages: there.messages,
    decoded: there.decodeUs.count,
  };
}

/** @param {TrafficChannel[]} channels @param {string} from   'worker' or 'master' @returns {TrafficChannel | null} the busiest from there to the other one */
function findDirection(channels, from) {
  const to = from === 'worker' ? 'master' : 'worker';
  return (
    channels.find((each) => each.from.startsWith(`${from}.js`) && each.to.startsWith(`${to}.js`)) ?? null
  );
}

/** @param {TrafficChannel} later @param {TrafficChannel} earlier @returns {TrafficChannel} */
function since(later, earlier) {
  return {
    ...later,
    messages: later.messages - earlier.messages,
    sendUs: recordedSince(later.sendUs, earlier.sendUs),
    decodeUs: recordedSince(later.decodeUs, earlier.decodeUs),
  };
}
