// What all that hears in a process or a thread shares: the clock, the links, the budget, and care that the program does not see
// the recorder fail.

import { HeardLink, LookBudget } from './heard-link.js';
import { NameReplacer } from './message-shape.js';

/** @import { LinkFacts } from './heard-link.js' */

const readClock = performance.now.bind(performance);
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - readClock();
/** @returns {number} ms of a clock that all processes share */
export const now = () => readClock() + OFFSET_MS;

const MOST_LINKS = 1_000;
const MOST_ERRORS = 10;

export class Recorder {
  /** @param {URLSearchParams} parameters   of the preloaded module */
  constructor(parameters) {
    this.surroundings = {
      now,
      budget: new LookBudget(now),
      names: new NameReplacer(String(parameters.get('key'))),
      keepsContents: parameters.has('contents'),
    };
    /** @type {HeardLink[]} */
    this.links = [];
    /** @type {Map<string, number>} */
    this.errors = new Map();
  }

  /** @param {() => void} work   of the recorder: the program must not see it fail */
  guard(work) {
    try {
      work();
    } catch (error) {
      this.keepError(error);
    }
  }

  /** @param {unknown} error */
  keepError(error) {
    const { name, stack } = /** @type {Error} */ (error);
    // The message of an error may quote what the program sends.
    const text = `${name} ${/** @type {any} */ (error).code ?? ''} ${stack?.match(/[\w-]+\.js\S*:\d+:\d+/)?.[0] ?? ''}`;
    if (this.errors.size < MOST_ERRORS || this.errors.has(text))
      this.errors.set(text, (this.errors.get(text) ?? 0) + 1);
  }

  /** @param {LinkFacts} facts @returns {HeardLink | null} null: there are too many */
  addLink(facts) {
    if (this.links.length === MOST_LINKS) return null;
    const link = new HeardLink(facts, this.surroundings);
    this.links.push(link);
    return link;
  }
}

/**
 * @param {any} target
 * @param {string | symbol} name
 * @param {(original: any) => (this: any, ...args: any[]) => any} wrap
 */
export function replace(target, name, wrap) {
  const found = Object.getOwnPropertyDescriptor(target, name);
  const original = target[name];
  const wrapped = wrap(original);
  for (const property of ['name', 'length'])
    Object.defineProperty(wrapped, property, { value: original[property], configurable: true });
  Object.defineProperty(target, name, {
    writable: true,
    configurable: true,
    enumerable: false,
    ...found,
    value: wrapped,
  });
}
