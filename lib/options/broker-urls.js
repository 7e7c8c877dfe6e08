// URLs of the user's brokers. A broker on another machine may serve other users, so connecting to it needs
// --allow-remote-broker. The names of brokers are checked once the plug-ins are loaded, since third parties may add brokers.

import { accessSync, constants, statSync } from 'node:fs';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';
import { maskUrl, redactUrl } from '../format/redact.js';
import { isSocketUrl, parsedUrl, parseSocketPath, SOCKET_PATH_MAX_BYTES } from '../format/socket-url.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadTransports } from '../plugins/plugins.js';
import { isInEnvironment } from './option-table.js';

/** @import { Broker, Transport } from '../types/index.js' */
/** @import { Layer } from './layers.js' */
/** @import { Source } from '../format/quantity.js' */
/** @typedef {{ broker: string, text: string, source: Source }} BrokerUrl   `text` is a URL */

const LOOPBACK = /^(|localhost|127(\.\d{1,3}){3}|\[::1\])$/i; // Clients read an empty host as 127.0.0.1.
const REMOTE_KEYS = ['host', 'sentinels', 'natMap']; // ioredis reads these options from the query of a URL.
// URLs contain commas, so an entry ends only at a comma that a name and a scheme follow.
const NEXT_URL = /,(?=\s*[a-z0-9][\w.-]*=[a-z][a-z0-9+.-]*:\/\/)/i;

/**
 * Built-in broker → its usual scheme, for messages that are written before the plug-ins are loaded.
 * @type {Readonly<Record<string, string>>}
 */
export const USUAL_SCHEMES = Object.freeze({ mqtt: 'mqtt', nats: 'nats', rabbitmq: 'amqp', redis: 'redis' });

/**
 * Reads the URL of each broker from the strongest layer that names it.
 * @param {Layer[]} layers    the strongest first
 * @param {boolean} isRemoteAllowed
 * @returns {Record<string, string>} name of a broker → URL
 */
export function readBrokerUrls(layers, isRemoteAllowed) {
  return Object.fromEntries(
    strongestEntries(layers).map((entry) => [entry.broker, checkUrl(entry, isRemoteAllowed)]),
  );
}

/**
 * Writes --broker-url for the same brokers, with *** for user names and passwords, and without brokers from the environment.
 * @param {Layer[]} layers
 * @returns {Record<string, string | undefined>} flag → value
 */
export function brokerTexts(layers) {
  const texts = strongestEntries(layers)
    .filter(({ source }) => !isInEnvironment('broker-url', source))
    .map(({ broker, text }) => `${broker}=${maskUrl(text.trim())}`);
  return { 'broker-url': texts.length === 0 ? undefined : texts.join(',') };
}

/** @param {Layer[]} layers   the strongest first @returns {BrokerUrl[]} one for each broker */
function strongestEntries(layers) {
  /** @type {Map<string, BrokerUrl>} */
  const strongest = new Map();
  for (const layer of layers) {
    for (const [broker, entry] of readEntries(layer)) {
      if (!strongest.has(broker)) strongest.set(broker, entry);
    }
  }
  return [...strongest.values()];
}

/** @param {Layer} layer @returns {Map<string, BrokerUrl>} by broker */
function readEntries({ 'broker-url': given }) {
  /** @type {Map<string, BrokerUrl>} */
  const byBroker = new Map();
  if (given === undefined) return byBroker;
  const { texts, source } = given;
  for (const entry of texts.flatMap((text) => text.split(NEXT_URL))) {
    const [, broker, text] = /^\s*([a-z0-9][\w.-]*)=(.+)$/is.exec(entry) ?? [];
    // The entry is not quoted, because it may begin with a password.
    if (broker === undefined) refuse(source, `an entry has no name; write ${namedExample(entry)}`);
    if (byBroker.has(broker)) refuse(source, `names ${quoted(broker)} twice; keep one`);
    byBroker.set(broker, { broker, text, source });
  }
  return byBroker;
}

/** @param {string} entry   a URL without the name of its broker @returns {string} the form with a name */
function namedExample(entry) {
  const [, scheme] = /^\s*([a-z]+?)s?:\/\//i.exec(entry) ?? [];
  const [name, usual] = Object.entries(USUAL_SCHEMES).find(
    ([, known]) => known === scheme?.toLowerCase(),
  ) ?? ['nats', 'nats'];
  return `${name}=${usual}://host:port`;
}

/** @param {BrokerUrl} entry @param {boolean} isRemoteAllowed @returns {string} */
function checkUrl({ broker, text, source }, isRemoteAllowed) {
  const url = text.trim();
  // The URL is not quoted, because it may contain a password.
  if (isSocketUrl(url)) {
    const reason = socketUrlProblem(url);
    if (reason !== null) refuse(source, reason);
  }
  const parsed = parsedUrl(url);
  if (!/^[a-z][a-z0-9+.-]*:\/\/./i.test(url) || parsed === null) {
    const written = url.startsWith('/')
      ? 'its unix socket as unix:///path'
      : `${broker}=${Object.hasOwn(USUAL_SCHEMES, broker) ? USUAL_SCHEMES[broker] : 'SCHEME'}://host:port`;
    return refuse(source, `this is not the URL of a broker; write ${written}`);
  }
  // ioredis accepts the path of a unix socket in the query, but this tool would treat the URL as one with a host.
  if (broker === 'redis' && !isSocketUrl(url) && parsed.searchParams.has('path')) {
    refuse(source, 'a unix socket is not named in the query; write unix:///path');
  }
  refuseRemoteBroker(parsed, url, { broker, isAllowed: isRemoteAllowed, source });
  return url;
}

