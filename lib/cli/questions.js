// Questions of developers about IPC in Node.js, each with the command that answers it. They are printed by `help questions`, and copied to
// docs/questions.md, the README and llms.txt.

/**
 * @typedef {object} DeveloperQuestion
 * @property {string} name
 * @property {string} title       in the words of developers
 * @property {string} command     to paste; planned for less than a minute on two cores, and at most 80 columns wide with its indent
 * @property {string} [reading]   how to read what the command prints
 * @property {string} [changes]   conditions under which the answer changes
 * @property {string} [refusal]   states that ipc-bench does not answer the question, and which tool does; replaces `reading` and `changes`
 */

/** The texts are Markdown. @type {readonly Readonly<DeveloperQuestion>[]} */
export const QUESTIONS = Object.freeze([
  {
    name: 'serialization',
    title: "child_process: serialization: 'json' or 'advanced'?",
    command: 'npx ipc-bench -t pipe -c json,v8 -p 100,1MB --scenario round-trip,records',
    reading:
      "`pipe/v8` is `serialization: 'advanced'`. The tables of `round-trip` send a text, the one of `records` lists of 100 objects.",
    changes:
      'With the size, with the data (texts, objects, Buffers: `--content bytes`), and with the release of Node.js: advanced became faster in Node 24, JSON ' +
      'in Node 26.',
  },
  {
    name: 'large-messages',
    title: 'Is process.send slow for large messages, such as 100 MB? What is faster?',
    command: 'npx ipc-bench -t pipe -c json,v8 -p 100MB -w 1x1',
    reading:
      "`pipe/json` is `process.send` as it is, `pipe/v8` is `process.send` with `serialization: 'advanced'`. The time is that of a round trip: " +
      '100 MB there and 100 MB back.',
    changes:
      "With the data: these are texts. Of a Buffer JSON makes `{type:'Buffer',data:[…]}`, 3.6 times as long: `--content bytes -p 1MB` sends " +
      'Buffers. Threads transfer bytes without a copy: `--scenario task:data=bytes -t pipe,threads-message -c v8`. Sockets and threads: ' +
      '`-t pipe,unix,threads-message -c v8 -p 10MB`. The question about `serialization` has 1 MB of text.',
  },
  {
    name: 'threads',
    title: 'worker_threads or child_process?',
    command: 'npx ipc-bench -t pipe,threads-message -c v8 --scenario round-trip,first-answer',
    reading:
      'The first table has the rate, the one of `first-answer` the time to start a worker until its first response. ' +
      '`npx ipc-bench report --columns memory` adds the memory.',
    changes:
      'With the number of workers (`-w 8x1`), since each process has its start and its memory, and with the size (`-p 1MB`). `-c json` is ' +
      'the default of `process.send`.',
  },
  {
    name: 'shared-memory',
    title: 'Is a SharedArrayBuffer worth it?',
    command: 'npx ipc-bench -t threads-message,threads-shared -c v8,binary -p 1k,100k',
    reading:
      '`threads-shared` is a ring in a SharedArrayBuffer, `threads-message` is `postMessage`, which clones the object with `v8`, and ' +
      'transfers bytes with `binary`.',
    changes:
      'With the requests in flight (`-w 1x1,1x100`): with one, both ends wait to be woken. `threads-shared:wake=spin` avoids that, and ' +
      'takes a core for each thread.',
  },
  {
    name: 'sockets',
    title: 'Unix socket or TCP on localhost?',
    command: 'npx ipc-bench -t unix,tcp -c json,string -p 100,10k,100k',
    reading:
      'In the grid below the tables, the rows of “Same codec” compare the two sockets, those of “Codec” compare JSON with plain texts.',
    changes:
      'With the size, with the CPUs on which the two processes run (`--placement`), and on Windows, where `unix` is a named pipe.',
  },
  {
    name: 'backpressure',
    title: 'Does process.send have backpressure?',
    command: 'npx ipc-bench --scenario stream:handle=100 -t pipe,stdio,unix -c json',
    reading:
      'The receiver takes 100 µs for each message, so it is the limit. *backpressure* says whether `send` or `write` told the sender to wait, ' +
      'and *backlog* how many messages were on the way. A program that ignores `false` goes on, and its memory grows.',
    changes:
      'With the direction (`stream:direction=to-worker`), and with brokers (`-t redis-pubsub,nats`), which may buffer without telling the sender.',
  },
  {
    name: 'brokers',
    title: 'Redis, NATS, RabbitMQ: a broker, or is IPC enough?',
    command: 'npx ipc-bench -t pipe,unix,redis-pubsub,nats,rabbitmq -c json',
    reading:
      'The ratio is what the way over a broker costs on this machine, and `CPU µs` contains the broker. A broker that is not installed is ' +
      'skipped, with the command that installs it.',
    changes:
      'With the guarantee (`rabbitmq:guarantee=durable`), with queues and fan-out (`--preset messaging`), and between hosts.',
  },
  {
    name: 'zeromq',
    title: 'Is zeromq.js slower than node:net?',
    command: 'npx ipc-bench -t unix,tcp,zeromq,zeromq:net=tcp -c json,binary',
    reading:
      'Compare `zeromq`, which uses `ipc://`, with `unix`, and `zeromq:net=tcp` with `tcp`: both are `node:net` with a header for the length.',
    changes:
      'With the size (`-p 1k,100k`), and with the cores: ZeroMQ has threads of its own, which need CPUs.',
  },
  {
    name: 'rpc',
    title: 'gRPC or HTTP on one machine, or a bare socket?',
    command: 'npx ipc-bench -t unix,http:net=unix,grpc:net=unix,tcp,http,grpc -c json',
    reading:
      'Compare `http:net=unix` and `grpc:net=unix` with `unix`, and `http` and `grpc` with `tcp`. `CPU µs` is the CPU time that each ' +
      'request costs in addition to your code.',
    changes:
      'With the client (`http:client=undici`), and with the work of a request: the longer it takes, the less the difference matters.',
  },
  {
    name: 'tool-servers',
    title: 'stdio, IPC or a socket for an MCP or LSP server?',
    command: 'npx ipc-bench -t stdio,pipe,unix,http:net=unix -c json -w 1x1',
    reading: '`p50 µs` is the time of one request at a time, as an editor or an agent sends them.',
    changes:
      'With the requests in flight (`-w 1x10`) and the size (`-p 1k,100k`). Both ends are Node.js; of other languages there is a peer in Go.',
  },
  {
    name: 'codecs',
    title: 'MessagePack, structured clone or JSON?',
    command: 'npx ipc-bench -t unix -c json,msgpack,v8 --scenario round-trip,records',
    reading:
      '`v8` is structured clone. The first table sends a text, the one of `records` lists of 100 objects, with the bytes and the CPU time ' +
      'of each.',
    changes:
      'With your data: `--message-file orders.ndjson` in place of `--scenario` sends it. With the release: JSON became faster in Node 26.',
  },
  {
    name: 'pools',
    title: 'From how much work does a pool of workers pay?',
    command: 'npx ipc-bench --scenario task:work=0,50,1ms -t inline,piscina --placement free',
    reading:
      'The *break-even* below the tables is the work of a task above which the pool does more tasks per second than the main process alone ' +
      '(`inline`).',
    changes:
      'With the cores and the workers (`-w 4x4`), with the payload (`-p 1MB`), and with the library: `-t inline,thread-pools`.',
  },
  {
    name: 'event-loop',
    title: 'Does sending messages block my event loop?',
    command: 'npx ipc-bench -t pipe,threads-message -c json,v8 -p 1MB -w 1x1',
    reading:
      "*longest block* is for how long the code of a message blocks the master's event loop at a time, *timer p99* how late it makes a timer of " +
      '1 ms, *main CPU* its time on the main thread for each message. `--columns blocking` has the workers, too.',
    changes:
      'With the size (`-p 1kB,10MB`) and with the data: `--content bytes` sends Buffers. Work that blocks can move to a pool: ' +
      '`--scenario task:work=1ms -t inline,piscina`. `recommend --max-block 20ms` leaves out rows that block for longer.',
  },
  {
    name: 'runtimes',
    title: 'Are a newer Node.js, Bun or Deno faster?',
    command: 'npx ipc-bench -t pipe,unix -c json --runtime node,node@26,bun,deno',
    reading:
      '`node` is the Node.js that runs ipc-bench. A runtime that is not installed is skipped, with the command that installs it.',
    changes:
      'With the codec and the size (`-c json,v8 -p 1k,64k`): a release may make JSON or advanced faster and leave the sockets as they were.',
  },
  {
    name: 'http-servers',
    title: 'cluster or PM2 for my HTTP server? And Electron?',
    command: 'npx autocannon -c 100 -d 10 http://127.0.0.1:3000',
    refusal:
      'ipc-bench measures neither how cluster and PM2 distribute connections nor the IPC of Electron: run autocannon against your server, once ' +
      'for each way to start it, and measure `ipcRenderer.invoke` in your app.',
  },
]);
