// Named sets of options. Flags, environment and config file override them. Published figures are files in reference/, which are read
// only if their preset is chosen.

import { readFileSync } from 'node:fs';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';

/** @import { PublishedFigures } from '../types/comparisons.js' */
/**
 * @typedef {object} Preset
 * @property {string} summary
 * @property {Record<string, string>} texts            flag → text
 * @property {{ transport: string, codec: string }[]} [series]   limits the transports and codecs of the preset to these combinations
 * @property {Omit<PublishedFigures, 'results'> & { table: URL }} [published]   figures to show beside the measured ones
 */

/** @param {string} names   for example 'unix/json tcp/json' */
function parseSeries(names) {
  return names.split(' ').map((name) => {
    const [transport, codec] = name.split('/');
    return { transport, codec };
  });
}

/** @type {Readonly<Record<string, Preset>>} */
export const PRESETS = Object.freeze({
  'node-ipc-2016': {
    summary: 'the matrix of a 2016 article on IPC in Node.js, with its figures beside the measured ones',
    texts: {
      workers: '1x1,2x1,4x1,6x1,1x4,2x4,4x4,6x4,6x8',
      payload: '10,100,1000',
      transport: 'pipe,unix,tcp,redis-pubsub',
      codec: 'json,string,binary',
    },
    series: parseSeries('pipe/json unix/json unix/string unix/binary tcp/json redis-pubsub/json'),
    published: {
      title: 'Performance of inter-process messaging in Node.js (2016)',
      source:
        'article of 2016 on IPC performance in Node.js; figures from results.ods in github.com/sh84/node-ipc-test',
      caveats: [
        'The clock starts before the workers are forked.',
        'In the Redis test each loop subscribes to the same channel, so that every reply is delivered to every loop: its traffic grows with the number of loops.',
        'The loops run in the master and the workers echo.',
      ],
      table: new URL('./reference/node-ipc-2016.tsv', import.meta.url), // Node v4.4.5, Redis 3.0, Linux
    },
  },
  'dotnet-ipc-2017': {
    summary:
      'the methods of a 2017 talk on IPC in .NET that exist here, with its figures beside the measured ones',
    texts: {
      workers: '1x1',
      payload: '1',
      transport: 'unix,shared-memory,tcp,udp,zeromq,http,rabbitmq',
      codec: 'string,json',
    },
    series: parseSeries(
      'unix/string shared-memory/string tcp/string udp/string zeromq/string rabbitmq/string http/json',
    ),
    published: {
      title: 'Talking between processes: reasons and ways (DotNext 2017)',
      source: 'talk of 2017-05-20 on IPC in .NET',
      caveats: [
        'Another runtime: .NET Core 1.1.2, both ends on one Windows Server 2016 of 4 cores.',
        'A named pipe of Windows stands beside a unix socket, a memory-mapped file beside shared memory, Web API beside HTTP.',
        'The talk names 1 byte for its response times; its rates are taken to be of the same message.',
      ],
      table: new URL('./reference/dotnet-ipc-2017.tsv', import.meta.url),
    },
  },
  messaging: {
    summary: 'one-way messages: a stream, one message to all workers, and jobs that workers acknowledge',
    texts: {
      scenario: 'stream,fan-out,queue',
      workers: '4x8',
      payload: '1000',
      transport: 'unix,tcp,zeromq,redis-pubsub,nats,mqtt,rabbitmq',
      codec: 'json',
    },
  },
  services: {
    summary: 'requests between services: a response, a list of records, and a relayed response',
    texts: {
      scenario: 'round-trip,records,relay',
      workers: '2x8',
      payload: '1000',
      transport: 'unix,tcp,http,http2,grpc',
      codec: 'json',
    },
  },
  nagle: {
    summary:
      'why small messages take 40 ms: TCP over 1 ms, with and without noDelay at each end, header and body in two writes or in one',
    texts: {
      workers: '1x1',
      payload: '100',
      transport: [
        'tcp:flush=split,noDelay=false',
        'tcp:flush=split,noDelay=master',
        'tcp:flush=split,noDelay=worker',
        'tcp:flush=split',
        'tcp:noDelay=false',
        'tcp',
      ].join(','),
      codec: 'json',
      network: '1ms',
      measure: '2s', // because some of these rows make only 11 round trips per second
      reference: 'tcp/json',
    },
  },
  cold: {
    summary: 'operations before warm-up: a process start, a connection, a response after a pause',
    texts: {
      scenario: 'first-answer,connect',
      workers: '1x1',
      transport: 'unix,tcp,websocket,http,zeromq,redis-pubsub',
      codec: 'json',
    },
  },
});

/** @param {string} name @param {import('../format/quantity.js').Source} source @returns {Preset} */
export function findPreset(name, source) {
  if (Object.hasOwn(PRESETS, name)) return PRESETS[name];
  const known = Object.keys(PRESETS);
  return refuse(source, `no preset ${quoted(name)}; there is ${known.join(', ')}.${didYouMean(name, known)}`);
}

/** @param {string | null} name @returns {PublishedFigures | null} */
export function publishedFigures(name) {
  const published = name === null ? undefined : PRESETS[name].published;
  if (published === undefined) return null;
  const { table, ...about } = published;
  return { ...about, results: readTable(table) };
}

/** @param {URL} table   tab-separated, with a header line @returns {PublishedFigures['results']} */
function readTable(table) {
  const [, ...rows] = readFileSync(table, 'utf8').trim().split('\n');
  return rows.map((row) => {
    const [transport, codec, label, ...numbers] = row.split('\t');
    const [workers, loops, payloadBytes, roundTripsPerSecond] = numbers.map(Number);
    return { transport, codec, label, workers, loops, payloadBytes, roundTripsPerSecond };
  });
}
