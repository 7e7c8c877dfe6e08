// A list in JSON → its elements, each as text with the line on which it begins: JSON.parse would not tell where a fault is.

/** @typedef {{ line: number, text: string }} Line */

const BLANK = /^\s*$/;
// What is escaped, a quote, what opens and closes, a comma, and what stands between them.
const TOKENS = /\\.|["[\]{},]|[^\\"[\]{},]+|\\$/g;

/**
 * @param {Line[]} lines    of which the first that is not blank begins with a bracket
 * @param {(line: number, why: string) => never} refuse
 * @returns {Line[]}
 */
export function elementsIn(lines, refuse) {
  /** @type {Line[]} */
  const elements = [];
  let text = '';
  let startLine = 0;
  let depth = 0;
  let isText = false;
  let isOver = false;
  /** @param {number} line   on which it ends */
  const end = (line) => {
    elements.push({ line: startLine || line, text });
    text = '';
    startLine = 0;
  };
  for (const { line, text: whole } of lines) {
    for (const [token] of whole.matchAll(TOKENS)) {
      if (isOver && !BLANK.test(token)) refuse(line, 'goes on behind the end of the list');
      if (token === '"') isText = !isText;
      const wasOutside = depth === 0;
      if (!isText && (token === '[' || token === '{')) depth += 1;
      if (!isText && (token === ']' || token === '}')) depth -= 1;
      if (wasOutside) continue;
      if (depth === 0) {
        isOver = true;
        if (startLine > 0 || elements.length > 0) end(line);
      } else if (!isText && depth === 1 && token === ',') end(line);
      else if (startLine > 0 || !BLANK.test(token)) {
        startLine ||= line;
        text += token;
      }
    }
    // A text does not go on in the next line.
    if (startLine > 0) text += '\n';
  }
  if (!isOver) refuse(lines.at(-1)?.line ?? 1, 'ends before the list does');
  return elements;
}
