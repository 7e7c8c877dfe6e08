/// <reference lib="dom" />
// Data that the page brings along, compressed: unpacked once, when it is first asked for.

import { byId } from './element.js';

/** @type {Map<string, Promise<string>>} */
const unpacked = new Map();

/** @param {string} id @returns {Promise<string>} */
export function embeddedText(id) {
  const known = unpacked.get(id) ?? unpack(byId(id).textContent ?? '');
  unpacked.set(id, known);
  return known;
}

/** @param {string} base64 @returns {Promise<string>} */
function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).text();
}

/** @param {string} name @returns {Promise<any>} */
export async function embedded(name) {
  return JSON.parse(await embeddedText(`data-${name}`));
}
