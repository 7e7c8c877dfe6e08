// HTML templates, which escape all values except markup.

const ENTITIES = Object.freeze({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' });

export class Markup {
  /** @param {string} text   HTML */
  constructor(text) {
    this.text = text;
  }
}

/** @typedef {string | number | Markup | null | readonly (string | Markup)[]} MarkupPart */

/** @param {MarkupPart} part @returns {string} */
function partText(part) {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(partText).join('');
  return String(part).replace(
    /[&<>"']/g,
    (letter) => ENTITIES[/** @type {keyof typeof ENTITIES} */ (letter)],
  );
}

/** @param {TemplateStringsArray} strings @param {MarkupPart[]} parts @returns {Markup} */
export function html(strings, ...parts) {
  return new Markup(
    strings.map((text, index) => (index === 0 ? '' : partText(parts[index - 1])) + text).join(''),
  );
}
