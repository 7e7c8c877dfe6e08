// Text → on which hosts a launch runs, and how their agents are reached. The URL and the secret are never stored or printed.

import { statSync } from 'node:fs';
import { THIS_NODE } from '../cell/launch-roles.js';
import { quoted } from '../format/printable.js';
import { redactUrl } from '../format/redact.js';
import { NO_NETWORK } from './axis-values.js';
import { checkShortName } from './flags.js';
import { environmentName } from './option-table.js';
import { isOn, refuse, splitList, textOfFile } from './quantities.js';

/** @import { Agents, HostChoice } from '../types/index.js' */

/** @import { Find, Given, Source } from './quantities.js' */

const LEAST_SECRET = 16;
/** How hosts are reached: never stored, and shown without secrets only. */
export const AGENT_FLAGS = Object.freeze(['agents', 'agents-file', 'secret-file']);
/** Of a file of messages: it goes with every order. */
export const GREATEST_SENT_BYTES = 8 * 2 ** 20;

/**
 * @param {Find} find
 * @param {Record<string, string | undefined>} environment   of IPC_BENCH_SECRET
 * @returns {{ hosts?: HostChoice, agents?: Agents }} nothing: all on this host
 */
export function hostOptions(find, environment) {
  const [url, file] = [find('agents'), find('agents-file')];
  const [master, workers] = [find('master-on'), find('workers-on')];
  const given = url ?? file;
  if (given === undefined) {
    const idle = master ?? workers ?? find('same-machine');
    if (idle !== undefined) refuse(idle.source, 'needs --agents, which says how hosts are reached');
    return {};
  }
  // It may be left in the environment for all runs: only who names hosts asks for them.
  const isLeft = given.source.label === environmentName('agents');
  if (isLeft && master === undefined && workers === undefined) return {};
  if (url !== undefined && file !== undefined)
    refuse(url.source, `contradicts ${file.source.label}; give one of the two`);
  if (find('network')?.texts.some((text) => text !== NO_NETWORK))
    refuse(given.source, 'goes without --network, which is made on one host: theirs is the one between them');
  refuseLargeFile(find('message-file'));
  refuseOptionsOfOneHost(find);
  if (master === undefined || workers === undefined) {
    refuse(given.source, 'needs --master-on NAME and --workers-on NAME,... as well');
  }
  const redisUrl = readUrl(given, file !== undefined);
  const hosts = {
    ...makeHostChoice(/** @type {Given} */ (master), /** @type {Given} */ (workers)),
    ...(isOn(find('same-machine')) && { sharesFolder: /** @type {const} */ (true) }),
  };
  const secret = readSecret(find('secret-file'), environment);
  if (secret === undefined) {
    refuse(
      given.source,
      'needs the secret that the agents hold: --secret-file FILE, or IPC_BENCH_SECRET in the environment',
    );
  }
  return { hosts, agents: { url: redisUrl, secret } };
}

/**
 * @param {Find} find
 * @returns {Record<string, string>} flag → what is to be written to reach the same agents again, but for what is in the
 *   environment already; *** replaces the user name, and the password
 */
export function agentTexts(find) {
  const written = AGENT_FLAGS.flatMap((flag) => {
    const given = find(flag);
    if (given === undefined || given.source.label === environmentName(flag)) return [];
    return [[flag, flag === 'agents' ? shownUrl(readUrl(given, false)) : given.texts.join(',')]];
  });
  return Object.fromEntries(written);
}

/** @param {string} url */
function shownUrl(url) {
  const shown = redactUrl(url);
  return url.includes('@') ? shown.replace('://', '://***@') : shown;
}

/** @param {Given | undefined} file   of messages, which has been read */
function refuseLargeFile(file) {
  const bytes = file === undefined ? 0 : statSync(file.texts[0]).size;
  if (file === undefined || bytes <= GREATEST_SENT_BYTES) return;
  const [much, most] = [bytes, GREATEST_SENT_BYTES].map((size) => `${Math.ceil(size / 2 ** 20)} MiB`);
  const next = 'take a sample of the lines, as with shuf -n 10000';
  refuse(
    file.source,
    `the file has ${much}, and goes to other hosts with each launch, which takes ${most}; ${next}`,
  );
}

// What examines or starts further programs does so on one host.
const OF_ONE_HOST = ['floor', 'profile', 'syscalls', 'explain'];

/** @param {Find} find @throws {import('../errors.js').BenchError} BAD_ARGUMENT */
function refuseOptionsOfOneHost(find) {
  for (const flag of OF_ONE_HOST) {
    const given = find(flag);
    if (given !== undefined && isOn(given))
      refuse(given.source, 'goes without --agents: it is measured on one host only');
  }
  const others = find('runtime')?.texts.flatMap((text) => text.split(',')) ?? [];
  const runtime = others.some((text) => text.trim() !== THIS_NODE) ? find('runtime') : undefined;
  const given = runtime ?? find('runtime-path');
  if (given !== undefined)
    refuse(given.source, 'goes without --agents: between hosts, each agent starts the Node on which it runs');
}

/** @param {string} url */
export function isRedis(url) {
  return /^rediss?:\/\/./i.test(url);
}

/** @param {Given} given @param {boolean} isFile */
function readUrl({ texts, source }, isFile) {
  const [text] = texts;
  const url = (isFile ? textOfFile(text.trim(), source) : text).trim();
  // Never quoted: it may hold a password.
  if (!isRedis(url) || !URL.canParse(url))
    refuse(source, 'this is no URL of a Redis; write redis://host:port or rediss://host:port');
  return url;
}

/** @param {Given} master @param {Given} workers @returns {HostChoice} */
function makeHostChoice(master, workers) {
  const on = splitList(workers.texts, workers.source);
  const named = {
    master: checkName(master.texts[0], master.source),
    workers: on.map((name) => checkName(name, workers.source)),
  };
  const twice = named.workers.find((name, place) => named.workers.indexOf(name) !== place);
  if (twice !== undefined) refuse(workers.source, `names ${quoted(twice)} twice; workers take turns anyway`);
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

/** @param {Given | undefined} file @param {Record<string, string | undefined>} environment @returns {string | undefined} */
export function readSecret(file, { IPC_BENCH_SECRET }) {
  const source = file?.source ?? { label: 'IPC_BENCH_SECRET', code: /** @type {const} */ ('BAD_ARGUMENT') };
  const text = file === undefined ? IPC_BENCH_SECRET : textOfFile(file.texts[0], source);
  if (text === undefined) return undefined;
  const secret = text.trim();
  if (secret.length < LEAST_SECRET) {
    refuse(
      source,
      `the secret is too short: use ${LEAST_SECRET} characters or more, as \`openssl rand -hex 32\` makes them`,
    );
  }
  return secret;
}
