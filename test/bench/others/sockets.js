// JSON behind a length of four bytes, over TCP or a unix socket of node:net. With `isReusing`, frames are written into the same memory, which
// the kernel has copied before the next one, and read as latin1, as ipc-bench does with texts of ASCII.

import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { endWithParent, isRequester, makeLoops, pin, plan, serveSlices, startRequester } from './load.js';

const HEADER_BYTES = 4;

const slab = Buffer.allocUnsafeSlow(65_536);
let lastView = slab.subarray(0, 0);

/** @param {number} bytes @returns {Buffer} memory that the next frame overwrites */
function reusedFrame(bytes) {
  if (lastView.length !== bytes) lastView = slab.subarray(0, bytes);
  return lastView;
}

const makeFrame = plan.isReusing ? reusedFrame : Buffer.allocUnsafe;
const encoding = plan.isReusing ? 'latin1' : 'utf8'; // payloads are ASCII

/** @param {import('node:net').Socket} socket @param {unknown} message */
function write(socket, message) {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  const frame = makeFrame(HEADER_BYTES + bytes);
  frame.writeUInt32BE(bytes);
  frame.write(text, HEADER_BYTES);
  socket.write(frame);
}

/** @param {import('node:net').Socket} socket @param {(message: any) => void} onMessage */
function read(socket, onMessage) {
  socket.on('error', () => {}); // the requester exits with requests in flight
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const end = at + HEADER_BYTES + bytes.readUInt32BE(at);
      if (end > bytes.length) break;
      onMessage(JSON.parse(bytes.toString(encoding, at + HEADER_BYTES, end)));
      at = end;
    }
    rest = bytes.subarray(at);
  });
}

if (isRequester) {
  pin('requester');
  endWithParent();
  const socket = connect(JSON.parse(String(plan.address)));
  socket.setNoDelay(true);
  const loops = makeLoops((message) => write(socket, message));
  read(socket, loops.onResponse);
  serveSlices(loops, [process.ppid, process.pid]);
} else {
  pin('responder');
  const server = createServer({ noDelay: true }, (socket) =>
    read(socket, (message) => write(socket, message)),
  );
  const address =
    plan.net === 'unix' ? { path: join(plan.folder, 'net.sock') } : { host: '127.0.0.1', port: 0 };
  server.listen(address, () => {
    const at = server.address();
    startRequester(JSON.stringify(typeof at === 'string' ? address : { host: '127.0.0.1', port: at?.port }));
  });
}
