// Whether a stream gets ANSI colours: each stream is asked apart, since one may be a file and the other a terminal.

/**
 * The flag decides, then FORCE_COLOR, then NO_COLOR, as in Node itself; an empty NO_COLOR asks for nothing.
 * Sources: no-color.org; force-color.org.
 * @param {{ isTTY?: boolean }} stream
 * @param {boolean | null} choice     of the user
 * @param {Record<string, string | undefined>} environment
 * @returns {boolean}
 */
export function wantsColour(stream, choice, environment) {
  if (choice !== null) return choice;
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = environment;
  if (forced) return !['0', 'false'].includes(forced);
  return stream.isTTY === true && !refused && terminal !== 'dumb';
}
