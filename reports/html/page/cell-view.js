/// <reference lib="dom" />
// The page of a cell, made when its address is asked for, and gone when another one is.

import { byId, element, embedded, listOf, scrollBox } from './document.js';
import { forgetFigures, showFigure } from './figure-view.js';

/** @typedef {import('../cell-pages.js').Block} Block */
/** @typedef {import('../cell-pages.js').Table} Table */

const NUMBER = /^(?:[−\d.,]+(?: (?:%|s|[KMGT]?i?B))?|–|)$/;

/** @param {Table} table @param {string} heading */
function makeTable({ titles, rows }, heading) {
  const classes = titles.map((_, column) =>
    column > 0 && rows.every((cells) => NUMBER.test(cells[column])) ? 'number' : 'text',
  );
  const makeRow = (/** @type {HTMLElement[]} */ ...cells) => element('tr', {}, cells);
  const head = makeRow(
    ...titles.map((title, column) => element('th', { scope: 'col', class: classes[column] }, [title])),
  );
  const body = rows.map(([name, ...cells]) =>
    makeRow(
      element('th', { scope: 'row', 'data-title': titles[0] }, [name]),
      ...cells.map((text, index) =>
        element('td', { class: classes[index + 1], 'data-title': titles[index + 1] }, [text]),
      ),
    ),
  );
  const table = element('table', {}, [
    element('caption', { class: 'unseen' }, [heading]),
    element('thead', {}, [head]),
    element('tbody', {}, body),
  ]);
  return scrollBox(`Table: ${heading}`, table);
}

/** @param {Block} block @returns {HTMLElement} */
function makeBlock({ heading, notes = [], terms = [], table, figure }) {
  const names = terms.flatMap(([name, value]) => [element('dt', {}, [name]), element('dd', {}, [value])]);
  const section = element('section', {}, [element('h2', {}, [heading])]);
  if (terms.length > 0) section.append(element('dl', {}, names));
  if (figure !== undefined) {
    const { altText } = /** @type {any} */ (figure);
    const box = element('div', { class: 'drawn' }, [element('p', { class: 'alt' }, [altText])]);
    const frame = element('figure', { class: 'picture' }, [box]);
    section.append(frame);
    showFigure(frame, figure);
  }
  if (notes.length === 1) section.append(element('p', { class: 'muted' }, notes));
  if (notes.length > 1) section.append(listOf(notes));
  if (table !== undefined) section.append(makeTable(table, heading));
  return section;
}

/** The address of the cell that is shown, to come back to its row. */
let shown = '';

/** @param {HTMLElement} cell   that is left */
function showOverview(cell) {
  cell.hidden = true;
  byId('overview').hidden = false;
  const row = /** @type {HTMLElement | null} */ (document.querySelector(`#tables a[href="${shown}"]`));
  row?.focus();
  if (row === null) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  shown = '';
}

/** @param {boolean} isMoved   the reader came here by a link: focus follows */
export async function showAddress(isMoved) {
  const address = location.hash;
  const place = /^#cell-(\d+)$/.exec(address);
  const page = place === null ? undefined : (await embedded('cells'))[Number(place[1])];
  if (location.hash !== address) return; // another one was asked for meanwhile
  const cell = byId('cell');
  forgetFigures(cell);
  cell.replaceChildren();
  if (page === undefined) {
    if (shown !== '') showOverview(cell);
    return;
  }
  shown = address;
  byId('overview').hidden = true;
  cell.hidden = false;
  const heading = element('h1', { tabindex: '-1' }, [page.title]);
  cell.append(
    element('p', {}, [element('a', { href: '#tables' }, ['← All rows'])]),
    heading,
    element('p', { class: 'question' }, [page.place]),
    ...page.blocks.map(makeBlock),
  );
  if (isMoved) heading.focus();
  scrollTo(0, 0);
}
