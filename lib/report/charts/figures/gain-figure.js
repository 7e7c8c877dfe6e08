// The figure of what a recorded program would gain: for each channel a bar of a core's share now, and one of the best row.

import { formatPercent } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { bestRow } from '../../recommend/traffic-gain.js';
import { linearAxis } from '../scene/chart-axes.js';
import { FIGURE_PX } from '../scene/layout.js';
import { COLOURS, PART_COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { plainLook } from '../style/palette.js';
import { linearEnd } from '../text/quantity-words.js';
import { labelText } from '../text/short-texts.js';
import { barsOf, barsOfRows, heightOf, namesPx, rowPoint } from './rows.js';

/** @import { Traffic } from '../../../record/traffic-file.js' */
/** @import { ChannelGain } from '../../recommend/traffic-gain.js' */
/** @import { Figure, Look, Mark } from '../scene-types.js' */
/** @typedef {{ label: string, look: Look, share: number, low: number, high: number, text: string }} Bar   in % of a core */

const VALUE_GAP_PX = 10;
const PERCENT = 100;
const { ink, background } = COLOURS.light;
const NOW = plainLook(PART_COLOURS.grey);
const BEST = plainLook(PART_COLOURS.mint);

/**
 * @param {Traffic} traffic
 * @param {ChannelGain[]} gains
 * @param {number} [widthPx]
 * @returns {Figure | null} in light colours; null: nothing is gained
 */
export function gainFigure(traffic, gains, widthPx = FIGURE_PX) {
  const bars = gains.flatMap(barsOfChannel);
  if (bars.length === 0) return null;
  const rows = bars.map(({ label, look }) => ({ label, look, outcome: null }));
  const rightPx = Math.ceil(Math.max(...bars.map(({ text }) => textPx(text)))) + VALUE_GAP_PX + 4;
  /** @type {Mark[]} */
  const marks = bars.map(({ share, high, text }, index) => ({
    datasetIndex: 0,
    index,
    value: Math.max(share, high),
    dx: VALUE_GAP_PX,
    text,
    colour: ink,
    halo: background,
  }));
  const configuration = barsOfRows(rows, {
    x: linearAxis({
      title: '% of a core, all processes of the replay',
      ...linearEnd(Math.max(...bars.map(({ high }) => high))),
    }),
    datasets: [
      barsOf(
        'share of a core',
        bars.map(({ label, share, low, high }) =>
          rowPoint(label, { estimate: share, low, high, n: low === high ? 1 : undefined }),
        ),
        bars.map(({ look }) => look),
        { whiskers: { colour: ink, halo: background, capPx: 8 } },
      ),
    ],
    marks,
    labelPx: namesPx(rows),
    rightPx,
  });
  const title = `${labelText(printable(traffic.program))}: CPU time of its messages`;
  const message = bars.map(({ label, text }) => `${label} ${text}`).join(', ');
  return {
    name: 'gain',
    title,
    message: 'Now, and with the best row, at the recorded rate',
    legend: [
      { text: 'now', swatch: { kind: 'bar', look: NOW } },
      { text: 'best row', swatch: { kind: 'bar', look: BEST } },
    ],
    columns: 1,
    labelPx: 0,
    panelPx: heightOf(rows),
    panels: [{ title: '', configuration }],
    notes: [],
    hasIntervals: false,
    widthPx,
    theme: 'light',
    below: [
      [{ text: 'whiskers: the interval of what is saved, 95 % for all rows together', rank: 1 }],
      [{ text: `recorded on ${printable(traffic.recordedAt.slice(0, 10))}`, rank: 1 }],
    ],
    altText: `${title}. ${message}.`,
    cells: [],
  };
}

/** @param {ChannelGain} gain @returns {Bar[]} none without a gain */
function barsOfChannel(gain) {
  const best = bestRow(gain);
  const [present] = gain.rows;
  if (best === null || best.saved === null || present?.share == null) return [];
  const { number } = gain.conversation.channel;
  const now = PERCENT * present.share;
  const { estimate, low, high } = best.saved;
  const left = (/** @type {number} */ saved) => Math.max(0, now - PERCENT * saved);
  const text = (/** @type {number} */ percent) => formatPercent(percent / PERCENT, 2);
  return [
    {
      label: `${number}: ${printable(present.name)}`,
      look: NOW,
      share: now,
      low: now,
      high: now,
      text: text(now),
    },
    {
      label: `${number}: ${printable(best.name)}`,
      look: BEST,
      share: left(estimate),
      low: left(high),
      high: left(low),
      text: text(left(estimate)),
    },
  ];
}