/** @param {URL} parsed @param {string} url @param {{ broker: string, isAllowed: boolean, source: Source }} how */
function refuseRemoteBroker({ hostname, searchParams }, url, { broker, isAllowed, source }) {
  const isLocal = LOOPBACK.test(hostname) && !REMOTE_KEYS.some((key) => searchParams.has(key));
  if (isLocal || isAllowed) return;
  const builtin = builtinNames('transport');
  // Brokers of third-party transports are unknown until the plug-ins are loaded.
  if (!builtin.some((name) => name === broker || name.startsWith(`${broker}-`))) {
    refuse(
      source,
      `no built-in transport has a broker ${quoted(broker)}, and ${redactUrl(url)} is on another machine; check the name, or ` +
        `add --allow-remote-broker for a transport of your own.${didYouMean(broker, builtin)}`,
    );
  }
  refuse(
    source,
    `${redactUrl(url)} is on another machine, and all its users would feel the load of a benchmark. ` +
      'Use one of this machine, or add --allow-remote-broker if it is yours alone',
  );
}

// Unix sockets: the URL is checked with the options, the socket only if a transport of the run uses it.

const WRITTEN = 'write the path from the root on, behind three slashes: unix:///path/to/socket';

/**
 * @param {string} url      URL with the scheme of a socket
 * @param {NodeJS.Platform} [platform]
 * @returns {string | null} the problem and its remedy
 */
export function socketUrlProblem(url, platform = process.platform) {
  if (platform === 'win32') return 'Node reaches no unix socket on Windows; give a URL with a host';
  const parsed = parsedUrl(url);
  const path = parseSocketPath(url);
  if (parsed?.hash) return 'a # ends the path; write %23 for one that belongs to it';
  if (path === null && /%(?![\da-f]{2})/i.test(parsed?.pathname ?? '')) {
    return 'a % in the path begins an escape; write %25 for one that belongs to it';
  }
  if (path === null) return `this names no unix socket; ${WRITTEN}`;
  if (path.includes('\0')) return `a path cannot contain %00; ${WRITTEN}`;
  const bytes = Buffer.byteLength(path);
  if (bytes <= SOCKET_PATH_MAX_BYTES) return null;
  return `the path of the socket has ${bytes} bytes and the system allows ${SOCKET_PATH_MAX_BYTES}: give a shorter one, such as a symbolic link to it`;
}

/** @param {string} url   one that socketUrlProblem() accepts @returns {string | null} the problem and its remedy */
export function missingSocketProblem(url) {
  const path = String(parseSocketPath(url));
  const shown = redactUrl(url);
  try {
    if (!statSync(path).isSocket()) return `what is at ${shown} is not a socket; check the path`;
    accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'EACCES') {
      return `there is no socket at ${shown} (${code}); start the server that listens there, or correct the path`;
    }
    return `you may not connect to ${shown} (${code}); become a member of its group, or have the server open it to you`;
  }
}

/** @typedef {{ plugin: Transport }} LoadedBroker */

/**
 * Refuses names that no known transport uses, URLs that do not fit their broker, and missing sockets of brokers that this run uses. A URL
 * in the environment may be for another run, so its broker may be unused in this one.
 * @param {Record<string, string>} brokerUrls
 * @param {Iterable<LoadedBroker>} loaded
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function refuseStrangeBrokers(brokerUrls, loaded) {
  if (Object.keys(brokerUrls).length === 0) return;
  const builtin = await loadTransports(builtinNames('transport'));
  const measured = [...loaded].flatMap(({ plugin }) => plugin.broker ?? []);
  const brokers = [...measured, ...[...builtin.values()].flatMap(({ plugin }) => plugin.broker ?? [])];
  for (const [name, url] of Object.entries(brokerUrls)) {
    refuseUnknownBroker(name, url, brokers);
    const isNeeded = measured.some((broker) => broker.name === name);
    const reason = isNeeded && isSocketUrl(url) ? missingSocketProblem(url) : null;
    if (reason !== null) throw new BenchError('BAD_ARGUMENT', `--broker-url ${name}: ${reason}`);
  }
}

/** @param {string} name @param {string} url   may contain a password, so it is never quoted in full @param {Broker[]} brokers */
function refuseUnknownBroker(name, url, brokers) {
  const option = `--broker-url ${name}`;
  /** @param {string} what */
  const refuse = (what) => {
    throw new BenchError('BAD_ARGUMENT', what);
  };
  const broker = brokers.find((one) => one.name === name);
  if (broker === undefined) {
    const known = [...new Set(brokers.map((one) => one.name))].sort();
    const next = `those of the transports are ${known.join(', ')}`;
    return refuse(`--broker-url: there is no broker ${quoted(name)}; ${next}.${didYouMean(name, known)}`);
  }
  const { urlSchemes = [] } = broker;
  if (urlSchemes.length === 0) return refuse(`${option}: ${name} takes no URL; leave it out`);
  const scheme = url.slice(0, url.indexOf(':')).toLowerCase();
  if (urlSchemes.includes(scheme)) {
    const reason = broker.whyBadUrl?.(url) ?? null;
    if (reason !== null) refuse(`${option}: ${reason}`);
    return;
  }
  if (isSocketUrl(url) && !urlSchemes.some((known) => isSocketUrl(`${known}:`))) {
    refuse(`${option}: a server of ${name} listens on no unix socket; write ${urlSchemes[0]}://host:port`);
  }
  const wanted = urlSchemes.map((known) => `${known}://`).join(' or ');
  refuse(
    `${option}: ${name} is reached by ${wanted}, not by ${quoted(`${scheme}://`)}; write ${urlSchemes[0]}://host:port`,
  );
}
