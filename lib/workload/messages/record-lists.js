// Lists of records like those of services: each record has ten fields of common types, and the same number of bytes in JSON, so that
// twice as many records make a list about twice as long.

import { seededRandom } from '../../statistics/random.js';

/** @import { ValueSchema } from '../../types/index.js' */
/** @typedef {ReturnType<typeof makeRecord>} ListedRecord */

/** Bytes of a record in JSON, with its comma. */
export const RECORD_BYTES = 256;
const LISTS = 8; // several lists, so that a response with another list is detected
const FIRST_ID = 100_000;
const STATUSES = Object.freeze(['new', 'paid', 'packed', 'shipped', 'cancelled']);
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const SYMBOLS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const FIRST_MS = Date.UTC(2024, 0, 1);
const YEAR_MS = 366 * 86_400_000;

/** @type {ValueSchema} */
export const LIST_SCHEMA = Object.freeze({
  shape: {
    kind: 'list',
    items: {
      kind: 'object',
      fields: [
        { name: 'id', shape: { kind: 'integer' } },
        { name: 'price', shape: { kind: 'number' } },
        { name: 'isActive', shape: { kind: 'boolean' } },
        { name: 'code', shape: { kind: 'text' } },
        { name: 'status', shape: { kind: 'text' } },
        { name: 'createdAt', shape: { kind: 'text' } },
        { name: 'updatedMs', shape: { kind: 'number' } },
        { name: 'parentId', shape: { kind: 'integer', mayBeNull: true } },
        { name: 'name', shape: { kind: 'text' } },
        { name: 'description', shape: { kind: 'text' } },
      ],
    },
  },
  layouts: [
    [
      ...['id', 'price', 'isActive', 'code', 'status'],
      ...['createdAt', 'updatedMs', 'parentId', 'name', 'description'],
    ],
  ],
});

/** @param {number} seed @param {number} records   per list @returns {ListedRecord[][]} */
export function recordLists(seed, records) {
  const random = seededRandom(seed);
  /** @param {number} end */
  const below = (end) => Math.floor(random() * end);
  /** @param {string} from @param {number} count */
  const drawn = (from, count) => Array.from({ length: count }, () => from[below(from.length)]).join('');
  return Array.from({ length: LISTS }, (_, list) =>
    Array.from({ length: records }, (_, index) =>
      makeRecord(FIRST_ID + list * records + index, below, drawn),
    ),
  );
}

/** @param {number} id @param {(end: number) => number} below @param {(from: string, count: number) => string} drawn */
function makeRecord(id, below, drawn) {
  const createdMs = FIRST_MS + below(YEAR_MS);
  const record = {
    id,
    price: (1 + below(1_000_000)) / 100,
    isActive: below(2) === 1,
    code: drawn(SYMBOLS, 8),
    status: STATUSES[below(STATUSES.length)],
    createdAt: new Date(createdMs).toISOString(),
    updatedMs: createdMs + below(YEAR_MS),
    parentId: below(4) === 0 ? null : below(FIRST_ID),
    name: `${drawn(LETTERS, 3 + below(6))} ${drawn(LETTERS, 4 + below(8))}`,
    description: '',
  };
  const lacking = RECORD_BYTES - 1 - JSON.stringify(record).length;
  // Replaces every seventh letter by a space.
  record.description = drawn(LETTERS, lacking).replace(/(.{6})./g, '$1 ');
  return record;
}
