// Command lines that are shown to be pasted into a shell: bash, zsh or fish; on Windows PowerShell or cmd.exe.

/** npx finds it in a clone, in a project that it is installed in, and where it is installed globally. */
export const COMMAND = 'npx ipc-bench';

// zsh and fish refuse a * that matches no file, zsh looks up what begins with =, and fish what begins with %.
const PLAIN = /^[\w./][\w@%+=:,./-]*$/;

// PowerShell splits words at commas, and cmd.exe only knows double quotes.
const PLAIN_ON_WINDOWS = /^[\w./\\][\w@+=:./\\-]*$/;
const ONLY_POWERSHELL = /["$`]/; // within double quotes; there is no quoting of these that both of them read

/** @param {string} text @param {NodeJS.Platform} [platform] @returns {string} as every shell takes it for one word */
export function shellWord(text, platform = process.platform) {
  if (platform === 'win32') {
    if (PLAIN_ON_WINDOWS.test(text)) return text;
    return ONLY_POWERSHELL.test(text) ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;
  }
  // A backslash within single quotes is itself in bash and zsh, and may escape in fish.
  return PLAIN.test(text) ? text : `'${text.replaceAll(/['\\]/g, (character) => `'\\${character}'`)}'`;
}

/**
 * @param {string} flag
 * @param {unknown} value   as --config has it
 * @param {NodeJS.Platform} [platform]
 * @returns {string} '--quick', '--no-controls', '--codec json,v8'
 */
export function flagText(flag, value, platform = process.platform) {
  if (typeof value === 'boolean') return `--${value ? '' : 'no-'}${flag}`;
  const text = String(value);
  // After a blank it would be read as the next option.
  return `--${flag}${text.startsWith('-') ? '=' : ' '}${shellWord(text, platform)}`;
}
