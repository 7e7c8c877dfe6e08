// Whether the long form of tests is run, as before a release. The usual form is a part of it.

export const IS_LONG = Boolean(process.env.LONG_TESTS);

/** Whether the form of CI or the long form is run: both test more than one of what shares its code. */
export const IS_WIDE = IS_LONG || Boolean(process.env.CI);

/** The reason to skip a test of the long form only, or false. */
export const notInLongForm = IS_LONG ? false : 'with LONG_TESTS=1 only';

/** The options of such a test. */
export const LONG_ONLY = { skip: notInLongForm };
