// The options that say what is measured: each cell differs from the others by some of them.

import { shaping } from './shaping.js';

export const CELL_TABLE = shaping('cell', {
  workers: {
    sets: 'shapes',
    summary: "worker processes x concurrent loops in each; ranges on either side: '1..8*2x4'",
    value: 'WxC,...',
    isList: true,
    default: '2x4',
  },
  connections: {
    sets: 'connections',
    summary: "of each worker, each with all its loops: '1..4096*4'",
    value: 'N,...',
    isList: true,
    default: '1',
  },
  payload: {
    sets: 'payloadBytes',
    summary: "bytes of payload: 1000, 10k, 64KiB, ranges '10..100k*10'",
    value: 'SIZE,...',
    isList: true,
    default: '1000',
  },
  content: {
    sets: 'contents',
    summary:
      'of the payload: ascii, utf8, binary (what JSON escapes most) or json (a document, its quotes escaped)',
    value: 'KIND,...',
    isList: true,
    default: 'ascii',
  },
  'message-file': {
    sets: 'messageFile',
    summary:
      'messages of your own, in their own mix of sizes: objects of JSON (.ndjson, .jsonl, .json), or lines of text',
    value: 'FILE',
  },
  'message-format': {
    sets: 'messageFile',
    summary: 'of --message-file: json or text',
    value: 'NAME',
    shownDefault: 'by the ending of its name',
  },
  transport: {
    sets: 'transports',
    summary:
      'with settings after a colon: tcp:noDelay=false,flush=tick,unix; or groups: all, pipes, sockets, memory, ' +
      'threads, brokerless, rpc, brokers',
    value: 'NAME[:KEY=VALUE],...',
    isList: true,
    // What runs within its time on any machine: no optional package, and no server but the one that people have.
    default: 'pipe,unix,tcp,zeromq,redis-pubsub',
  },
  codec: {
    sets: 'codecs',
    summary: 'how messages are written',
    value: 'NAME,...',
    isList: true,
    default: 'json,string',
  },
  runtime: {
    sets: 'runtimes',
    summary:
      'what executes master and workers: node (this one), node@22, bun, deno, node=PATH, with flags of V8 "node --jitless"; of one end: worker:bun+master:node; in other languages: master:c, go, python, ./PATH',
    value: 'NAME[@VERSION],...',
    isList: true,
    default: 'node',
  },
  scenario: {
    sets: 'scenarios',
    summary: 'what is asked',
    value: 'NAME,...',
    isList: true,
    default: 'round-trip',
  },
  placement: {
    sets: 'placements',
    summary: 'split: master and workers on cores of their own; same: on one; free: the scheduler decides',
    value: 'MODE,...',
    isList: true,
    default: 'split',
  },
  poll: {
    sets: 'polls',
    summary: 'event: processes sleep while they wait; busy: they keep looking, at a core each',
    value: 'MODE,...',
    isList: true,
    default: 'event',
  },
  network: {
    sets: 'networks',
    summary:
      'between master and workers on this machine: none, or one of a round-trip time and a rate, as 1ms or 1ms+100mbit; ' +
      'Linux, see docs/network.md',
    value: 'TIME[+RATE],...',
    isList: true,
    default: 'none',
  },
  rate: {
    sets: 'open',
    summary: "open load: round trips per second of each cell, sent by a plan; 1k,5k or '1k..64k*2'",
    value: 'N,...',
    isList: true,
    shownDefault: 'closed loops',
  },
  arrivals: {
    sets: 'open',
    summary: 'open load: fixed intervals or poisson',
    value: 'NAME',
    default: 'fixed',
  },
  catchup: {
    sets: 'open',
    summary:
      'open load: send what is late as soon as a loop is free; --no-catchup gives it up, and counts it',
    shownDefault: 'on',
  },
  sweep: {
    sets: 'open',
    summary: 'open load: find the highest rate that keeps --slo, then measure around it',
  },
  slo: {
    sets: 'open',
    summary: 'for --sweep: a percentile of response time, and what it stays below',
    value: 'pN<TIME',
    default: 'p99<5ms',
  },
  preset: {
    summary: 'a named set of all of these, see `ipc-bench list presets`',
    value: 'NAME',
  },
});
