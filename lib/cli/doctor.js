// `ipc-bench doctor`: reports what disturbs measurements on this machine, and how to fix it. It changes nothing.

import { inReadingOrder } from '../cell/traits.js';
import { diagnose } from '../doctor/checks.js';
import { readMachineFacts } from '../doctor/facts.js';
import { exitCode } from '../errors.js';
import { printable } from '../format/printable.js';
import { wrapped } from '../format/wrapped.js';
import { missingPackages } from '../machine/packages.js';
import { builtinNames } from '../plugins/builtins.js';
import { listedRuntimes } from '../plugins/find-runtimes.js';
import {
  availabilityProblem,
  codecUnavailableReason,
  loadCodecs,
  loadTransports,
} from '../plugins/plugins.js';
import { openDocument, readColumns, showText } from './process-io.js';

/** @import { CheckResult, Level } from '../doctor/checks.js' */

const MAX_WIDTH = 110;
/** @type {Readonly<Record<Level, string>>} */
const LEVEL_WORDS = Object.freeze({ ok: 'ok', advice: 'advice', unfit: 'UNFIT', unknown: '?' });

/**
 * @param {Record<string, any>} argv
 * @param {import('./main.js').Host} host
 * @returns {Promise<number>} exit code: 0 if the machine is fit to measure on, 6 if a check calls it unfit
 */
export async function doctor(argv, { stdout }) {
  const path = await openDocument(argv);
  const findings = diagnose(
    await readMachineFacts({ unavailable: await unavailablePlugins(), runtimesHere: await runtimesHere() }),
  );
  const isFit = findings.every(({ level }) => level !== 'unfit');
  const columns = readColumns(stdout, MAX_WIDTH);
  const document = `${JSON.stringify({ isFit, findings }, null, 2)}\n`;
  await showText(doctorText(findings, columns), document, path, stdout);
  return isFit ? 0 : exitCode('unfit');
}

/** @returns {Promise<import('../doctor/facts.js').MachineFacts['runtimesHere']>} */
async function runtimesHere() {
  const runtimes = await listedRuntimes();
  return runtimes.map(({ name, found }) => ({ name, versions: found.map(({ version }) => version) }));
}

/** @returns {Promise<import('../doctor/facts.js').MachineFacts['unavailable']>} */
async function unavailablePlugins() {
  const transports = await loadTransports(builtinNames('transport'));
  const codecs = await loadCodecs(builtinNames('codec'));
  // Pools are packages of the user's program, so a missing pool is not a fault.
  const wanted = inReadingOrder(transports).filter(({ traits }) => !traits.startsWorkers);
  const all = [
    ...wanted.map(async (plugin) => {
      const { name, traits } = plugin;
      const reason = await availabilityProblem(plugin, {});
      if (reason === null) return [];
      // On an unsupported platform, installing packages does not help.
      const isRightPlatform = traits.platforms.includes(process.platform);
      const packages = await missingPackages(isRightPlatform ? (traits.packages ?? []) : []);
      return [{ name, reason, packages, server: plugin.broker?.packages ?? null }];
    }),
    ...[...codecs.values()].map(async ({ plugin }) => {
      const reason = await codecUnavailableReason(plugin);
      if (reason === null) return [];
      const packages = await missingPackages(plugin.packages ?? []);
      return [{ name: `codec ${plugin.name}`, reason, packages, server: null }];
    }),
  ];
  return (await Promise.all(all)).flat();
}

/** @param {CheckResult[]} findings @param {number} columns */
export function doctorText(findings, columns) {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length));
  const levelWidth = Math.max(...Object.values(LEVEL_WORDS).map((word) => word.length));
  const indent = ' '.repeat(levelWidth + 2 + nameWidth + 2);
  const lines = findings.flatMap(({ check, level, found, means, mend }) => [
    `${LEVEL_WORDS[level].padEnd(levelWidth)}  ${check.padEnd(nameWidth)}  ${printable(found)}`,
    ...(means === null ? [] : wrapped(printable(means), columns - indent.length)).map(
      (line) => indent + line,
    ),
    // The command stays on one line, so that it can be copied.
    ...(mend === null ? [] : [`${indent}$ ${printable(mend)}`]),
  ]);
  return `${lines.join('\n')}\n\n${summariseFindings(findings)}\n`;
}

/** @param {CheckResult[]} findings */
function summariseFindings(findings) {
  const count = (/** @type {Level} */ level) => findings.filter((finding) => finding.level === level).length;
  const unfit = count('unfit');
  const advice = count('advice');
  const hints = advice === 0 ? '' : ` ${advice} more could be better.`;
  if (unfit === 0) return `This machine is fit to measure on.${hints}`;
  return `${unfit} of ${findings.length} checks call this machine unfit to measure on.${hints}`;
}
