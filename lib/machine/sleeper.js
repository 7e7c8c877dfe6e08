// Sleeps until a byte comes, notes when it went on, and how long it had waited for its CPU besides; answers with a byte, and
// in the end tells all of it. Its one import is small: its start is most of what it costs.

import { readFileSync, readSync, writeSync } from 'node:fs';

const [STDIN, STDOUT] = [0, 1];
const byte = Buffer.alloc(1);
/** @type {[wokenNs: string, waitedNs: number][]} */
const notes = [];
const waitedNs = () => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]);

let beforeNs = waitedNs();
while (readSync(STDIN, byte) === 1) {
  const wokenNs = process.hrtime.bigint();
  const nowNs = waitedNs();
  notes.push([String(wokenNs), nowNs - beforeNs]);
  beforeNs = nowNs;
  writeSync(STDOUT, byte);
}
writeSync(STDOUT, `\n${JSON.stringify(notes)}`);
