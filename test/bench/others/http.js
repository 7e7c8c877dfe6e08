// POST with a JSON body over node:http with a keep-alive agent, to a server that parses the body and returns it. With `isServer`,
// another program sends the requests.

import { Agent, createServer, request } from 'node:http';
import { endWithParent, isRequester, makeLoops, pin, plan, serveSlices, startRequester } from './load.js';

/** @param {import('node:stream').Readable} stream @param {(text: string) => void} onText */
function readText(stream, onText) {
  /** @type {Buffer[]} */
  const chunks = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  stream.on('end', () => onText(String(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))));
}

if (isRequester) {
  pin('requester');
  endWithParent();
  const options = {
    host: '127.0.0.1',
    port: Number(plan.address),
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  };
  const loops = makeLoops((message) => {
    const call = request(options, (response) =>
      readText(response, (text) => loops.onResponse(JSON.parse(text))),
    );
    call.end(JSON.stringify(message));
  });
  serveSlices(loops, [process.ppid, process.pid]);
} else {
  pin('responder');
  let served = 0;
  const server = createServer((incoming, response) => {
    readText(incoming, (text) => {
      const body = JSON.stringify(JSON.parse(text));
      response.writeHead(200, {
        'content-type': 'text/plain; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
      served += 1;
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    if (!plan.isServer) return void startRequester(String(port));
    console.log(port);
    serveSlices({ resume() {}, async pause() {}, done: () => served }, [process.pid]);
  });
}
