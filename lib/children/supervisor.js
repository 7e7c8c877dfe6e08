// A process between the runner and a server (see guarded-server.js): it starts the server given by its arguments, and ends it when stdin
// ends. The kernel closes that pipe when the runner ends for any reason.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const TERM_DEADLINE_MS = 1_000;

const [command, ...args] = process.argv.slice(2);
const STDERR = 2; // server output goes to the same log as errors of this process
const server = spawn(command, args, { stdio: ['ignore', STDERR, STDERR] });

server.once('spawn', () => process.stdout.write(`${server.pid}\n`));
server.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  end(127); // the exit code of shells for a command that cannot be started
});
server.once('exit', (code, signal) => end(signal === null ? Number(code) : 128 + constants.signals[signal]));

process.stdin.resume();
process.stdin.once('close', () => {
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), TERM_DEADLINE_MS).unref();
});
// Ignores signals that end a run, since this process ends the server when stdin ends, and ends after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

/** @param {number} exitCode */
function end(exitCode) {
  process.exitCode = exitCode;
  process.stdin.destroy();
}
