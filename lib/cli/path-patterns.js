// Expands * and ? in paths on Windows, whose shells do not. Node 20 has no fs.globSync.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const PATTERN = /[*?]/;

/**
 * @param {readonly string[]} paths
 * @param {NodeJS.Platform} [platform]
 * @returns {string[]} A pattern that matches nothing is kept, as in bash.
 */
export function expandPatterns(paths, platform = process.platform) {
  if (platform !== 'win32') return [...paths];
  return paths.flatMap((path) => {
    if (!PATTERN.test(path)) return [path];
    const found = matchingPaths('', path.split(/(?<=[\\/])/));
    return found.length === 0 ? [path] : found;
  });
}

/** @param {string} folder   '' for the working directory @param {string[]} steps   with their separators @returns {string[]} */
function matchingPaths(folder, [step, ...rest]) {
  if (step === undefined) return existsSync(folder) ? [folder] : [];
  if (!PATTERN.test(step)) return matchingPaths(folder + step, rest);
  const name = step.replace(/[\\/]$/, '');
  const escaped = name.replaceAll(/[.+^${}()|[\]]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  return entriesOf(folder)
    .filter((entry) => pattern.test(entry) && (name.startsWith('.') || !entry.startsWith('.')))
    .flatMap((entry) => matchingPaths(join(folder, entry) + step.slice(name.length), rest));
}

/** @param {string} folder @returns {string[]} */
function entriesOf(folder) {
  try {
    return readdirSync(folder || '.').sort();
  } catch {
    return [];
  }
}
