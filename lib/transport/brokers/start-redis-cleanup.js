// Sees to it that a launch leaves nothing in queues of a Redis that goes on living, whatever the launch dies of. Lists
// cannot be given a time to live: they come and go with their elements.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment, withStreams } from '../../children/launcher.js';

const CLEANUP_PATH = fileURLToPath(new URL('redis-cleanup.js', import.meta.url));
/** Behind the order: nothing is left to remove. */
export const DISMISSED = '\n';

/**
 * @param {string} url
 * @param {string[]} keys
 * @param {string} pattern   of further ones, whose names nobody knows beforehand
 * @returns {{ dismiss: (isClean: boolean) => Promise<void> }}   not clean: it does its work, and nobody waits for that;
 *     safe to call twice
 */
export function startRedisCleanup(url, keys, pattern) {
  const cleanup = withStreams(
    spawn(process.execPath, [CLEANUP_PATH], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: childEnvironment(),
      // A group of its own: a Ctrl-C is for the runner.
      detached: process.platform !== 'win32',
      windowsHide: true,
    }),
  );
  const ended = Promise.race([once(cleanup, 'exit'), once(cleanup, 'error')]);
  ended.catch(() => {});
  cleanup.stdin.on('error', () => {}); // EPIPE: it is gone, and what it could have done is not to be had any more
  // Not as an argument: those are no secret.
  cleanup.stdin.write(JSON.stringify({ url, keys, pattern }));
  return {
    async dismiss(isClean) {
      if (cleanup.stdin.writableEnded) return;
      cleanup.stdin.end(isClean ? DISMISSED : '');
      if (isClean) await ended;
      else cleanup.unref();
    },
  };
}
