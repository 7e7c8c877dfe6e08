// Computes which share of the samples of a .cpuprofile each part of a program has. Samples are counted and not timed, so a sample that is
// late because the process waited for a CPU counts as much as any other.
// Format: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile

import { US_PER_MS } from '../format/units.js';

/**
 * @typedef {object} ProfileNode
 * @property {number} id
 * @property {{ functionName: string, url: string }} callFrame
 * @property {number[]} [children]    ids
 */
/**
 * @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[], startTime: number }} Profile   samples: ids of nodes;
 *   startTime: on the monotonic clock, in µs as timeDeltas
 */

/**
 * @param {Profile} profile
 * @param {(frame: ProfileNode['callFrame'], ofCaller: string) => string} partOf   returns the part of a function, given the part of its
 *   caller, which is '' for the root
 * @param {{ fromMs: number, toMs: number }} window   on the clock of the profile
 * @returns {{ samples: number, shares: Record<string, number> }} shares of all samples in the window, including idle ones
 */
export function profileParts({ nodes, samples, timeDeltas, startTime }, partOf, { fromMs, toMs }) {
  const partOfNode = partsOfNodes(nodes, partOf);
  /** @type {Record<string, number>} */
  const counts = {};
  let inWindow = 0;
  let atUs = startTime;
  for (const [index, id] of samples.entries()) {
    atUs += timeDeltas[index];
    if (atUs < fromMs * US_PER_MS || atUs >= toMs * US_PER_MS) continue;
    inWindow += 1;
    const part = partOfNode.get(id);
    if (part !== undefined) counts[part] = (counts[part] ?? 0) + 1;
  }
  const shares = Object.entries(counts).map(([part, count]) => [part, count / inWindow]);
  return { samples: inWindow, shares: Object.fromEntries(shares) };
}

/** @param {ProfileNode[]} nodes @param {Parameters<typeof profileParts>[1]} partOf */
function partsOfNodes(nodes, partOf) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Map<number, string>} */
  const parts = new Map();
  const visits = nodes.slice(0, 1).map((root) => ({ node: root, ofCaller: '' })); // the first node is the root
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    const { node, ofCaller } = visit;
    const part = partOf(node.callFrame, ofCaller);
    parts.set(node.id, part);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visits.push({ node: child, ofCaller: part });
    }
  }
  return parts;
}
