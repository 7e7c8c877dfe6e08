/// <reference lib="dom" />
// The document that the page is: its elements, the data that it brings along, and files out of it.

/**
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children]   text goes in as text, whatever it holds
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** @param {string} label @param {HTMLElement} content @returns {HTMLElement} what is wider than the window, with a name for screen readers */
export const scrollBox = (label, content) =>
  element('div', { class: 'scroll table', tabindex: '0', role: 'region', 'aria-label': label }, [content]);

/** @param {string[]} texts */
export const listOf = (texts) =>
  element(
    'ul',
    {},
    texts.map((text) => element('li', {}, [text])),
  );

/** @param {string} id @returns {HTMLElement} of the document as it was written */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** @type {Map<string, Promise<string>>} */
const unpacked = new Map();

/** @param {string} id @returns {Promise<string>} what stands there compressed: unpacked once, when it is first asked for */
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

/** @param {Blob} blob @param {string} name   of the file that the reader gets, without a server */
export function saveFile(blob, name) {
  const url = URL.createObjectURL(blob);
  element('a', { href: url, download: name }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
