// A process that echoes its stdin. With an argument it also watches its event loop, and responds to the byte `t` with its total work in ms
// between receiving and sending messages. Without an argument it imports nothing, since its start is most of its cost.

const READ = 't'.charCodeAt(0);

if (process.argv.length === 2) process.stdin.on('data', (bytes) => process.stdout.write(bytes));
else {
  const { IterationWatch } = await import('./iteration-watch.js');
  const watch = new IterationWatch();
  process.stdin.on('data', (bytes) => {
    process.stdout.write(bytes[0] === READ ? String(watch.onTheWayMs) : bytes);
    watch.onWrite();
  });
  watch.begin();
}
