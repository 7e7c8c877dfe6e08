// The first connection of a worker bears its name, 'w0'; further ones are 'w0c1', 'w0c2' and so on.

const FURTHER = /^w\d+c\d+$/;

/** @param {string} connectionId @returns {boolean} its worker is connected already */
export function isFurther(connectionId) {
  return FURTHER.test(connectionId);
}
