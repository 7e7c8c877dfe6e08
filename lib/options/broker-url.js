// URLs of brokers of the user's own, and where they may be. One on another machine may serve others: it is only put under
// load when the user says so on the command line, and until then nothing connects to it.

import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { redactUrl } from '../format/redact.js';
import { isSocketUrl, parsedUrl } from '../format/socket-url.js';
import { builtinNames } from '../plugins/builtins.js';
import { socketUrlProblem } from './broker-socket.js';
import { textOfFile } from './layers.js';
import { refuse } from './quantities.js';

/** @import { Given, Layer } from './layers.js' */
/** @import { Source } from './quantities.js' */
/** @typedef {{ broker: string, text: string, isFile: boolean, source: Source }} Entry   text: a URL, or the path of one */

const LOOPBACK = /^(|localhost|127(\.\d{1,3}){3}|\[::1\])$/i; // none: what clients take for 127.0.0.1
const REMOTE_KEYS = ['host', 'sentinels', 'natMap']; // ioredis takes options from the query of a URL as well
// A comma also stands inside of URLs: the next entry begins where one is followed by a name and a scheme, or a path.
const NEXT_URL = /,(?=\s*[a-z0-9][\w.-]*=[a-z][a-z0-9+.-]*:\/\/)/i;
const NEXT_FILE = /,(?=\s*[a-z0-9][\w.-]*=)/i;

/**
 * Stronger layers decide, broker by broker.
 * @param {Layer[]} layers    the strongest first
 * @param {boolean} isRemoteAllowed
 * @returns {Record<string, string>} name of a broker → URL
 */
export function readBrokerUrls(layers, isRemoteAllowed) {
  /** @type {Map<string, Entry>} */
  const strongest = new Map();
  for (const layer of layers) {
    for (const [broker, entry] of readEntries(layer)) {
      if (!strongest.has(broker)) strongest.set(broker, entry);
    }
  }
  return Object.fromEntries(
    [...strongest].map(([broker, entry]) => [broker, checkUrl(entry, isRemoteAllowed)]),
  );
}

/** @param {Layer} layer @returns {Map<string, Entry>} by broker */
function readEntries(layer) {
  const entries = [
    ...redisEntries(layer['redis-url'], false),
    ...redisEntries(layer['redis-url-file'], true),
    ...namedEntries(layer['broker-url'], NEXT_URL, false),
    ...namedEntries(layer['broker-url-file'], NEXT_FILE, true),
  ];
  /** @type {Map<string, Entry>} */
  const byBroker = new Map();
  for (const entry of entries) {
    const rival = byBroker.get(entry.broker);
    if (rival?.source === entry.source) refuse(entry.source, `names ${quoted(entry.broker)} twice; keep one`);
    if (rival !== undefined) {
      refuse(rival.source, `contradicts ${entry.source.label}; give ${entry.broker} in one of the two`);
    }
    byBroker.set(entry.broker, entry);
  }
  return byBroker;
}

/** @param {Given | undefined} given @param {boolean} isFile @returns {Entry[]} */
function redisEntries(given, isFile) {
  return given === undefined ? [] : [{ broker: 'redis', text: given.texts[0], isFile, source: given.source }];
}

/**
 * @param {Given | undefined} given
 * @param {RegExp} comma    between two entries
 * @param {boolean} isFile
 * @returns {Entry[]}
 */
function namedEntries(given, comma, isFile) {
  if (given === undefined) return [];
  return given.texts
    .flatMap((text) => text.split(comma))
    .map((text) => {
      const [, broker, value] = /^\s*([a-z0-9][\w.-]*)=(.+)$/is.exec(text) ?? [];
      // Never quoted: without its name it may begin with a password.
      if (broker === undefined) {
        refuse(given.source, `an entry has no name; write ${isFile ? 'nats=FILE' : 'nats=nats://host:port'}`);
      }
      return { broker, text: value, isFile, source: given.source };
    });
}

/** @param {Entry} entry @param {boolean} isRemoteAllowed @returns {string} */
function checkUrl({ broker, text, isFile, source }, isRemoteAllowed) {
  const url = (isFile ? textOfFile(text.trim(), source) : text).trim();
  // The URL itself is never quoted: it may hold a password.
  if (isSocketUrl(url)) {
    const reason = socketUrlProblem(url);
    if (reason !== null) refuse(source, reason);
  }
  const parsed = parsedUrl(url);
  if (!/^[a-z][a-z0-9+.-]*:\/\/./i.test(url) || parsed === null) {
    const written = url.startsWith('/')
      ? 'its unix socket as unix:///path'
      : `${broker}'s as scheme://host:port`;
    return refuse(source, `this is not the URL of a broker; write ${written}`);
  }
  // ioredis would take it, and all that tells sockets from hosts would not see it.
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
  // Those of a transport of somebody else are known only when it is loaded.
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
