// A .cpuprofile → the share of its samples that fall to each part of a program, by the files in which its functions stand.
// Samples are counted, not timed: one that comes late, because the process waited for a CPU, counts as much as any other.
// Format: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile

import { US_PER_MS } from '../format/units.js';

/**
 * @typedef {object} ProfileNode
 * @property {number} id
 * @property {{ functionName: string, url: string }} callFrame
 * @property {number[]} [children]    ids
 */
/** @typedef {{ nodes: ProfileNode[], samples: number[], timeDeltas: number[], startTime: number }} Profile   times in µs of the system's clock */

/**
 * @param {Profile} profile
 * @param {(frame: ProfileNode['callFrame'], ofCaller: string) => string} partOf   of a function; ofCaller: the part of its caller
 * @param {{ fromMs: number, toMs: number }} window    of the system's clock
 * @returns {{ samples: number, shares: Record<string, number> }} of all samples in the window, those in which it slept included
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
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  /** @type {Map<number, string>} */
  const parts = new Map();
  const visits = nodes.filter(({ id }) => !called.has(id)).map((node) => ({ node, ofCaller: '' }));
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
