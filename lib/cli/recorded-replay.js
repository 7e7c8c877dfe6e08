// Runs a replay under the recorder, so that its messages are timed in the same way as those of the recorded program.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemNowMs } from '../machine/clock.js';
import { joinParts } from '../record/join-parts.js';
import { readRecording } from '../record/read-recording.js';
import { recordingEnvironment } from '../record/recording-environment.js';
import { readCosts } from '../record/traffic-costs.js';
import { isMeasured } from '../results/measured-outcomes.js';
import { runLaunch } from '../run/launch.js';
import { measureSides } from './measuring.js';

/** @import { TrafficChannel } from '../types/recordings.js' */
/** @import { Host } from './main.js' */
/** @import { PreparedOptions } from './prepare.js' */
/** @typedef {{ hasResponses: boolean, isFromMaster: boolean }} Directions   `isFromMaster`: whether the master sends the messages */

const KEY = 'replay'; // any key will do, because the recording is not saved

/**
 * @param {PreparedOptions} prepared   a plan with a single row
 * @param {Directions} directions
 * @param {Host} host
 * @returns {Promise<{ messageUs: number[], stoppedWith: number | null }>} `messageUs` has one value for each successful launch with
 *   recorded messages: the time to send and to deserialise a message and its response, if any
 */
export async function replayRecorded({ options, plugins, plan }, directions, host) {
  const side = { options, plugins, plan, resultsPath: null };
  const launch = recordingLaunch(directions, host);
  const { results, stoppedWith } = await measureSides(
    [side],
    { ...options, isRanked: false },
    { ...host, launch },
  );
  const launches = results
    .flatMap(({ outcomes }) => outcomes.filter(isMeasured))
    .flatMap((row) => row.launches);
  return { messageUs: launches.flatMap(({ recordedUs }) => recordedUs ?? []), stoppedWith };
}

/** @param {Directions} directions @param {Host} host @returns {typeof runLaunch} reports `recordedUs` if messages were recorded */
function recordingLaunch(directions, { launch = runLaunch, environment }) {
  return async (spec, settings) => {
    const folder = join(spec.scratchDir, 'recording'); // removed with the folder of the launch
    await mkdir(folder, { mode: 0o700 });
    let fromMs = 0;
    const end = await launch(spec, {
      ...settings,
      variables: recordingEnvironment({ folder, key: KEY, hasContents: false }, environment),
      onPhase(phase) {
        if (phase === 'measure') fromMs = systemNowMs();
        settings.onPhase?.(phase);
      },
    });
    const recordedUs = end.kind === 'done' ? readMessageUs(folder, fromMs, directions) : null;
    return end.kind === 'failed' || recordedUs === null
      ? end
      : { ...end, fields: { ...end.fields, recordedUs } };
  };
}

/**
 * @param {string} folder
 * @param {number} fromMs   start of the window
 * @param {Directions} directions
 * @returns {number | null} µs to send and to deserialise a message, and its response if any; null if no message of the sending end was recorded
 */
function readMessageUs(folder, fromMs, { hasResponses, isFromMaster }) {
  const { parts } = readRecording(folder, fromMs);
  if (parts.length === 0) return null;
  const { channels } = joinParts(parts);
  const costUs = (/** @type {string} */ from) => {
    const found = findDirection(channels, from);
    if (found === null) return null;
    const { sendUs, receiveUs } = readCosts(found);
    return sendUs + receiveUs;
  };
  const [sender, receiver] = isFromMaster ? ['master', 'worker'] : ['worker', 'master'];
  const sentUs = costUs(sender);
  // Without responses, the other direction carries control messages only.
  return sentUs === null ? null : sentUs + (hasResponses ? (costUs(receiver) ?? 0) : 0);
}

/**
 * Finds the busiest channel in one direction.
 * @param {TrafficChannel[]} channels   in descending order of messages
 * @param {string} from   'worker' or 'master'
 * @returns {TrafficChannel | null}
 */
function findDirection(channels, from) {
  const to = from === 'worker' ? 'master' : 'worker';
  return (
    channels.find((channel) => channel.from.startsWith(`${from}.js`) && channel.to.startsWith(`${to}.js`)) ??
    null
  );
}
