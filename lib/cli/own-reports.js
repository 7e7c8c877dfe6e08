// Reports of the user's own, loaded before anything is measured: what is wrong with them should not be told an hour later.

import { REPORTS_BY_FLAG } from '../options/option-table.js';
import { isForeign } from '../plugins/builtins.js';
import { loadReports } from '../plugins/plugins.js';

/**
 * @param {Record<string, string>} outputs    report → path
 * @returns {Promise<{ name: string, url: string }[]>} whose code runs here, to be said
 */
export async function loadOwnReports(outputs) {
  const named = Object.keys(outputs).filter((name) => !REPORTS_BY_FLAG.has(name));
  const loaded = await loadReports(named);
  return [...loaded.values()].filter(isForeign).map(({ plugin, url }) => ({ name: plugin.name, url }));
}
