// argv → { options, plugins, plan }: the one way in of every command that measures, and of programs.

import { randomInt } from 'node:crypto';
import { networkProblem } from '../machine/delay-line.js';
import { freeMemoryBytes, readConnectionRoom } from '../machine/limits.js';
import { cpusToPlan } from '../machine/placement.js';
import { refuseStrangeBrokers } from '../options/broker-urls.js';
import { NO_NETWORK } from '../options/network-choices.js';
import { resolve } from '../options/options.js';
import { makePlan } from '../plan/plan.js';
import { refuseListedWords, withoutGroups } from '../plan/transport-choices.js';
import { loadPlugins } from './load-plugins.js';
import { optionsOfTree } from './tree.js';

/** @import { Surroundings } from '../options/options.js' */
/** @typedef {Awaited<ReturnType<typeof prepared>>} Prepared */

/** @param {Record<string, unknown>} argv   known flags only, without dashes @param {Surroundings} surroundings */
export async function prepared(argv, surroundings) {
  const [only] = await preparedSides([{ argv, tree: null }], surroundings);
  return only;
}

/**
 * @param {{ argv: Record<string, unknown>, tree: string | null }[]} requests   of the sides of one run; tree: a folder whose
 *   code is measured
 * @param {Surroundings} surroundings
 */
export async function preparedSides(requests, surroundings) {
  const sides = [];
  for (const { argv, tree } of requests) sides.push(await loadedSide(argv, tree, surroundings));
  const transports = sides.flatMap(({ plugins }) => [...plugins.transports.values()]);
  for (const { options } of sides) await refuseStrangeBrokers(options.brokerUrls, transports);
  const isNetworked = sides.some(({ options }) =>
    options.networks?.some((network) => network !== NO_NETWORK),
  );
  const noNetwork = isNetworked ? await networkProblem() : null;
  return sides.map((side) => {
    // What there is on other hosts is told when they are met.
    const cpus =
      side.isForced || side.options.hosts
        ? null
        : {
            ...cpusToPlan(),
            room: readConnectionRoom(),
            freeBytes: freeMemoryBytes(),
            whyNoNetwork: noNetwork,
          };
    return { ...side, plan: makePlan(side.options, side.plugins, cpus) };
  });
}

/** @param {Record<string, unknown>} argv @param {string | null} tree @param {Surroundings} surroundings */
async function loadedSide(argv, tree, surroundings) {
  const { options: asked, ...resolved } = await resolve(argv, surroundings);
  await refuseListedWords(asked);
  const { options, folder } = optionsOfTree(await withoutGroups(asked), tree);
  return { ...resolved, options, plugins: await loadPlugins(options, folder) };
}

/** @param {Surroundings['environment']} environment @returns {Surroundings} here and now */
export function readSurroundings(environment) {
  return { environment, now: new Date(), randomSeed: randomInt(2 ** 32) };
}
