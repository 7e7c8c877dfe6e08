// What can be changed in a source so that a test should notice: where, how, and a seeded sample of it.

import { parse } from 'acorn';
import { groupedBy } from '../../lib/format/lists.js';

/**
 * @typedef {object} Mutation
 * @property {number} from       offsets of the text that is replaced
 * @property {number} to
 * @property {string} text       that stands there instead
 * @property {number} at         offset of the code that must be executed for the mutation to matter
 * @property {number} line       from 1
 * @property {string} mutator    its kind
 * @property {string} summary    '`<=` -> `<`'
 */
/** @typedef {{ type: string, start: number, end: number } & Record<string, any>} AstNode */

/** @type {Readonly<Record<string, string>>} */
const OPPOSITES = Object.freeze({
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
});
const COMPARISON = /^[=!<>]/;
const LONGEST_SUMMARY = 60;
// Otherwise a quarter of the sample would be of this kind, which most tests notice.
const RETURN_EARLY_SHARE = 0.35;

/** @param {string} source   of an ES module @returns {Mutation[]} */
export function mutationsIn(source) {
  /** @type {Mutation[]} */
  const found = [];
  /** @param {string} mutator @param {number} from @param {number} to @param {string} text @param {string} summary @param {number} [at] */
  const add = (mutator, from, to, text, summary, at = from) => {
    const line = source.slice(0, from).split('\n').length;
    found.push({ from, to, text, at, line, mutator, summary: oneLine(summary).slice(0, LONGEST_SUMMARY) });
  };
  const written = (/** @type {AstNode} */ node) => source.slice(node.start, node.end);
  /** @type {Record<string, (node: AstNode) => void>} */
  const visitors = {
    Literal(node) {
      if (typeof node.value !== 'number') return;
      const text = String(node.value + 1);
      add('constant', node.start, node.end, text, `\`${written(node)}\` -> \`${text}\``);
    },
    BinaryExpression: swapOperator,
    LogicalExpression: swapOperator,
    IfStatement: negate,
    ConditionalExpression: negate,
    AwaitExpression(node) {
      add(
        'await',
        node.start,
        node.start + 'await'.length,
        '',
        `drop await of \`${written(node.argument)}\``,
      );
    },
    ExpressionStatement(node) {
      if (node.directive === undefined)
        add('statement', node.start, node.end, ';', `remove \`${written(node)}\``);
    },
    FunctionDeclaration: returnEarly,
    FunctionExpression: returnEarly,
    ArrowFunctionExpression: returnEarly,
  };

  /** @param {AstNode} node */
  function swapOperator({ start, end, operator, left, right }) {
    const opposite = OPPOSITES[operator];
    // Texts that are joined become NaN otherwise, which proves little.
    if (opposite === undefined || (operator === '+' && (isText(left) || isText(right)))) return;
    const from = left.end + source.slice(left.end, right.start).indexOf(operator);
    const kind = COMPARISON.test(operator) ? 'comparison' : opposite.length === 2 ? 'and/or' : 'arithmetic';
    const summary = `\`${operator}\` -> \`${opposite}\` in \`${source.slice(left.start, right.end)}\``;
    if (operator === '??') {
      // It may not stand beside && without parentheses.
      const [first, second] = [left, right].map((side) => `(${source.slice(side.start, side.end)})`);
      return add(kind, start, end, `(${first} ${opposite} ${second})`, summary, left.start);
    }
    // The right side of && is not always executed, the operator is.
    add(kind, from, from + operator.length, opposite, summary, left.start);
  }

  /** @param {AstNode} node */
  function negate({ test }) {
    add('condition', test.start, test.end, `!(${written(test)})`, `negate \`${written(test)}\``);
  }

  /** @param {AstNode} node */
  function returnEarly({ body }) {
    if (body.type !== 'BlockStatement' || body.body.length === 0) return;
    add('return early', body.start, body.start + 1, '{ return;', 'return early', body.body[0].start);
  }

  for (const node of nodesIn(parse(source, { ecmaVersion: 'latest', sourceType: 'module' })))
    visitors[node.type]?.(node);
  return found;
}

/** @param {AstNode} node */
function isText({ type, value }) {
  return type === 'TemplateLiteral' || typeof value === 'string';
}

/** @param {any} node @returns {Generator<AstNode>} it, and all within it */
function* nodesIn(node) {
  if (typeof node?.type === 'string') yield node;
  for (const child of Object.values(node ?? {})) {
    if (typeof child === 'object' && child !== null) yield* nodesIn(child);
  }
}

/** @param {string} source @param {Mutation} mutation @returns {string} */
export function mutated(source, { from, to, text }) {
  return source.slice(0, from) + text + source.slice(to);
}

/** @param {string} text */
function oneLine(text) {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/**
 * @param {string} source
 * @param {Mutation} mutation
 * @returns {{ before: string, after: string }} the lines that it changes, by which it is known wherever they move to
 */
export function changedLines(source, { from, to, text }) {
  const start = source.lastIndexOf('\n', from - 1) + 1;
  const ends = source.indexOf('\n', to);
  const end = ends === -1 ? source.length : ends;
  return {
    before: oneLine(source.slice(start, end)),
    after: oneLine(source.slice(start, from) + text + source.slice(to, end)),
  };
}

/**
 * A random line that can be changed, then a random kind of change among those of that line: code in which much can be
 * changed on one line does not make up the sample.
 * @param {ReadonlyMap<string, string>} sources   by path
 * @param {number} count
 * @param {() => number} random
 * @returns {{ path: string, mutation: Mutation }[]} fewer where there are no more
 */
export function drawn(sources, count, random) {
  /** @template T @param {readonly T[]} list */
  const oneOf = (list) => list[Math.floor(random() * list.length)];
  const lines = [...sources].flatMap(([path, source]) =>
    [...groupedBy(mutationsIn(source), ({ line }) => line).values()].map((mutations) => ({
      path,
      mutations,
    })),
  );
  const sample = [];
  while (sample.length < count && lines.length > 0) {
    const place = Math.floor(random() * lines.length);
    const { path, mutations } = lines[place];
    const kind = oneOf([...new Set(mutations.map(({ mutator }) => mutator))]);
    if (kind === 'return early' && random() >= RETURN_EARLY_SHARE) continue;
    sample.push({ path, mutation: oneOf(mutations.filter(({ mutator }) => mutator === kind)) });
    lines.splice(place, 1);
  }
  return sample;
}
