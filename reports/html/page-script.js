/// <reference lib="dom" />
// The script of the page, which sorts and filters tables, switches the theme, copies the command, and unfolds details on paper. Without it
// the page has the same contents.

const collator = new Intl.Collator('en', { numeric: true });

/** @param {HTMLTableCellElement} cell @returns {{ value: number | null, text: string }} */
function sortKey({ dataset: { value }, textContent }) {
  return { value: value === undefined ? null : Number(value), text: (textContent ?? '').replaceAll(',', '') };
}

/** @param {HTMLTableElement} table   headings of sections are excluded */
const rowsOf = ({ tBodies }) =>
  [...tBodies].flatMap(({ rows }) => [...rows]).filter((row) => !row.classList.contains('section'));

/** @param {HTMLTableElement} table @param {number} column @param {1 | -1} sign */
function sortRows(table, column, sign) {
  const rows = rowsOf(table).map((row) => ({ row, ...sortKey(row.cells[column]) }));
  const hasValues = rows.some(({ value }) => value !== null);
  rows.sort((one, other) => {
    if (!hasValues) return sign * collator.compare(one.text, other.text);
    // Rows without a number come last in both orders.
    if (one.value === null || other.value === null)
      return Number(one.value === null) - Number(other.value === null);
    return sign * (one.value - other.value);
  });
  table.classList.add('sorted'); // page.css hides the headings of its sections
  table.tBodies[0].append(...rows.map(({ row }) => row));
}

/** @param {HTMLTableElement} table @returns {() => void} a function that restores the order and the sections of the file */
function rememberOrder(table) {
  const sections = [...table.tBodies].map((section) => ({ section, rows: [...section.rows] }));
  return () => {
    table.classList.remove('sorted');
    for (const { section, rows } of sections) section.append(...rows);
  };
}

const tables = /** @type {HTMLTableElement[]} */ ([...document.querySelectorAll('table')]);
for (const table of tables) {
  const heads = /** @type {HTMLElement[]} */ ([...table.querySelectorAll('thead th')]);
  const restore = rememberOrder(table);
  for (const [column, head] of heads.entries()) {
    head.querySelector('button')?.addEventListener('click', () => {
      // Numbers begin with the best, texts in alphabetical order. The second click reverses the order, the third restores that of the file.
      const first = head.dataset.first ?? (head.classList.contains('number') ? 'descending' : 'ascending');
      const second = first === 'ascending' ? 'descending' : 'ascending';
      const now = head.getAttribute('aria-sort');
      const order = now === null ? first : now === first ? second : null;
      for (const other of heads) other.removeAttribute('aria-sort');
      if (order === null) return restore();
      head.setAttribute('aria-sort', order);
      sortRows(table, column, order === 'ascending' ? 1 : -1);
    });
  }
}

const filter = /** @type {HTMLInputElement} */ (document.querySelector('#filter'));
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = tables.flatMap(rowsOf);
  for (const row of rows) {
    const text = (row.textContent ?? '').toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
  const count = rows.filter(({ hidden }) => !hidden).length;
  const status = /** @type {HTMLElement} */ (document.querySelector('#filtered'));
  status.textContent = words.length === 0 ? '' : `${count} of ${rows.length} rows`;
});

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
document.querySelector('#theme')?.addEventListener('click', () => {
  root.dataset.theme =
    (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark' ? 'light' : 'dark';
});

for (const copy of document.querySelectorAll('[data-copy]')) {
  copy.addEventListener('click', async () => {
    const code = /** @type {HTMLElement} */ (copy.parentElement?.querySelector('code'));
    getSelection()?.selectAllChildren(code); // for browsers that forbid access to the clipboard
    await navigator.clipboard.writeText(code.textContent ?? '');
    copy.textContent = 'Copied';
  });
}

/** @type {HTMLDetailsElement[]} */
let opened = [];
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('details')].filter(({ open }) => !open);
  for (const details of opened) details.open = true;
});
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
});
