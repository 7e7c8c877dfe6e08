// Numbers and texts within bounds. TypeScript does not know bounds: test/fixtures/refresh-schema.js puts them into the schemas.

/** @typedef {number} Count               an integer from 0 */
/** @typedef {number} Positive            an integer from 1 */
/** @typedef {number} Several             an integer from 2 */
/** @typedef {number} NonNegative         from 0 */
/** @typedef {number} Share               from 0 to 1 */
/** @typedef {string} Name                of 1 to 300 characters */
/** @typedef {string} MeasureName         a key of results: letters and digits, a small letter first, at most 80 */
/** @typedef {string} Word                of 1 character or more */
/** @typedef {string} LongText            of at most 10,000 characters */
/** @typedef {string} Instant             ISO 8601, UTC */

export {};
