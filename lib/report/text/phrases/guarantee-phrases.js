// Phrases on lost messages, and on the jobs of killed workers.

import { listed } from '../../../format/lists.js';
import { formatCount } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { nameOfRow } from '../names.js';

const NAMES_SHOWN = 4;

/** @param {Record<string, number | null>} numbers @returns {string | null} '3 of 1,204,332 lost, 1 late'; null if none was lost or late */
function lossText(numbers) {
  const [requests, lost, late] = [numbers.requests, numbers.lost, numbers.late].map(Number);
  if (lost + late === 0) return null;
  const of = ` of ${formatCount(requests)}`;
  const texts = [
    ...(lost > 0 ? [`${formatCount(lost)}${of} lost`] : []),
    ...(late > 0 ? [`${formatCount(late)}${lost > 0 ? '' : of} late`] : []),
  ];
  return texts.join(', ');
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const GUARANTEE_PHRASES = {
  /** 'Jobs of killed workers, redis-list/json: 9 lost, none done twice; guarantee: at most once.' */
  guarantee({ rows, numbers, names, verdict }) {
    /** @param {number | null} jobs */
    const count = (jobs) => (jobs === 0 ? 'none' : formatCount(Number(jobs)));
    const end = verdict === 'worse' ? ' (violated)' : '';
    const text = `${count(numbers.lost)} lost, ${count(numbers.doneTwice)} done twice; guarantee: ${printable(names.guarantee)}${end}`;
    return [`Jobs of killed workers, ${listed(rows.map(nameOfRow), NAMES_SHOWN)}: ${text}.`];
  },

  /** The brief form is empty if no message was lost or late. */
  losses({ rows, numbers, names }, isBrief) {
    const lost = lossText(numbers);
    if (isBrief && lost === null) return [];
    const name = `${names.what === 'responses' ? 'Responses of' : 'Messages of'} ${printable(rows[0].row)}`;
    const what = lost ?? `none of ${formatCount(Number(numbers.requests))} lost or late`;
    const order =
      numbers.reordered === 0 ? 'in order' : `${formatCount(Number(numbers.reordered))} out of order`;
    return [`${name}: ${what}; ${order}.`];
  },
};
