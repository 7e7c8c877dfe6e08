// URLs that name a unix socket: unix:///run/redis.sock, redis+unix://:password@/run/redis.sock?db=1. The parser of Node
// takes what follows two slashes for a host, and refuses user-info without one.

const SOCKET_SCHEME = /^([a-z][a-z0-9+.-]*\+)?unix:/i;
const SOCKET_PARTS = /^([a-z0-9.+-]+:\/\/)([^/?#]*@)?(\/[^?#].*)$/is;

/** sun_path is 108 bytes on Linux and 104 elsewhere, with its NUL; Node 20 cuts longer paths off without a word. */
export const SOCKET_PATH_MAX_BYTES = process.platform === 'linux' ? 107 : 103;

/** @param {string} url @returns {boolean} by its scheme alone */
export function isSocketUrl(url) {
  return SOCKET_SCHEME.test(url);
}

/** @param {string} url @returns {URL | null} of a socket on this machine, or null if it cannot be parsed */
export function parsedUrl(url) {
  const [, scheme, userInfo = '', path] = (isSocketUrl(url) && SOCKET_PARTS.exec(url)) || [];
  const readable = path === undefined ? url : `${scheme}${userInfo}localhost${path}`;
  return URL.canParse(readable) ? new URL(readable) : null;
}

/** @param {string} url @returns {string | null} null if it has no readable path of a socket */
export function parseSocketPath(url) {
  const parsed = isSocketUrl(url) && SOCKET_PARTS.test(url) ? parsedUrl(url) : null;
  if (parsed === null) return null;
  try {
    return decodeURIComponent(parsed.pathname);
  } catch {
    return null; // a '%' that was never encoded
  }
}
