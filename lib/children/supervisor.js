// A process of its own between the runner and a server: it starts the server given as its arguments, and ends it when
// its stdin ends, which the system does whatever the runner died of. It knows nothing of what it guards.
// Leaves to guarded-server.js to start it, and to notice when the supervisor itself is killed.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const TERM_DEADLINE_MS = 1_000;

const [command, ...args] = process.argv.slice(2);
const STDERR = 2; // whatever the server says goes where our own errors go
const server = spawn(command, args, { stdio: ['ignore', STDERR, STDERR] });

server.once('spawn', () => process.stdout.write(`${server.pid}\n`));
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  end(127); // as a shell says it
});
server.once('exit', (code, signal) => end(signal === null ? Number(code) : 128 + constants.signals[signal]));

process.stdin.resume();
process.stdin.once('close', () => {
  server.kill('SIGTERM');
  // Without a reference: it must not keep us when the server has ended in time.
  setTimeout(() => server.kill('SIGKILL'), TERM_DEADLINE_MS).unref();
});
// The signals of a terminal go to all its processes; ours has its own way of telling us.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});

/** @param {number} exitCode */
function end(exitCode) {
  process.exitCode = exitCode;
  process.stdin.destroy();
}
