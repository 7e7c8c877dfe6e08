// Which runtimes the hosts of a run have: each agent looks for those that are played on its host, by their names, and the run plans
// with what was found. No path goes from one host to another.

import { EVERY, runtimesByRole, runtimeText, THIS_NODE, WORKER } from '../cell/launch-roles.js';
import { BenchError } from '../errors.js';
import { eachOnce, loadRuntime, loadRuntimes, searchPlaces, thisNode } from '../plugins/find-runtimes.js';

/** @import { AgentFacts, FoundRuntime, HostChoice, HostRuntime, RuntimeChoice } from '../types/index.js' */

const PLAIN_NAME = /^[a-z][a-z0-9-]*(?:@[\d.]+)?$/;

/** @param {string} text   of a cell @param {'master' | 'worker'} part   of the hosts @returns what is played there */
export function runtimesOn(text, part) {
  const { [WORKER]: worker, ...others } = runtimesByRole(text);
  if (part === 'master') return runtimeText(others);
  return worker ?? others[EVERY] ?? THIS_NODE;
}

/** @param {readonly string[]} texts @param {'master' | 'worker'} part @returns names, each once, this Node apart */
export function namesOn(texts, part) {
  const names = texts.flatMap((text) => Object.values(runtimesByRole(runtimesOn(text, part))));
  return [...new Set(names)].filter((name) => name !== THIS_NODE);
}

/**
 * @param {string} text       what is played on this host
 * @param {string[]} folders   in which its agent was told to look
 * @throws {BenchError} HOST: it names a program, and not a runtime
 */
export async function choiceHere(text, folders) {
  if (!Object.values(runtimesByRole(text)).every((name) => PLAIN_NAME.test(name)))
    throw new BenchError('HOST', 'it starts runtimes by their names, and no program of a path');
  const [choice] = await loadRuntimes([text], { ...searchPlaces(folders), isOfAgent: true });
  return choice;
}

/** @param {string} name @param {string[]} folders @returns {Promise<HostRuntime>} */
export async function runtimeHere(name, folders) {
  const { every, unavailable } = await choiceHere(name, folders);
  if (every === null) return { missing: String(unavailable) };
  return { version: every.version, ...(every.peer && { hello: every.peer.hello }) };
}

/** @param {readonly string[]} texts   of --runtime @param {Map<string, AgentFacts>} met @param {HostChoice} hosts */
export async function choicesOn(texts, met, hosts) {
  return eachOnce(await Promise.all(texts.map((text) => choiceOn(text, met, hosts))));
}

/** @param {string} written @param {Map<string, AgentFacts>} met @param {HostChoice} hosts @returns {Promise<RuntimeChoice>} */
async function choiceOn(written, met, { master, workers }) {
  const text = runtimeText(runtimesByRole(written));
  /** @type {Record<string, FoundRuntime>} */
  const found = {};
  const missing = [];
  for (const [role, name] of Object.entries(runtimesByRole(written))) {
    const on = role === EVERY ? [master, ...workers] : role === WORKER ? workers : [master];
    const one = name === THIS_NODE ? await thisNode() : await foundOn(name, on, met);
    if (typeof one === 'string') missing.push(one);
    else found[role] = one;
  }
  const { [EVERY]: every = null, ...byRole } = found;
  const unavailable = missing.length === 0 ? null : [...new Set(missing)].join('; ');
  return { ...(text !== THIS_NODE && { runtime: text }), every, byRole, unavailable };
}

/**
 * @param {string} name
 * @param {string[]} hosts   that play it
 * @param {Map<string, AgentFacts>} met
 * @returns {Promise<FoundRuntime | string>} or why it is none
 */
async function foundOn(name, hosts, met) {
  const all = hosts.map((host) => ({ host, facts: /** @type {AgentFacts} */ (met.get(host)) }));
  const lacking = all.flatMap(({ host, facts: { runtimes } }) =>
    'missing' in runtimes[name] ? `host ${host}: ${runtimes[name].missing}` : [],
  );
  if (lacking.length > 0) return lacking.join('; ');
  const versions = all.map(({ host, facts }) => ({ host, .../** @type {any} */ (facts.runtimes[name]) }));
  const [{ version, hello, host }] = versions;
  const other = versions.find((one) => one.version !== version);
  if (other !== undefined) {
    const next = 'install one version, or name it, as in bun@1.4';
    return `${name} is ${version} on host ${host}, and ${other.version} on host ${other.host}: ${next}`;
  }
  const runtime = await loadRuntime(name.split('@')[0]);
  const { platform } = all[0].facts.environment;
  const peer = hello && { program: { name: runtime.name, command: '', args: [] }, hello, platform };
  return { runtime, name, path: name, version, ...(peer && { peer }) };
}
