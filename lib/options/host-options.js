// The hosts of a run, and the connection to their agents. The secret and the password of the URL are never stored or printed.

import { statSync } from 'node:fs';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';
import { maskUrl } from '../format/redact.js';
import { refuseBeside } from './flag-rules.js';
import { checkShortName } from './flags.js';
import { isInEnvironment, OPTION_TABLE } from './option-table.js';
import { isOn, splitList } from './quantities.js';

/** @import { Agents, HostChoice } from '../types/index.js' */
/** @import { Source } from '../format/quantity.js' */
/** @import { FindFlag, FlagTexts } from './quantities.js' */

const MIN_SECRET = 16;
export const AGENT_FLAGS = Object.keys(OPTION_TABLE).filter((flag) => OPTION_TABLE[flag].partOf === 'agents');
/** Limits --message-file, whose content each launch sends to the hosts. */
export const MAX_SENT_BYTES = 8 * 2 ** 20;

/**
 * @param {FindFlag} find
 * @param {Record<string, string | undefined>} environment
 * @returns {{ hosts?: HostChoice, agents?: Agents }} empty if everything runs on this host
 */
export function hostOptions(find, environment) {
  const [given, master, workers] = [find('agents'), find('master-on'), find('workers-on')];
  if (given === undefined) return {};
  // The environment may name agents for all runs, but a run uses them only if it names hosts.
  if (isInEnvironment('agents', given.source) && master === undefined && workers === undefined) return {};
  refuseLargeFile(find('message-file'));
  refuseBeside(find, 'agents');
  if (master === undefined || workers === undefined) {
    refuse(given.source, 'needs --master-on NAME and --workers-on NAME,... as well');
  }
  const redisUrl = readUrl(given);
  const hosts = {
    ...makeHostChoice(master, workers),
    ...(isOn(find('same-machine')) && { sharesFolder: /** @type {const} */ (true) }),
  };
  const secret = readSecret(environment);
  if (secret === undefined) {
    refuse(given.source, 'needs the secret of the agents: set IPC_BENCH_SECRET in the environment');
  }
  return { hosts, agents: { url: redisUrl, secret } };
}

/**
 * Writes the flags that name the same agents, with *** for user name and password, and without values from the environment.
 * @param {FindFlag} find
 * @returns {Record<string, string>} flag → value
 */
export function agentTexts(find) {
  const written = AGENT_FLAGS.flatMap((flag) => {
    const given = find(flag);
    if (given === undefined || isInEnvironment(flag, given.source)) return [];
    return [[flag, flag === 'agents' ? maskUrl(readUrl(given)) : given.texts.join(',')]];
  });
  return Object.fromEntries(written);
}

/** @param {FlagTexts | undefined} file */
function refuseLargeFile(file) {
  const bytes = file === undefined ? 0 : statSync(file.texts[0]).size;
  if (file === undefined || bytes <= MAX_SENT_BYTES) return;
  const [much, most] = [bytes, MAX_SENT_BYTES].map((size) => `${Math.ceil(size / 2 ** 20)} MiB`);
  const next = 'take a sample of the lines, as with shuf -n 10000';
  refuse(
    file.source,
    `the file has ${much}, and goes to other hosts with each launch, which takes ${most}; ${next}`,
  );
}

/** @param {string} url */
export function isRedis(url) {
  return /^rediss?:\/\/./i.test(url);
}

/** @param {FlagTexts} given */
function readUrl({ texts, source }) {
  const url = texts[0].trim();
  // The URL is not quoted, because it may contain a password.
  if (!isRedis(url) || !URL.canParse(url))
    refuse(source, 'this is no URL of a Redis; write redis://host:port or rediss://host:port');
  return url;
}

/** @param {FlagTexts} master @param {FlagTexts} workers @returns {HostChoice} */
function makeHostChoice(master, workers) {
  const on = splitList(workers.texts, workers.source);
  const named = {
    master: checkName(master.texts[0], master.source),
    workers: on.map((name) => checkName(name, workers.source)),
  };
  const twice = named.workers.find((name, index) => named.workers.indexOf(name) !== index);
  if (twice !== undefined)
    refuse(workers.source, `names ${quoted(twice)} twice; workers are assigned to the hosts in turn`);
  if (named.workers.includes(named.master)) {
    const next = 'what is on one host is measured without --agents';
    refuse(workers.source, `${quoted(named.master)} is the host of the master already; ${next}`);
  }
  return named;
}

/** @param {string} text @param {Source} source */
export function checkName(text, source) {
  return checkShortName(text, source, 'of a host');
}

/** @param {Record<string, string | undefined>} environment @returns {string | undefined} */
export function readSecret({ IPC_BENCH_SECRET }) {
  const secret = IPC_BENCH_SECRET?.trim();
  if (secret === undefined) return undefined;
  if (secret.length < MIN_SECRET) {
    refuse(
      { label: 'IPC_BENCH_SECRET', code: 'BAD_ARGUMENT' },
      `the secret is too short: use ${MIN_SECRET} characters or more, as \`openssl rand -hex 32\` makes them`,
    );
  }
  return secret;
}
