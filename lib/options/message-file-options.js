// --message-file: what its messages are like, read once before anything is measured. It stands for --payload and --content.

import { statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fieldDifferences } from '../scenario-kit/field-differences.js';
import { readMessages } from '../scenario-kit/message-file.js';
import { quoted } from '../words/quoted.js';
import { parseChoice } from './axis-options.js';
import { refuse } from './quantities.js';

/** @import { MessageFile, MessageFormat, Options } from '../types/index.js' */
/** @import { Find } from './output-options.js' */

const FORMATS = /** @type {const} */ (['json', 'text']);
const JSON_ENDINGS = ['.json', '.ndjson', '.jsonl'];
const MOST_DIFFERENCES = 20;
const NAME_CHARACTERS = 40;
const HASH_CHARACTERS = 8;

/** @param {Find} find @returns {Partial<Pick<Options, 'payloadBytes' | 'contents' | 'messageFile'>>} empty: there is none */
export function messageFileOptions(find) {
  const file = find('message-file');
  const format = find('message-format');
  if (file === undefined) {
    if (format !== undefined) refuse(format.source, 'says how --message-file is read; give that as well');
    return {};
  }
  const [path] = file.texts;
  if (!path.includes('\0') && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    refuse(file.source, `${quoted(path)} is a folder; name a file of messages in it`);
  }
  if (format === undefined && !JSON_ENDINGS.includes(extname(path).toLowerCase())) {
    refuse(
      file.source,
      `${quoted(path)} ends with none of ${JSON_ENDINGS.join(', ')}, and may be anything; say --message-format json or --message-format text`,
    );
  }
  const facts = factsOf(path, format ? parseChoice(format.texts[0], FORMATS, format.source) : 'json');
  return { payloadBytes: [facts.bytes.mean], contents: [facts.content], messageFile: facts };
}

/** @param {string} path @param {MessageFormat} format @returns {MessageFile} */
function factsOf(path, format) {
  const { messages, sha256 } = readMessages({ path, format });
  const bytes = Float64Array.from(messages, ({ text }) => Buffer.byteLength(text)).sort();
  const atShare = (/** @type {number} */ share) => bytes[Math.ceil(share * bytes.length) - 1];
  const differences = format === 'json' ? fieldDifferences(messages) : [];
  const name = basename(path).replaceAll(/[^\w.-]/g, '_');
  return {
    path,
    format,
    sha256,
    messages: messages.length,
    // Part of what a cell is called: rows of two files are never taken for the same.
    content: `${name.slice(0, NAME_CHARACTERS)}@${sha256.slice(0, HASH_CHARACTERS)}`,
    bytes: {
      mean: Math.round(bytes.reduce((sum, length) => sum + length, 0) / bytes.length),
      least: bytes[0],
      p50: atShare(0.5),
      p90: atShare(0.9),
      p99: atShare(0.99),
      greatest: bytes[bytes.length - 1],
    },
    differences: differences.slice(0, MOST_DIFFERENCES),
    moreDifferences: Math.max(0, differences.length - MOST_DIFFERENCES),
  };
}
