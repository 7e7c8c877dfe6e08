// The program that is started for each question: takes it from its stdin or its only argument, hands it to the master,
// prints the answer and ends. As small as such a program can be, so that what it costs is to be started.

import { connectTo } from '../../lib/transport/sockets.js';

/** @type {{ at: string, token: string, workerId: string, maxMessageBytes: number }} */
const { at, ...identity } = JSON.parse(String(process.env.IPC_BENCH_COMMAND));
const [argument] = process.argv.slice(2);
const question = argument === undefined ? await readAll(process.stdin) : Buffer.from(argument, 'base64url');
const guest = /** @type {any} */ ({ ...identity, settings: {}, wireKind: 'bytes' });
const master = await connectTo({ path: at }, guest);
process.exitCode = 1; // until there is an answer
master.onMessage = (answer) => {
  process.exitCode = 0;
  process.stdout.write(Buffer.from(answer));
  master.close();
};
master.onClose = (reason) => {
  if (reason !== undefined) process.stderr.write(`${reason.message}\n`);
};
process.stdout.on('error', () => {}); // nobody waits for it any more
master.send(question);

/** @param {AsyncIterable<Buffer>} stream */
async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
