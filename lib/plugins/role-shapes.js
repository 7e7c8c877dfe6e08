// What the roles of a scenario must look like: a chain from the master that leads to the workers, in which each connects to one
// before it.

// A part of the ids of launches and of paths of sockets, which are short.
const ROLE_NAME = /^[a-z]{1,8}$/;

export const ROLES =
  'a list of roles, each name once and of 1 to 8 small letters: { name: "master", leads, listens }, then what stands between, each ' +
  '{ name, listens, connectsTo } with the name of one before it that listens, the first of them also over or not, and at last { name: "worker", count: "workers", connectsTo }';

/** @param {any} value @returns {boolean} */
export function areRoles(value) {
  if (!Array.isArray(value) || value.length < 2) return false;
  if (!value.every((role) => ROLE_NAME.test(role?.name))) return false;
  if (new Set(value.map(({ name }) => name)).size < value.length) return false;
  return value.every((role, place) => isRoleAt(role, value.slice(0, place), place === value.length - 1));
}

/** @param {any} role @param {any[]} before @param {boolean} isLast @returns {boolean} */
function isRoleAt({ name, leads, listens, count, connectsTo, over }, before, isLast) {
  if (over !== undefined && (before.length !== 1 || isLast || typeof over !== 'string')) return false;
  if (before.length === 0) return name === 'master' && leads === true && listens === true;
  const connects = before.some((other) => other.name === connectsTo && other.listens === true);
  if (!connects || leads !== undefined) return false;
  return isLast
    ? name === 'worker' && count === 'workers' && listens === undefined
    : listens === true && count === undefined;
}
