// Environment variables that make the Node.js of a recorded program load the recorder, and that contain its settings.

import { fileURLToPath } from 'node:url';
import { quoteNodeOption, splitNodeOptions } from '../machine/node-options.js';
import { findScript } from './program-label.cjs';

/** @typedef {{ folder: string, key: string, hasContents: boolean }} Settings */

/** Name of the variable with the settings, repeated in preload.cjs. */
export const SETTINGS = 'RECORDED_BY_IPC_BENCH';
const PRELOAD = fileURLToPath(new URL('preload.cjs', import.meta.url));
const OPTION = `--require=${quoteNodeOption(PRELOAD)}`;
const PERMISSIONS = /^--(experimental-)?permission$/;

/**
 * @param {Settings} settings
 * @param {Record<string, string | undefined>} environment
 * @returns {Record<string, string>} variables for the program
 */
export function recordingEnvironment({ folder, key, hasContents }, { NODE_OPTIONS = '' }) {
  const settings = new URLSearchParams({ to: folder, key, ...(hasContents && { contents: '1' }) });
  return { NODE_OPTIONS: `${OPTION} ${NODE_OPTIONS}`.trim(), [SETTINGS]: String(settings) };
}

/** @param {string} nodeOptions */
export const hasPreload = (nodeOptions) => nodeOptions.includes(OPTION);

/** @param {string} nodeOptions */
export const withoutPreload = (nodeOptions) => nodeOptions.replace(OPTION, '').trim();

/**
 * @param {string[]} args   flags of Node.js, its script and arguments of the script
 * @param {string} nodeOptions
 * @returns {string} reason why the program would fail with the recorder, or an empty string
 */
export function findObstacle(args, nodeOptions) {
  const flags = [...args.slice(0, findScript(args)), ...splitNodeOptions(nodeOptions)];
  return flags.some((flag) => PERMISSIONS.test(flag))
    ? 'it runs under the permission model, which does not let it load the recorder'
    : '';
}
