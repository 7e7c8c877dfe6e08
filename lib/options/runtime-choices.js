// `--runtime node,bun,worker:deno+master:node` → what plays a cell, in one spelling each. Names are looked up where the
// programs are found.

import { CONTROLLER, WORKER } from '../cell/launch-roles.js';
import { EVERY, runtimesByRole, runtimeText, THIS_NODE, withoutFlags } from '../cell/runtime-text.js';
import { quoted } from '../format/quoted.js';
import { refuse, splitList, unique } from './quantities.js';

/** @import { Source } from './quantities.js' */
/** @import { RuntimesByRole } from '../cell/runtime-text.js' */

// A path alone is that of a program in whichever language: docs/peers.md.
const NAME = /^(?:[a-z][a-z0-9-]*(?:@\d+(?:\.\d+)*)?(?:=.+)?(?: +--\S+)*|\.{0,2}\/.+)$/s;
const ROLE = /^[a-z][a-z-]*:/;
const FORMS =
  'write NAME, NAME@VERSION or NAME=PATH for all processes, and ROLE:NAME for one end: bun, node@22, "node --jitless", worker:bun+master:node, master:c, master:./my-peer';

/**
 * Neighbours of one end each are one choice: 'worker:bun,master:node'. A role that comes again begins the next one.
 * @param {string[]} texts
 * @param {Source} source
 * @returns {string[]}
 */
export function parseRuntimes(texts, source) {
  // Per occurrence of the flag: an end does not reach back over it.
  return unique(texts.flatMap((text) => choicesIn(text, source)).map(formatRoles));
}

/**
 * This Node goes without saying for master and worker. Whether the scenario has any other role is known only in the plan.
 * @param {RuntimesByRole} byRole
 * @returns {string}
 */
function formatRoles(byRole) {
  const others = Object.keys(byRole).filter(
    (role) => byRole[role] === THIS_NODE && ![EVERY, CONTROLLER, WORKER].includes(role),
  );
  const text = runtimeText(byRole);
  const texts = text === THIS_NODE && others.length > 0 ? [] : [text];
  return [...texts, ...others.map((role) => `${role}:${THIS_NODE}`)].join('+');
}

/** @param {string} list @param {Source} source @returns {RuntimesByRole[]} */
function choicesIn(list, source) {
  /** @type {{ byRole: RuntimesByRole, isOpen: boolean }[]} */
  const choices = [];
  for (const text of splitList([list], source)) {
    const byRole = checkedRuntimes(text, source);
    const roles = Object.keys(byRole);
    const isOpen = roles.length === 1 && ROLE.test(text);
    const last = choices.at(-1);
    if (isOpen && last?.isOpen && !(roles[0] in last.byRole)) Object.assign(last.byRole, byRole);
    else choices.push({ byRole, isOpen });
  }
  return choices.map(({ byRole }) => byRole);
}

/** @param {string} text @param {Source} source @returns {RuntimesByRole} */
function checkedRuntimes(text, source) {
  const parts = text.split(/\+(?=[a-z-]+:)/);
  const roles = parts.map((part) => ROLE.exec(part)?.[0]);
  if (parts.length > 1 && roles.includes(undefined))
    refuse(source, `${quoted(text)} is not usable; ${FORMS}`);
  if (new Set(roles).size < roles.length) {
    refuse(source, `${quoted(text)} names a role twice; ${FORMS}`);
  }
  const byRole = runtimesByRole(text);
  for (const [role, name] of Object.entries(byRole)) {
    if (!NAME.test(name)) refuse(source, `${quoted(text)} is not usable; ${FORMS}`);
    const { program, flags } = withoutFlags(name);
    byRole[role] = [program, ...flags].join(' ');
  }
  return byRole;
}

/**
 * Of commands that take no options of a run.
 * @param {Record<string, any>} argv
 * @param {Record<string, string | undefined>} environment
 * @returns {string[]} folders in which runtimes are looked for first
 */
export function runtimeFolders({ 'runtime-path': given }, { IPC_BENCH_RUNTIME_PATH }) {
  const texts = [given ?? IPC_BENCH_RUNTIME_PATH ?? []].flat();
  return texts.flatMap((/** @type {string} */ text) => text.split(','));
}
