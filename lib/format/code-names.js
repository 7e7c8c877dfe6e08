// Words as names in code: of keys in results, and of columns of a spreadsheet.

/** @param {string} words    'round trips' @returns {string} 'RoundTrips' */
export function pascalCase(words) {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/** @param {string} words @returns {string} 'roundTrips' */
export function camelCase(words) {
  const name = pascalCase(words);
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
