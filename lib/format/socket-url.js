// Parses URLs of unix sockets: unix:///run/redis.sock, redis+unix://:password@/run/redis.sock?db=1. Node's own parser takes the text after
// two slashes for a host, and rejects user-info without a host.

const SOCKET_SCHEME = /^([a-z][a-z0-9+.-]*\+)?unix:/i;
const SOCKET_PARTS = /^([a-z0-9.+-]+:\/\/)([^/?#]*@)?(\/[^?#].*)$/is;

/** sun_path is 108 bytes long on Linux and 104 on macOS and the BSDs, including NUL. Node 20 truncates longer paths without an error. */
export const SOCKET_PATH_MAX_BYTES = process.platform === 'linux' ? 107 : 103;

/** @param {string} url @returns {boolean} */
export function isSocketUrl(url) {
  return SOCKET_SCHEME.test(url);
}

/** @param {string} url @returns {URL | null} null if it cannot be parsed */
export function parsedUrl(url) {
  const [, scheme, userInfo = '', path] = (isSocketUrl(url) && SOCKET_PARTS.exec(url)) || [];
  const readable = path === undefined ? url : `${scheme}${userInfo}localhost${path}`;
  return URL.canParse(readable) ? new URL(readable) : null;
}

/** @param {string} url @returns {string | null} the path without escapes; null if the URL has no valid one */
export function parseSocketPath(url) {
  const parsed = isSocketUrl(url) && SOCKET_PARTS.test(url) ? parsedUrl(url) : null;
  if (parsed === null) return null;
  try {
    return decodeURIComponent(parsed.pathname);
  } catch {
    return null; // a '%' that is not an escape
  }
}
