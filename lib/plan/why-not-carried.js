// Why a codec cannot carry what a scenario, or a file of the user's own, sends as objects.

/** @import { Codec, Scenario, Transport, ValueSchema } from '../types/index.js' */

/**
 * @param {Scenario} scenario
 * @param {Transport} transport
 * @param {Codec} codec
 * @param {ValueSchema | null} ofFile   null: there are no objects in it, or there is no file
 * @returns {string | undefined}
 */
export function whyNotCarried({ name, carries, chosen = {} }, transport, codec, ofFile) {
  if (carries === undefined) {
    // Of a file, a codec without objects gets the texts.
    if (ofFile === null || transport.serialises?.includes(codec.name)) return undefined;
    const why = codec.values?.whyNot?.(ofFile);
    return why && `${codec.name} has no schema for the messages of the file: ${why}`;
  }
  const { schema, isUntouched } = carries(chosen);
  if (transport.serialises?.includes(codec.name)) {
    return isUntouched
      ? `${transport.name} serialises by itself: nothing that is encoded already can be handed on`
      : undefined;
  }
  if (codec.values === undefined) return `${codec.name} carries texts, and ${name} sends objects`;
  const why = codec.values.whyNot?.(schema);
  return why === undefined ? undefined : `${codec.name} has no schema for what ${name} sends: ${why}`;
}
