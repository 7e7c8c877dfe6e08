// What `list` tells of the runtimes that are built in: whether they are here, where, and of which version.

import { realpathSync } from 'node:fs';
import { builtinNames } from './builtins.js';
import { loadRuntime, searchPlaces } from './find-runtimes.js';
import { versionOf } from './program-version.js';

/** @import { SearchPlaces } from '../types/index.js' */
/** @typedef {{ name: string, summary: string, unavailable: string | null, found: { version: string, path: string }[] }} ListedRuntime */

/** @param {SearchPlaces} [places] @returns {Promise<ListedRuntime[]>} all that are built in, with what is found of them here */
export function listedRuntimes(places = searchPlaces()) {
  return Promise.all(
    builtinNames('runtime').map(async (name) => {
      const { summary, find, remedy, versionWord } = await loadRuntime(name);
      // Of links to one program the first counts.
      const programs = new Map((await find(places)).reverse().map((path) => [realpathSync(path), path]));
      const asked = [...programs.values()]
        .reverse()
        .map(async (path) => ({ version: await versionOf(path, versionWord), path }));
      const found = (await Promise.all(asked)).filter(
        /** @returns {one is ListedRuntime['found'][number]} */ (one) => one.version !== null,
      );
      return { name, summary, unavailable: found.length > 0 ? null : remedy(), found };
    }),
  );
}
