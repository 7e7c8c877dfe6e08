/// <reference lib="dom" />
// Tables whose rows are sorted by a column, filtered by what is written in them, and shown with few columns or with all.

import { byId } from './document.js';

const collator = new Intl.Collator('en', { numeric: true });

/** @param {Element} row @param {number} column @returns {{ value: number | null, text: string }} */
function sortKey(row, column) {
  const cell = /** @type {HTMLElement} */ (row.children[column]);
  const value = cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  return { value, text: (cell.textContent ?? '').replaceAll(',', '') };
}

/** @template {Element} T @param {T[]} rows @returns {T[]} without the headings of sections */
const rowsOf = (rows) => rows.filter((row) => !row.classList.contains('section'));

/** @param {HTMLTableElement} table @param {number} column @param {'ascending' | 'descending'} order */
function sortRows(table, column, order) {
  const sign = order === 'ascending' ? 1 : -1;
  const rows = rowsOf([...table.tBodies].flatMap((body) => [...body.rows])).map((row) => ({
    row,
    ...sortKey(row, column),
  }));
  const hasValues = rows.some(({ value }) => value !== null);
  rows.sort((one, other) => {
    if (!hasValues) return sign * collator.compare(one.text, other.text);
    // What has no number comes last, either way.
    if (one.value === null || other.value === null)
      return Number(one.value === null) - Number(other.value === null);
    return sign * (one.value - other.value);
  });
  table.classList.add('sorted'); // across its sections
  table.tBodies[0].append(...rows.map(({ row }) => row));
}

/** @param {HTMLTableElement} table */
function letSort(table) {
  const heads = [...table.querySelectorAll('thead th')];
  for (const [column, head] of heads.entries()) {
    head.querySelector('button')?.addEventListener('click', () => {
      const first = head.classList.contains('number') ? 'descending' : 'ascending';
      const other = first === 'descending' ? 'ascending' : 'descending';
      const order = head.getAttribute('aria-sort') === first ? other : first;
      for (const each of heads) each.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', order);
      sortRows(table, column, order);
    });
  }
}

/** @param {string} text @param {HTMLElement} told */
function filterRows(text, told) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = /** @type {HTMLElement[]} */ (rowsOf([...document.querySelectorAll('.sortable tbody tr')]));
  let shown = 0;
  for (const row of rows) {
    const written = (row.textContent ?? '').toLowerCase();
    row.hidden = !words.every((word) => written.includes(word));
    shown += Number(!row.hidden);
  }
  for (const heading of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.section'))) {
    const own = rowsOf([...(heading.closest('tbody')?.rows ?? [])]);
    heading.hidden = own.every(({ hidden }) => hidden);
  }
  told.textContent = words.length === 0 ? '' : `${shown} of ${rows.length} rows`;
}

/** A table that fits needs no box to scroll in, so that its head stays in sight while the page scrolls. */
const fitting = new ResizeObserver((entries) => {
  for (const { target: box } of entries) {
    const table = box.querySelector('table');
    box.classList.toggle('fits', table !== null && table.offsetWidth <= box.clientWidth);
  }
});

export function letSortAndFilter() {
  for (const table of document.querySelectorAll('table.sortable')) {
    letSort(/** @type {HTMLTableElement} */ (table));
    const box = table.closest('.scroll');
    if (box !== null) fitting.observe(box);
  }
  const filter = /** @type {HTMLInputElement} */ (byId('filter'));
  filter.closest('p')?.removeAttribute('hidden');
  filter.addEventListener('input', () => filterRows(filter.value, byId('filtered')));
  const all = /** @type {HTMLInputElement | null} */ (document.getElementById('all-columns'));
  // A browser may remember what was checked before.
  const tell = () => byId('tables').classList.toggle('all-columns', all?.checked === true);
  all?.addEventListener('change', tell);
  tell();
}
