// What a build on GitHub Actions gets besides: a summary on its page, and annotations. Nothing here can make a
// command fail: the numbers were printed before.

import { appendFile, stat } from 'node:fs/promises';
import { printable } from '../words/printable.js';

/** @typedef {Record<string, string | undefined>} Environment */

// What one step may add; with more, nothing of it is shown. Source: GitHub Docs, "Adding a job summary", step limits.
const GREATEST_SUMMARY_BYTES = 2 ** 20;
// GitHub shows ten of each kind per step.
const GREATEST_ANNOTATIONS = 10;

/** @param {Environment} environment @returns {boolean} */
export function isOnGithub({ GITHUB_ACTIONS }) {
  return GITHUB_ACTIONS === 'true';
}

/**
 * @param {(greatestBytes: number) => string} markdown as much of it as fits; '' where nothing does
 * @param {Environment} environment
 * @returns {Promise<string | null>} why there is no summary although one was to be expected
 */
export async function addToStepSummary(markdown, { GITHUB_STEP_SUMMARY: path }) {
  if (!path) return null;
  try {
    const found = await stat(path).catch(() => null);
    const text = markdown(GREATEST_SUMMARY_BYTES - (found?.size ?? 0) - 1);
    if (text === '') return 'the summary of this step is full: nothing was added to it';
    await appendFile(path, `\n${text}`);
    return null;
  } catch (error) {
    return `nothing was added to the summary of this step: ${printable(/** @type {Error} */ (error).message)}`;
  }
}

/**
 * Source: GitHub Docs, "Workflow commands", setting a warning message.
 * @param {string[]} messages
 * @returns {string} lines that become annotations of the build
 */
export function warningAnnotations(messages) {
  const lines = messages.slice(0, GREATEST_ANNOTATIONS).map((message) => {
    const text = printable(message).replaceAll('%', '%25');
    return `::warning title=ipc-bench::${text}\n`;
  });
  return lines.join('');
}

/**
 * The runner obeys whatever looks like a command, also where a name from a results file stands.
 * @param {string} text for stdout
 * @returns {string}
 */
export function withoutWorkflowCommands(text) {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '# #[');
}
