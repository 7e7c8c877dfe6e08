// Whether tests are played in their long form, as the gate has it. The usual form plays a part of it.

export const IS_LONG = Boolean(process.env.LONG_TESTS);

/** Of a test: the reason to skip what the long form alone plays, or false. */
export const notInLongForm = IS_LONG ? false : 'with LONG_TESTS=1 only';

/** Options of such a test. */
export const LONG_ONLY = { skip: notInLongForm };
