// The program that is started for each request: it reads the request from stdin or its only argument, sends it to the master, prints the
// response and ends. It is as small as possible, so that its cost is the cost of starting a process.

import { connectTo } from '../../lib/channels/sockets.js';

/** @type {{ at: string, token: string, workerId: string, maxMessageBytes: number }} */
const { at, ...identity } = JSON.parse(String(process.env.IPC_BENCH_COMMAND));
const [argument] = process.argv.slice(2);
const question = argument === undefined ? await readAll(process.stdin) : Buffer.from(argument, 'base64url');
const guest = /** @type {any} */ ({ ...identity, settings: {}, wireKind: 'bytes' });
const master = await connectTo({ path: at }, guest);
process.exitCode = 1; // the default if no response arrives
master.onMessage = (answer) => {
  process.exitCode = 0;
  process.stdout.write(Buffer.from(answer));
  master.close();
};
master.onClose = (reason) => {
  if (reason !== undefined) process.stderr.write(`${reason.message}\n`);
};
process.stdout.on('error', () => {}); // the worker has closed the pipe
master.send(question);

/** @param {AsyncIterable<Buffer>} stream */
async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
