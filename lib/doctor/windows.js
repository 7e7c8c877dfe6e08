// Facts about Windows and their checks: power plan, parked cores, virus scanner and timer resolution. `powercfg` prints in the language of
// the user, so only numbers and ids of its output are parsed. A fact is null if its program is missing, fails, is late or prints something
// else.

import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { shellWord } from '../format/flag-text.js';
import { median } from '../statistics/rank-tests.js';

/** @import { Check } from './checks.js' */
/**
 * Returns stdout, or null if the program fails or is late.
 * @typedef {(command: string, args: string[]) => Promise<string | null>} RunProgram
 */
/**
 * @typedef {object} WindowsFacts          A fact is null if it is unknown.
 * @property {string | null} powerPlan     the id of the plan
 * @property {number | null} wakeCores     minimum percentage of unparked cores on mains power
 * @property {boolean | null} scansFolder  true if the virus scanner scans the folder in real time
 * @property {number | null} timerMs       actual duration of a timer of 1 ms
 * @property {string} folder               the working directory
 */

const DEADLINE_MS = 10_000; // a first start of PowerShell takes up to three seconds
const TIMERS = 9;

// GUIDs of power schemes, from https://learn.microsoft.com/windows-server/administration/windows-commands/powercfg and
// https://learn.microsoft.com/windows/win32/power/power-policy-settings
const PLANS = Object.freeze({
  '381b4222-f694-41f0-9685-ff5bb260df2e': 'balanced',
  '8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c': 'high performance',
  'a1841308-3541-4fab-bc81-f71556f20b4a': 'power saver',
  'e9a42b02-d5df-448d-aa00-03f14749eb61': 'ultimate performance',
});
const FAST_PLANS = ['high performance', 'ultimate performance'];
const SCANNER =
  '@{ isOn = (Get-MpComputerStatus).RealTimeProtectionEnabled; without = @((Get-MpPreference).ExclusionPath) } | ConvertTo-Json -Compress';

/** @param {string} command @param {string[]} args @param {number} [deadlineMs] @returns {ReturnType<RunProgram>} */
export function runProgram(command, args, deadlineMs = DEADLINE_MS) {
  return new Promise((resolve) => {
    const options = { timeout: deadlineMs, killSignal: /** @type {const} */ ('SIGKILL'), windowsHide: true };
    execFile(command, args, options, (error, stdout) => resolve(error === null ? stdout : null));
  });
}

/** @returns {Promise<number>} */
async function measureTimerMs() {
  const lengths = [];
  for (let count = 0; count < TIMERS; count++) {
    const from = performance.now();
    await sleep(1);
    lengths.push(performance.now() - from);
  }
  return median(lengths);
}

/**
 * @param {string} [folder]
 * @param {RunProgram} [run]
 * @param {() => Promise<number | null>} [measureTimer]
 * @returns {Promise<WindowsFacts>}
 */
export async function readWindowsFacts(
  folder = process.cwd(),
  run = runProgram,
  measureTimer = measureTimerMs,
) {
  const [plan, parking, scanner, timerMs] = await Promise.all([
    run('powercfg', ['/getactivescheme']),
    run('powercfg', ['/qh', 'SCHEME_CURRENT', 'SUB_PROCESSOR', 'CPMINCORES']),
    run('powershell', ['-NoProfile', '-NonInteractive', '-Command', SCANNER]),
    measureTimer(),
  ]);
  return {
    powerPlan: /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i.exec(plan ?? '')?.[0].toLowerCase() ?? null,
    wakeCores: parseWakeCores(parking ?? ''),
    scansFolder: parseScanner(scanner ?? '', folder),
    timerMs,
    folder,
  };
}

/**
 * @param {string} text   ends with the values on mains power and on battery
 * @returns {number | null} percent of the cores, on mains power
 */
function parseWakeCores(text) {
  const mains = text.match(/\b0x[\da-f]{8}\b/gi)?.at(-2);
  return mains === undefined ? null : Number(mains);
}

/** @param {string} text @param {string} folder @returns {boolean | null} */
function parseScanner(text, folder) {
  try {
    const { isOn, without } = JSON.parse(text);
    if (typeof isOn !== 'boolean') return null;
    // Without administrator rights, Windows prints a sentence instead of the list of excluded folders.
    const isLeftOut = [without].flat().some((path) => typeof path === 'string' && contains(path, folder));
    return isOn && !isLeftOut;
  } catch {
    return null;
  }
}

/** @param {string} parent @param {string} folder   both are Windows paths */
function contains(parent, folder) {
  const [outer, inner] = [parent, folder].map((path) => `${path.toLowerCase().replace(/[\\/]+$/, '')}\\`);
  return outer !== '\\' && inner.startsWith(outer);
}

/** @param {(windows: WindowsFacts) => ReturnType<Check>} check @returns {Check} */
const onWindows = (check) => (facts) => check(/** @type {WindowsFacts} */ (facts.windows));

/** @param {string} question   the source of the fact: a program, or 'the clock' @returns {ReturnType<Check>} */
const unknownBy = (question) => ({ level: 'unknown', found: `unknown: ${question} gave no usable output` });

/** The commands are for PowerShell, run as administrator. @type {Readonly<Record<string, Check>>} */
export const WINDOWS_CHECKS = Object.freeze({
  'power plan': onWindows(({ powerPlan }) => {
    if (powerPlan === null) return unknownBy('powercfg');
    const name = /** @type {Record<string, string>} */ (PLANS)[powerPlan] ?? `plan ${powerPlan}`;
    return {
      level: FAST_PLANS.includes(name) ? 'ok' : 'advice',
      found: name,
      means: 'the CPU frequency follows the load: transports that wait more are measured on a slower CPU',
      mend: 'powercfg /setactive SCHEME_MIN',
    };
  }),
  'core parking': onWindows(({ wakeCores }) => {
    if (wakeCores === null) return unknownBy('powercfg');
    return {
      level: wakeCores >= 100 ? 'ok' : 'advice',
      found: wakeCores >= 100 ? 'off' : `${wakeCores} % of the cores stay awake`,
      means: 'processes that wake up wait for a parked core, or share one that is awake',
      mend: 'powercfg /setacvalueindex SCHEME_CURRENT SUB_PROCESSOR CPMINCORES 100; powercfg /setactive SCHEME_CURRENT',
    };
  }),
  'file scans': onWindows(({ scansFolder, folder }) => {
    if (scansFolder === null) return unknownBy('Get-MpComputerStatus');
    return {
      level: scansFolder ? 'advice' : 'ok',
      found: scansFolder ? 'Defender reads each file of this folder that is opened' : 'none in this folder',
      means: 'starts of processes, and saves of results, wait for the scanner and use its CPU time',
      mend: `Add-MpPreference -ExclusionPath ${shellWord(folder, 'win32')}`,
    };
  }),
  timers: onWindows(({ timerMs }) => {
    if (timerMs === null) return unknownBy('the clock');
    return {
      level: timerMs < 4 ? 'ok' : 'advice',
      found: `1 ms takes ${timerMs.toFixed(1)} ms`,
      means:
        'open load that timers pace (--rate with fewer CPUs than processes) comes in bursts of that length; restart after this command (Windows 11, Server 2022), and keep a program open that requests timers of 1 ms',
      mend: "Set-ItemProperty 'HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\kernel' GlobalTimerResolutionRequests 1 -Type DWord",
    };
  }),
});
