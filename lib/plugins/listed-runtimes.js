// What `list` tells of the runtimes that are built in: whether they are here, where, and of which version.

import { realpathSync } from 'node:fs';
import { builtinNames } from './builtins.js';
import { loadRuntime, searchPlaces } from './find-runtimes.js';
import { readProgramVersion } from './program-version.js';

/** @import { SearchPlaces } from '../types/index.js' */
/** @typedef {{ name: string, summary: string, unavailable: string | null, found: { version: string, path: string }[] }} ListedRuntime */

/** @param {SearchPlaces} [places] @returns {Promise<ListedRuntime[]>} all that are built in, with what is found of them here */
export function listedRuntimes(places = searchPlaces()) {
  return Promise.all(
    builtinNames('runtime').map(async (name) => {
      const { summary, find, remedy, versionWord } = await loadRuntime(name);
      // Of links to one program the first counts.
      const programs = new Map((await find(places)).reverse().map((path) => [realpathSync(path), path]));
      const paths = [...programs.values()].reverse();
      const versions = await Promise.all(paths.map((path) => readProgramVersion(path, versionWord)));
      const found = paths.flatMap((path, place) => {
        const version = versions[place];
        return version === null ? [] : [{ version, path }];
      });
      return { name, summary, unavailable: found.length > 0 ? null : remedy(), found };
    }),
  );
}
