// A worker's own stdin and stdout as sockets, where they are the transport's (`fork.stdio`).

import { Socket } from 'node:net';

/** @returns {{ stdin: Socket, stdout: Socket }} to be opened once */
export function openOwnStdio() {
  return {
    stdin: new Socket({ fd: 0, readable: true, writable: false }),
    // Not process.stdout, which is such a socket too, but cannot be closed: nobody would notice that we hang up.
    stdout: new Socket({ fd: 1, readable: false, writable: true }),
  };
}
