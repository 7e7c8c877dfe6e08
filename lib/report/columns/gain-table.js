// A text on what a recorded program would gain: the answer, whether the replay represents the program, and the replayed rows.

import { NOTHING } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { wrapped } from '../../format/wrapped.js';
import { sentencesOn } from '../text/conclusion.js';
import { kindWords } from '../text/kind-words.js';
import { savedText } from '../text/phrases/gain-phrases.js';
import { duration, formatShare } from '../text/quantity-words.js';
import { linesOfTable } from './aligned.js';
import { numberColumn, textColumn } from './columns.js';

/** @import { Column } from './columns.js' */
/** @import { Finding, FoundRow } from '../../types/index.js' */

/** Kinds of findings above the table, a list for each paragraph. */
const PARAGRAPHS = [
  ['gain', 'not-recorded'],
  ['recorded-channel', 'replay-sizes', 'replay'],
];
const THREADS = 'threads';

/** @type {Readonly<Record<string, string>>} */
const CHANGES = Object.freeze({
  option: 'same API, one option',
  codec: 'same API, another codec',
  mechanism: 'another mechanism',
});

/** @param {readonly Finding[]} findings @param {number} columns @returns {string} */
export function gainText(findings, columns) {
  const table = findings.find(({ kind }) => kind === 'replayed-rows');
  /** @param {readonly string[]} kinds */
  const linesOn = (kinds) => sentencesOn(findings, kinds, false).flatMap((text) => wrapped(text, columns));
  const paragraphs = [
    ...PARAGRAPHS.map(linesOn),
    ...(table === undefined
      ? []
      : [
          linesOfTable(COLUMNS, [{ heading: null, rows: table.rows }], columns, (_look, text) => text),
          linesOn([table.kind]),
        ]),
  ];
  const shown = paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}

/** @param {FoundRow} row @returns {string} what the program has to change, and how the guarantees differ */
function changesText({ kind = '', names }) {
  if (names?.changes === undefined) return '';
  const words = kindWords(kind);
  // The words for threads already state that the mechanism differs.
  return kind.split(' ').includes(THREADS)
    ? words
    : [CHANGES[names.changes], words].filter(Boolean).join('; ');
}

/** @param {FoundRow} row @returns {string} */
function p99Text({ numbers: { p99Us, leastP99Us } = {} }) {
  if (leastP99Us !== undefined) return `> ${duration(Number(leastP99Us))}`;
  return p99Us === undefined ? NOTHING : duration(Number(p99Us));
}

/** @type {Column<FoundRow>[]} */
const COLUMNS = [
  textColumn(
    'row, replayed',
    ({ row, names }) => printable(row) + (names?.changes === undefined ? ', now' : ''),
  ),
  numberColumn('of a core', 'CPU', ({ value }) => value?.estimate, formatShare),
  {
    span: 'of a core',
    title: 'saved',
    align: 'first word',
    text: (row) => {
      const saved = savedText(row);
      return saved !== null && row.verdict !== 'better' ? 'not proven' : (saved ?? NOTHING);
    },
  },
  { span: '', title: 'p99', align: 'right', text: p99Text },
  textColumn('what changes', changesText),
];
