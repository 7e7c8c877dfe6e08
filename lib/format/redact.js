// Removes user-info, query values, known secrets and the home folder from text and URLs before they are shown or stored. A URL that
// cannot be parsed safely becomes a placeholder. Stored texts also hide the path of a unix socket, which is often in a home folder.

import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { homeFolder } from './own-file.js';
import { isSocketUrl, parsedUrl, parseSocketPath } from './socket-url.js';

const HIDDEN = '***';
const UNREADABLE = '<url>';
// The length of the scheme is bounded, since a long run of letters would take quadratic time.
const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'`<>]*/gi;
const URL_PARTS = /^([^:/?#]+:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?/s;

/**
 * @param {string} url
 * @returns {string} the URL without user-info and fragment, and with masked values in its query; UNREADABLE if it cannot be parsed safely
 */
export function redactUrl(url) {
  if (parsedUrl(url) === null) return UNREADABLE;
  const [, scheme, authority, path, query = ''] = URL_PARTS.exec(url) ?? [];
  // An '@' after the authority may end a password that contains a '/', '?' or '#': the apparent host is then the user name.
  if (scheme === undefined || url.slice(scheme.length + authority.length).includes('@')) return UNREADABLE;
  return scheme + parseHost(authority) + path + maskedQuery(query);
}

/** @param {string} url @returns {string} the URL with *** for user name and password, if it has them */
export function maskUrl(url) {
  const shown = redactUrl(url);
  return url.includes('@') ? shown.replace('://', `://${HIDDEN}@`) : shown;
}

/** @param {string} authority */
function parseHost(authority) {
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/** @param {string} query */
function maskedQuery(query) {
  return query.replace(/([?&])([^=&]*=)?[^&]+/g, (_, mark, key = '') => `${mark}${key}${HIDDEN}`);
}

/**
 * @param {string} text       an error message, a line of stderr
 * @param {readonly string[]} [secrets]    passwords, and URLs that contain passwords or name a unix socket
 */
export function redactText(text, secrets = []) {
  let shown = text;
  // The host of a secret URL is kept, since the host helps to fix the problem.
  const urls = secrets.filter((secret) => secret.includes('://'));
  for (const url of urls) shown = shown.replaceAll(url, redactUrl(url));
  const spellings = [...secrets.filter((secret) => !urls.includes(secret)), ...urls.flatMap(secretsOfUrl)]
    .flatMap((secret) => [secret, encoded(secret), JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret !== '')
    .sort((one, other) => other.length - one.length);
  for (const secret of new Set(spellings)) shown = shown.replaceAll(secret, HIDDEN);
  return withoutHome(shown.replace(URL_IN_TEXT, redactedInText));
}

/**
 * Redacts less than `redactUrl`, since a text may contain file URLs and package addresses with an '@' in their paths.
 * @param {string} url
 */
function redactedInText(url) {
  const [whole, scheme, authority, path, query = ''] = URL_PARTS.exec(url) ?? [];
  if (whole === undefined) return UNREADABLE;
  const rest = url.slice(whole.length);
  const isDoubtful = !authority.includes('@') && authority.includes(':') && url.includes('@');
  return isDoubtful ? UNREADABLE : scheme + parseHost(authority) + path + maskedQuery(query) + rest;
}

/** @param {string} text */
function withoutHome(text) {
  return withFolders(text, homes(), '~');
}

/** @returns {string[]} the home folder, and its real path if it contains a symbolic link; empty if it is the root or unknown */
function homes() {
  const home = homeFolder();
  if (home === null) return [];
  const real = attempt(() => realpathSync(home));
  return [...new Set([home, real ?? home])].filter((folder) => folder.length > 1);
}

/** @param {string} text @param {string[]} folders @param {string} shown */
function withFolders(text, folders, shown) {
  return folders.reduce((short, folder) => {
    // A URL contains escapes instead of spaces and other characters.
    const inUrl = pathToFileURL(folder).pathname.replace(/^\/(?=[a-z]:)/i, '');
    const spelled = [folder, folder.replaceAll('\\', '/'), inUrl].map((path) =>
      path.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    );
    const path = `(?:file:///?(?=/|[a-z]:))?(?<![\\w.~-])(?:${spelled.join('|')})(?![\\w-]|\\.\\w)`;
    return short.replace(new RegExp(path, process.platform === 'win32' ? 'gi' : 'g'), shown);
  }, text);
}

/**
 * Shortens paths for publication: relative to the working directory or the home folder.
 * @param {string} text   a path, a list of them, or a command
 * @returns {string} './mine.js', '~/codecs/mine.js'
 */
export function shownPaths(text) {
  const folder = attempt(() => process.cwd());
  const isShortened = folder !== undefined && folder.length > 1 && !homes().includes(folder);
  return withoutHome(isShortened ? withFolders(text, [folder], '.') : text);
}

/** @template T @param {() => T} read @returns {T | undefined} */
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** @param {string} url @returns {string[]} the secret parts of the URL, raw and decoded */
export function secretsOfUrl(url) {
  const userInfo = /^[^:/?#]+:\/\/(.*)@/s.exec(url)?.[1] ?? '';
  const [user, ...password] = userInfo.split(':');
  // Covers both readings: a parser ends the user info at the first '/', '?' or '#', but the user may have meant them as part of the password.
  const parsed = parsedUrl(url);
  const written = isSocketUrl(url) ? URL_PARTS.exec(url)?.[3] : undefined;
  const raw = [user, password.join(':'), parsed?.username ?? '', parsed?.password ?? '', written ?? ''];
  // Masking the number of a database would mask digits of other numbers.
  const params = [...(parsed?.searchParams ?? [])].filter(([key]) => key !== 'db');
  const values = params.map(([key, value]) => value || key);
  const secrets = new Set([...raw, ...raw.map(decoded), ...values, parseSocketPath(url) ?? '']);
  return [...secrets].filter((secret) => secret !== '' && secret !== 'default');
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone '%', so the text was not encoded
  }
}

/** @param {string} text */
function encoded(text) {
  return encodeURIComponent(Buffer.from(text).toString()); // via UTF-8, since a lone surrogate would throw
}
