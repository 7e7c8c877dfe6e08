// The messages of a file: their number and sizes, how their fields differ, and which codecs carry them as texts.

import { counted, ifAny, listed } from '../../format/lists.js';
import { formatBytes } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { differingSizes } from '../../record/traffic-file.js';
import { isMeasured } from '../../results/measured-outcomes.js';

/** @import { Cell, MessageFile, Outcome, ReplaySizes, Results } from '../../types/index.js' */

const DIFFERENCES_SHOWN = 3;

/** @param {MessageFile['bytes']} bytes @param {string} [unit] */
function sizesText({ mean, least, p50, p90, p99, greatest }, unit = '') {
  return least === greatest
    ? `each ${formatBytes(least)}${unit}`
    : `${formatBytes(least)} to ${formatBytes(greatest)}${unit}: p50 ${formatBytes(p50)}, p90 ${formatBytes(p90)}, ` +
        `p99 ${formatBytes(p99)}, mean ${formatBytes(mean)}`;
}

/** @param {ReplaySizes} sizes @returns {string} */
export function sizesSentence({ channel, recordedBytes, replayedBytes }) {
  return `Serialised as in the program, the recorded messages of channel ${channel} have ${formatBytes(recordedBytes)} on average and the replayed ones ${formatBytes(replayedBytes)}: the answer holds for the replayed sizes.`;
}

/** @param {MessageFile | undefined} file @returns {string[]} */
export function messageLines(file) {
  if (file === undefined) return [];
  const {
    content,
    format,
    messages,
    bytes,
    responses,
    replaySizes = [],
    differences,
    moreDifferences,
    rounded,
  } = file;
  const shown = differences.slice(0, DIFFERENCES_SHOWN).map(printable);
  const rest = differences.length + moreDifferences - shown.length;
  return [
    `${printable(content)} has ${counted(messages, 'message', 'messages')}, ${sizesText(bytes, format === 'json' ? ' as compact JSON' : '')}.`,
    ...(responses === undefined
      ? []
      : [`Its responses, of channel ${responses.channel}: ${sizesText(responses.bytes)}.`]),
    ...differingSizes(replaySizes).map(sizesSentence),
    ...ifAny(
      shown,
      () => `Differences between their fields: ${shown.join('; ')}${rest === 0 ? '' : `; and ${rest} more`}.`,
    ),
    ...(rounded === undefined
      ? []
      : [
          `${counted(rounded.messages, 'message has a number', 'messages have numbers')} with more digits than JavaScript keeps, as above 2^53, first on line ${rounded.line}: what is sent is rounded. Texts keep all digits.`,
        ]),
  ];
}

/**
 * @param {Pick<Results, 'options' | 'codecs'>} results
 * @param {Cell} cell
 * @returns {boolean} true if its codec carries the objects of the file as compact JSON and leaves parsing to the program
 */
export function carriesTextsOfObjects({ options: { messageFile }, codecs = {} }, { codec, content }) {
  const hasObjects = messageFile !== undefined && messageFile.format !== 'text';
  return hasObjects && content === messageFile.content && codecs[codec]?.carriesTexts === true;
}

/** @param {Results} results @param {Outcome[]} [outcomes] @returns {string[]} */
export function messageNotes(results, outcomes = results.outcomes) {
  const { messageFile } = results.options;
  const ofFile = outcomes.filter(isMeasured).filter(({ cell }) => cell.content === messageFile?.content);
  if (messageFile === undefined || ofFile.length === 0) return [];
  const ofTexts = [
    ...new Set(
      ofFile.filter(({ cell }) => carriesTextsOfObjects(results, cell)).map(({ cell }) => cell.codec),
    ),
  ];
  const verb = ofTexts.length === 1 ? 'carries' : 'carry';
  return [
    ...messageLines(messageFile),
    ...ifAny(
      ofTexts,
      () =>
        `${printable(listed(ofTexts))} ${verb} the compact JSON of a message as a text; other codecs carry its object.`,
    ),
  ];
}
