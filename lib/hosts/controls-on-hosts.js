// The controls of a run on several hosts: each host measures its own, at the same time as the others.

import { measureControls } from '../controls/controls.js';
import { codeOf } from './code-facts.js';
import { builtinNameOf } from './launch-across.js';
import { packedMessages } from './order-files.js';

/** @import { ControlTask as Task, MeasuredControl } from '../types/control-tasks.js' */
/** @import { ControlOrder, Engine } from '../types/hosts.js' */
/** @import { Controls } from '../types/results-file.js' */

/**
 * @param {Engine} engine
 * @param {string[]} hosts
 * @returns {(...asked: Parameters<typeof measureControls>) => Promise<Record<string, Controls>>} by name of the host
 */
export function controlsOn(engine, hosts) {
  return async (cells, plugins, run) => {
    const measured = hosts.map(async (host) => {
      const measure = (/** @type {Task} */ task) => controlOn(engine, host, orderOf(task, run), run.signal);
      return [host, await measureControls(cells, plugins, { ...run, measure })];
    });
    return Object.fromEntries(await Promise.all(measured));
  };
}

/** @param {Task} task @param {Parameters<typeof measureControls>[2]} run @returns {ControlOrder} */
function orderOf(task, { tierUp = 'usual' }) {
  const { codecUrl, scenarioUrl, content, messageFile } = task;
  const plugins = {
    codec: builtinNameOf('codec', codecUrl),
    scenario: builtinNameOf('scenario', scenarioUrl),
  };
  const hasMessages = messageFile !== undefined && messageFile.content === content;
  return {
    ...{ ...codeOf(plugins), kind: 'control', task, plugins, tierUp },
    ...(hasMessages && { messages: packedMessages(messageFile.path) }),
  };
}

/**
 * @param {Engine} engine
 * @param {string} host
 * @param {ControlOrder} order
 * @param {AbortSignal} signal
 * @returns {Promise<MeasuredControl | null>} null: it was not measured; a host that is gone fails launches, with the cause
 */
async function controlOn(engine, host, order, signal) {
  const given = engine.hand(host, 'controls', order, () => {});
  let giveUp = () => {};
  const stopped = new Promise((resolve) => {
    giveUp = () => resolve(null);
  });
  signal.addEventListener('abort', giveUp);
  try {
    const end = await Promise.race([given.ended.catch(() => null), stopped]);
    return end?.status === 'controlled' ? end.measured : null;
  } finally {
    signal.removeEventListener('abort', giveUp);
    given.stop();
  }
}
