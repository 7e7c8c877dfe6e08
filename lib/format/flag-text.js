// Formats command lines to paste into a shell: bash, zsh or fish; on Windows PowerShell or cmd.exe.

/** npx finds the program in a clone, in a project that depends on it, and in a global installation. */
export const COMMAND = 'npx ipc-bench';

/**
 * For commands in an environment with the secret of agents: with --no, npx downloads no package of that name if the program is missing.
 */
export const COMMAND_ON_HOSTS = 'npx --no -- ipc-bench';

// zsh and fish reject a * that matches no file, and expand words that begin with = (zsh) or % (fish).
const PLAIN = /^[\w./][\w@%+=:,./-]*$/;

// PowerShell splits words at commas, and cmd.exe supports only double quotes.
const PLAIN_ON_WINDOWS = /^[\w./\\][\w@+=:./\\-]*$/;
const ONLY_POWERSHELL = /["$`]/; // the two shells read these characters differently in double quotes

/** @param {string} text @param {NodeJS.Platform} [platform] @returns {string} quoted if needed */
export function shellWord(text, platform = process.platform) {
  if (platform === 'win32') {
    if (PLAIN_ON_WINDOWS.test(text)) return text;
    return ONLY_POWERSHELL.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;
  }
  // Within single quotes a backslash is literal in bash and zsh, but may escape in fish.
  return PLAIN.test(text) ? text : `'${text.replaceAll(/['\\]/g, (character) => `'\\${character}'`)}'`;
}

/**
 * @param {string} flag
 * @param {unknown} value   as in a configuration file
 * @param {NodeJS.Platform} [platform]
 * @returns {string} '--quick', '--no-controls', '--codec json,v8'
 */
export function flagText(flag, value, platform = process.platform) {
  if (typeof value === 'boolean') return `--${value ? '' : 'no-'}${flag}`;
  const list = String(value);
  // Lists of numbers reject '1,500', which may also be a single number.
  const text = /^\d{1,3}(?:,\d{3})+$/.test(list) ? list.replaceAll(',', ', ') : list;
  // After a space, a leading '-' would begin the next option.
  return `--${flag}${text.startsWith('-') ? '=' : ' '}${shellWord(text, platform)}`;
}
