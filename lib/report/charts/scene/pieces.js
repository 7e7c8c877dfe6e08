// What a chart counts payloads in: bytes, or the pieces that a scenario makes them of, such as records.

import { formatBytes, formatCount } from '../../../format/numbers.js';
import { labelText } from '../figures/series.js';
import { payloadTick, si } from '../text/quantity-words.js';

/** @import { Cell, Results } from '../../../types/index.js' */
/** @typedef {{ title: string, plural: string, axisName: string, count: number, text: string, fileName: string, tick: (count: number) => string }} Counted */

/** @param {Results} results @param {Cell} cell @returns {Counted} its payload */
export function countedPayload({ scenarios, options }, { scenario, payloadBytes, content }) {
  const pieces = scenarios[scenario]?.pieces;
  if (pieces === undefined) {
    const bytes = formatBytes(payloadBytes);
    const isOfFile = content !== undefined && content === options.messageFile?.content;
    return {
      title: 'payload',
      plural: 'payloads',
      axisName: 'payload',
      count: payloadBytes,
      fileName: `${payloadBytes}B`,
      text: isOfFile ? `${labelText(content)} (mean ${bytes})` : `${bytes} payload`,
      tick: payloadTick,
    };
  }
  const name = labelText(pieces.name);
  const count = payloadBytes / pieces.bytes;
  const axisName = name.replace(/[^a-z0-9]+/gi, '-');
  return {
    title: name,
    plural: `numbers of ${name}`,
    axisName,
    count,
    tick: si,
    text: `${formatCount(count)} ${name}`,
    fileName: `${count}-${axisName}`,
  };
}
