// ROUTER and DEALER, or REQ and REP, of zeromq.js over a unix socket, with its defaults.

import { join } from 'node:path';
import { Dealer, Reply, Request, Router } from 'zeromq';
import { endWithParent, isRequester, makeLoops, pin, plan, serveSlices, startRequester } from './load.js';

const isLockstep = plan.pattern === 'req-rep';
const address = `ipc://${join(plan.folder, 'zeromq.sock')}`;

async function respondByRouter() {
  const router = new Router();
  await router.bind(address);
  startRequester(address);
  for await (const [from, text] of router) router.send([from, JSON.stringify(JSON.parse(String(text)))]);
}

async function respondInLockstep() {
  const reply = new Reply();
  await reply.bind(address);
  startRequester(address);
  for await (const [text] of reply) await reply.send(JSON.stringify(JSON.parse(String(text))));
}

function requestByDealer() {
  const dealer = new Dealer();
  dealer.connect(address);
  const loops = makeLoops((message) => dealer.send(JSON.stringify(message)));
  const read = async () => {
    for await (const [text] of dealer) loops.onResponse(JSON.parse(String(text)));
  };
  read();
  return loops;
}

function requestInLockstep() {
  const request = new Request();
  request.connect(address);
  const loops = makeLoops(async (message) => {
    await request.send(JSON.stringify(message));
    const [text] = await request.receive();
    loops.onResponse(JSON.parse(String(text)));
  });
  return loops;
}

if (isRequester) {
  pin('requester'); // before the first socket, since the I/O thread inherits the CPU
  endWithParent();
  const loops = isLockstep ? requestInLockstep() : requestByDealer();
  serveSlices(loops, [process.ppid, process.pid]);
} else {
  pin('responder');
  await (isLockstep ? respondInLockstep() : respondByRouter());
}
