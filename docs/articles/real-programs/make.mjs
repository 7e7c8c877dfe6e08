// `node make.mjs FOLDER` writes the programs of the article into a folder. Their packages are installed there:
// npm install jest@30.5.2 vitest@4.1.12 webpack@5.112.2 webpack-cli@7.3.1 terser-webpack-plugin@5.6.1 three@0.187.0 lodash-es@4.18.1 bullmq@6.7.0 ioredis@6.0.0
// Recorded, each in its folder, by `npx ipc-bench record --out ../NAME.json -- COMMAND`:
// jest:     node ../node_modules/jest/bin/jest.js --maxWorkers=2
// vitest:   node ../node_modules/vitest/vitest.mjs run --globals --pool=forks --maxWorkers=2, and --pool=threads
// webpack:  node ../node_modules/webpack/bin/webpack.js --config webpack.config.cjs
// cluster:  node server.js
// orders:   node orders.js
// bullmq:   node main.js, with REDIS_PORT

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [, , folder = 'real-programs'] = process.argv;
const FILES = 24;
const MODULES = 8;

/** @param {string} path @param {string} text */
function write(path, text) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** @param {number} suite */
const testText = (suite) => `describe('suite ${suite}', () => {
  for (let k = 0; k < 40; k += 1) test('case ' + k, () => {
    const all = Array.from({ length: 2000 }, (_, n) => n * k);
    console.log('case', k, 'of ${suite}', all.length);
    expect(all.reduce((a, b) => a + b, 0)).toBe((1999 * 2000 / 2) * k);
  });
});
`;

write('package.json', '{ "name": "real-programs", "private": true }\n');
write('jest/package.json', '{ "name": "with-jest" }\n');
write('jest/jest.config.js', "module.exports = { testEnvironment: 'node' };\n");
write('vitest/package.json', '{ "name": "with-vitest", "type": "module" }\n');
for (let suite = 1; suite <= FILES; suite += 1) {
  write(`jest/t${suite}.test.js`, testText(suite));
  write(`vitest/t${suite}.test.js`, `import { describe, expect, test } from 'vitest';\n${testText(suite)}`);
}

// Bundles that terser minimises in threads.
for (let bundle = 1; bundle <= MODULES; bundle += 1)
  write(
    `webpack/src/${bundle}.js`,
    `import * as three from 'three';\nimport * as lodash from 'lodash-es';\nconsole.log(${bundle}, three, lodash);\n`,
  );
write(
  'webpack/webpack.config.cjs',
  `const Terser = require('terser-webpack-plugin');
module.exports = {
  mode: 'production',
  cache: false,
  performance: { hints: false },
  entry: Object.fromEntries(Array.from({ length: ${MODULES} }, (_, n) => ['b' + (n + 1), './src/' + (n + 1) + '.js'])),
  optimization: { minimizer: [new Terser({ parallel: 2, minify: Terser.terserMinify })] },
};
`,
);

// Two workers answer requests and report each of them to the primary, which sends the counts to both.
write(
  'cluster/server.js',
  `const cluster = require('node:cluster');
const http = require('node:http');
if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  let count = 0;
  let listening = 0;
  for (const worker of workers)
    worker.on('message', (message) => {
      if (message.type !== 'served') return;
      count += 1;
      for (const one of workers) one.send({ type: 'count', id: message.id, count });
    });
  cluster.on('listening', () => {
    listening += 1;
    if (listening === 2) load();
  });
  const load = () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
    let left = 200_000;
    let open = 0;
    const next = () => {
      while (open < 16 && left > 0) {
        left -= 1;
        open += 1;
        http.get({ port: 8123, agent, path: '/x' }, (response) => {
          response.resume();
          response.on('end', () => {
            open -= 1;
            if (left > 0) next();
            else if (open === 0) {
              agent.destroy();
              for (const worker of workers) worker.kill();
            }
          });
        });
      }
    };
    next();
  };
} else {
  let served = 0;
  let total = 0;
  process.on('message', (message) => {
    total = message.count;
  });
  http
    .createServer((request, response) => {
      served += 1;
      process.send({ type: 'served', id: process.pid + ':' + served, url: request.url, ms: 1.25 });
      response.end(JSON.stringify({ ok: true, total, text: 'x'.repeat(500) }));
    })
    .listen(8123, '127.0.0.1');
}
`,
);

// A client that asks a service in a child process about orders: JSON lines over a unix socket, 1,500 requests per second.
write(
  'orders/orders.js',
  `const { fork } = require('node:child_process');
const { rmSync } = require('node:fs');
const net = require('node:net');
const path = __dirname + '/orders.sock';
const lines = (socket, take) => {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    const found = (rest + text).split('\\n');
    rest = found.pop();
    for (const line of found) take(JSON.parse(line));
  });
};
const makeLine = (id, n) => ({ sku: 'sku-' + ((id * 31 + n) % 5000), count: n % 5, price: 1.25 * n, note: 'what the customer wrote about this' });
if (process.argv[2] === 'service') {
  const total = (order) => order.lines.reduce((sum, { count, price }) => sum + count * price, 0);
  rmSync(path, { force: true });
  net
    .createServer((socket) => lines(socket, (order) => socket.write(JSON.stringify({ id: order.id, total: total(order), ok: true }) + '\\n')))
    .listen(path, () => process.send('ready'));
} else {
  const service = fork(__filename, ['service']);
  service.once('message', () => {
    const socket = net.connect(path);
    lines(socket, () => {});
    let id = 0;
    const beganMs = Date.now();
    const timer = setInterval(() => {
      const due = Math.floor((Date.now() - beganMs) * 1.5);
      while (id < due) {
        id += 1;
        const order = { id, customer: 'c' + (id % 97), lines: Array.from({ length: 24 }, (_, n) => makeLine(id, n)) };
        socket.write(JSON.stringify(order) + '\\n');
      }
      if (Date.now() - beganMs < 15_000) return;
      clearInterval(timer);
      setTimeout(() => {
        service.kill();
        process.exit();
      }, 300);
    }, 4);
  });
}
`,
);

// A queue of jobs in Redis: this process adds them, a child works them off.
write(
  'bullmq/main.js',
  `const { fork } = require('node:child_process');
const { Queue, QueueEvents } = require('bullmq');
const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT ?? 6379) };
const BATCH = 20;
(async () => {
  const child = fork(__dirname + '/worker.js');
  await new Promise((resolve) => child.once('message', resolve));
  const queue = new Queue('mail', { connection });
  const events = new QueueEvents('mail', { connection });
  await events.waitUntilReady();
  let done = 0;
  let tell;
  events.on('completed', () => {
    done += 1;
    if (done % BATCH === 0) tell();
  });
  for (let batch = 0; batch < 600; batch += 1) {
    const all = new Promise((resolve) => {
      tell = resolve;
    });
    const jobs = Array.from({ length: BATCH }, (_, n) => ({ name: 'send', data: { to: 'user' + batch + '.' + n, text: 'x'.repeat(800) } }));
    await queue.addBulk(jobs);
    await all;
  }
  await queue.close();
  await events.close();
  child.disconnect();
})();
`,
);
write(
  'bullmq/worker.js',
  `const { Worker } = require('bullmq');
const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT ?? 6379) };
const worker = new Worker('mail', async (job) => ({ sent: job.data.to }), { connection, concurrency: 8 });
worker.waitUntilReady().then(() => process.send('ready'));
process.on('disconnect', () => worker.close());
`,
);
