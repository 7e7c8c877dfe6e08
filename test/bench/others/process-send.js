// process.send() between a parent and a child, which each send a message when they receive one, as in benchmark/cluster/echo.js of Node.js.

import { endWithParent, isRequester, makeLoops, pin, serveSlices, startRequester } from './load.js';

if (isRequester) {
  pin('requester');
  endWithParent();
  const loops = makeLoops((message) => process.send?.(message));
  process.on('message', loops.onResponse);
  serveSlices(loops, [process.ppid, process.pid]);
} else {
  pin('responder');
  const child = startRequester('');
  child.on('message', (message) => child.send(message));
}
