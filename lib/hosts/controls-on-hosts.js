// The controls of a run on several hosts: each host measures its own, at the same time as the others.

import { measureControls } from '../controls/controls.js';
import { BenchError } from '../errors.js';
import { withoutHost } from '../launch/launch-spec.js';
import { codeOf, Installation } from './installation.js';
import { packedMessages } from './order-files.js';

/** @import { ControlOrder, Controls, ControlTask as Task, Engine, MeasuredControl } from '../types/index.js' */

/**
 * @param {Engine} engine
 * @param {string[]} hosts
 * @param {Installation} [installation]   of this host
 * @returns {(...asked: Parameters<typeof measureControls>) => Promise<Record<string, Controls>>} by name of the host
 */
export function controlsOn(engine, hosts, installation = new Installation()) {
  return async (cells, plugins, run) => {
    const measured = hosts.map(async (host) => {
      const measure = (/** @type {Task} */ task) =>
        controlOn(engine, host, orderOf(task, run, installation), run);
      return [host, await measureControls(cells, plugins, { ...run, measure })];
    });
    return Object.fromEntries(await Promise.all(measured));
  };
}

/** @param {Task} task @param {Parameters<typeof measureControls>[2]} run @param {Installation} installation @returns {ControlOrder} */
function orderOf({ messageFile, ...task }, { tierUp = 'usual' }, installation) {
  const { codecUrl, scenarioUrl, content } = task;
  const plugins = {
    codec: installation.nameOf('codec', codecUrl),
    scenario: installation.nameOf('scenario', scenarioUrl),
  };
  const told = { ...withoutHost(task), ...(messageFile && { messageFile: withoutHost(messageFile) }) };
  const hasMessages = messageFile !== undefined && messageFile.content === content;
  return {
    ...codeOf(installation.partsOf(plugins)),
    kind: 'control',
    task: told,
    plugins,
    tierUp,
    ...(hasMessages && { messages: packedMessages(messageFile.path) }),
  };
}

/**
 * @param {Engine} engine
 * @param {string} host
 * @param {ControlOrder} order
 * @param {Parameters<typeof measureControls>[2]} run
 * @returns {Promise<MeasuredControl | null>} null: it was not measured; what is the cause fails launches too, and is told there
 */
async function controlOn(engine, host, order, { signal }) {
  let stop = () => {};
  const stopped = new Promise((resolve) => {
    stop = () => resolve(null);
  });
  signal.addEventListener('abort', stop);
  try {
    const given = engine.hand(host, 'controls', order, () => {});
    const end = await Promise.race([given.ended, stopped]).finally(given.stop);
    return end?.status === 'controlled' ? end.measured : null;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return null;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
