// Gives back each byte that comes, until there are no more. Imports nothing: its start is most of what it costs.

process.stdin.on('data', (bytes) => process.stdout.write(bytes));
