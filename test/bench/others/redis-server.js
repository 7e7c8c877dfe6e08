// A private redis-server, which keeps everything in memory, and ends with this process.

import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** @param {Pick<import('./load.js').LoadPlan, 'folder' | 'cpus'>} plan */
export async function startRedis({ folder, cpus }) {
  const options = {
    port: '0',
    unixsocket: join(folder, 'redis.sock'),
    save: '',
    appendonly: 'no',
    dir: folder,
  };
  const words = ['redis-server', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])];
  if (cpus !== null) words.unshift('taskset', '-c', String(cpus.requester));
  // In a session of its own, as a service: Linux divides the time of a CPU among sessions first.
  const server = spawn(words[0], words.slice(1), { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  process.on('exit', () => server.kill());
  await new Promise((resolve) => {
    server.stdout.on('data', (text) => /ready to accept/i.test(String(text)) && resolve(undefined));
  });
  return server;
}
