// How the server of a broker gets on a machine, in the words of the two managers that most know; `ipc-bench doctor` names
// the one of the machine.

/** @param {import('../../types/brokers.js').SystemPackages} packages @returns {string} */
export function howToInstall({ apt, brew }) {
  return `apt install ${apt} / brew install ${brew}`;
}
