// Gives back each byte that comes, until there are no more. With an argument it also watches its own turns: to a byte that asks for
// it, it tells for how long it was at work on the way so far. Without one it imports nothing: its start is most of what it costs.

const TELL = 't'.charCodeAt(0);

if (process.argv.length === 2) process.stdin.on('data', (bytes) => process.stdout.write(bytes));
else {
  const { TurnWatch } = await import('./iteration-watch.js');
  const turns = new TurnWatch();
  process.stdin.on('data', (bytes) => {
    process.stdout.write(bytes[0] === TELL ? String(turns.onTheWayMs) : bytes);
    turns.noteWrite();
  });
  turns.begin();
}
