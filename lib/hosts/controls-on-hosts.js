// The controls of a run on several hosts: each host measures its own, at the same time as the others.

import { measureControls } from '../controls/controls.js';
import { BenchError } from '../errors.js';
import { codeOf } from './code-facts.js';
import { builtinNameOf } from './launch-across.js';
import { packedMessages } from './order-files.js';

/** @import { ControlOrder, Controls, ControlTask as Task, Engine, MeasuredControl } from '../types/index.js' */

/**
 * @param {Engine} engine
 * @param {string[]} hosts
 * @returns {(...asked: Parameters<typeof measureControls>) => Promise<Record<string, Controls>>} by name of the host
 */
export function controlsOn(engine, hosts) {
  return async (cells, plugins, run) => {
    const measured = hosts.map(async (host) => {
      const measure = (/** @type {Task} */ task) => controlOn(engine, host, task, run);
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
 * @param {Task} task
 * @param {Parameters<typeof measureControls>[2]} run
 * @returns {Promise<MeasuredControl | null>} null: it was not measured; what is the cause fails launches too, and is told there
 */
async function controlOn(engine, host, task, run) {
  const { signal } = run;
  let stop = () => {};
  const stopped = new Promise((resolve) => {
    stop = () => resolve(null);
  });
  signal.addEventListener('abort', stop);
  try {
    const given = engine.hand(host, 'controls', orderOf(task, run), () => {});
    const end = await Promise.race([given.ended, stopped]).finally(given.stop);
    return end?.status === 'controlled' ? end.measured : null;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return null;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
