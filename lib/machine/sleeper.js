// Gives back each byte that comes, until there are no more, and watches its own turns. To a byte that asks for it, it tells for
// how long it was at work on the way so far.

import { TurnWatch } from './iteration-watch.js';

const TELL = 't'.charCodeAt(0);
const turns = new TurnWatch();
process.stdin.on('data', (bytes) => {
  process.stdout.write(bytes[0] === TELL ? String(turns.onTheWayMs) : bytes);
  turns.noteWrite();
});
turns.begin();
