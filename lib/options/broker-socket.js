// The unix sockets of brokers of the user's own: whether a URL names one, told with the options, and whether one is there,
// told only where a transport of the run needs it.

import { accessSync, constants, statSync } from 'node:fs';
import { redactUrl } from '../format/redact.js';
import { parsedUrl, parseSocketPath, SOCKET_PATH_MAX_BYTES } from '../format/socket-url.js';

const WRITTEN = 'write the path from the root on, behind three slashes: unix:///path/to/socket';

/**
 * @param {string} url      with the scheme of a socket
 * @param {NodeJS.Platform} [platform]
 * @returns {string | null} reason and remedy
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
  if (path.includes('\0')) return `%00 stands in no path; ${WRITTEN}`;
  const bytes = Buffer.byteLength(path);
  if (bytes <= SOCKET_PATH_MAX_BYTES) return null;
  return `the path of the socket has ${bytes} bytes and the system allows ${SOCKET_PATH_MAX_BYTES}: give a shorter one, such as a symbolic link to it`;
}

/** @param {string} url      of a socket, and a good one @returns {string | null} reason and remedy */
export function missingSocketProblem(url) {
  const path = String(parseSocketPath(url));
  const shown = redactUrl(url);
  try {
    if (!statSync(path).isSocket()) return `what is at ${shown} is no socket; check the path`;
    accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code !== 'EACCES') {
      return `there is no socket at ${shown} (${code}); start the server that listens there, or mend the path`;
    }
    return `you may not connect to ${shown} (${code}); become a member of its group, or have the server open it to you`;
  }
}
