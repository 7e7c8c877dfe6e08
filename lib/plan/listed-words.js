// `tcp:flush=tick,lead`: a list of numbers is one of values of a setting, and a word after a comma is the next transport. Whoever
// writes a value there is told how to write it: which words are values is known only when the plug-in is loaded.

import { labelParts, settingsLabel } from '../cell/settings.js';
import { GROUP_NAMES } from '../cell/transport-classes.js';
import { BenchError } from '../errors.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadScenarios, loadTransports } from '../plugins/plugins.js';

/** @import { Options, Setting } from '../types/index.js' */

/**
 * @param {Pick<Options, 'transports' | 'scenarios'>} options
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function refuseListedWords({ transports, scenarios }) {
  await makeWordRefusal('transport', transports, loadTransports);
  const asked = scenarios.map(labelParts).map(({ name, written }) => ({ name, settings: written }));
  await makeWordRefusal('scenario', asked, loadScenarios);
}

/**
 * @param {'transport' | 'scenario'} kind
 * @param {readonly { name: string, settings: Record<string, string> }[]} choices
 * @param {typeof loadTransports | typeof loadScenarios} load
 */
async function makeWordRefusal(kind, choices, load) {
  const builtin = builtinNames(kind);
  for (const [place, { name, settings }] of choices.entries()) {
    const before = choices[place - 1];
    const isKnown = Object.keys(settings).length > 0 || builtin.includes(name) || GROUP_NAMES.includes(name);
    if (isKnown || before === undefined || !builtin.includes(before.name)) continue;
    const last = Object.keys(before.settings).at(-1);
    if (last === undefined) continue;
    const [{ plugin }] = (await load([before.name])).values();
    if (!listWordValues(plugin.settings?.[last]).includes(name)) continue;
    const both = [before.settings, { ...before.settings, [last]: name }];
    const next = both.map((each) => settingsLabel(before.name, each)).join(',');
    throw new BenchError(
      'BAD_ARGUMENT',
      `--${kind}: "${name}" is no ${kind}, but a value of ${last} of ${before.name}; to compare both write ${next}`,
    );
  }
}

/** @param {Setting | undefined} setting @returns {string[]} values that are no numbers, which may stand in a list */
function listWordValues(setting) {
  if (typeof setting?.default === 'boolean') return ['true', 'false'];
  return (setting?.choices ?? []).map(String);
}
