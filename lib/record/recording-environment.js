// Environment variables that make the Node.js of a recorded program load the recorder, and that contain its settings.

import { fileURLToPath } from 'node:url';
import { MIB } from '../format/units.js';
import { quoteNodeOption, splitNodeOptions } from '../machine/node-options.js';
import { findScript } from './program-label.cjs';

/**
 * @typedef {object} RecordingSettings
 * @property {string} folder
 * @property {string} key   secret from which the replacements of field names are computed
 * @property {boolean} hasContents
 * @property {number} [mostBytes]   cap of the facts of all processes and threads
 */

/** Name of the variable with the settings, repeated in preload.cjs. */
export const SETTINGS = 'RECORDED_BY_IPC_BENCH';
const PRELOAD = fileURLToPath(new URL('preload.cjs', import.meta.url));
const OPTION = `--require=${quoteNodeOption(PRELOAD)}`;
/** Default limit of the facts, enough for some 30 seconds of 100,000 round trips per second. */
export const MAX_BYTES = 256 * MIB;
const PERMISSIONS = /^--(experimental-)?permission$/;

/**
 * @param {RecordingSettings} settings
 * @param {Record<string, string | undefined>} environment
 * @returns {Record<string, string>} variables for the program
 */
export function recordingEnvironment(
  { folder, key, hasContents, mostBytes = MAX_BYTES },
  { NODE_OPTIONS = '' },
) {
  const settings = new URLSearchParams({
    to: folder,
    key,
    cap: String(mostBytes),
    ...(hasContents && { contents: '1' }),
  });
  return { NODE_OPTIONS: `${OPTION} ${NODE_OPTIONS}`.trim(), [SETTINGS]: String(settings) };
}

/** @param {string} nodeOptions */
export const hasPreload = (nodeOptions) => nodeOptions.includes(OPTION);

/** @param {string} nodeOptions */
export const withoutPreload = (nodeOptions) => nodeOptions.replace(OPTION, '').trim();

/**
 * @param {string[]} args   flags of Node.js, its script and arguments of the script
 * @param {string} nodeOptions
 * @returns {string | null} reason why the program would fail with the recorder
 */
export function findObstacle(args, nodeOptions) {
  const flags = [...args.slice(0, findScript(args)), ...splitNodeOptions(nodeOptions)];
  return flags.some((flag) => PERMISSIONS.test(flag))
    ? 'it runs under the permission model, which does not let it load the recorder'
    : null;
}
