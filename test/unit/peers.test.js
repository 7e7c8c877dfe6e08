// What a peer says, what is believed of it, and what of a plan it cannot play. No process is started here.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cacheFolder } from '../../lib/children/compiled-program.js';
import {
  lineReader,
  peerWord,
  peerProtocolProblem as whyNotUnderstood,
} from '../../lib/children/peer-process.js';
import json from '../../lib/codecs/builtin/json.js';
import msgpack from '../../lib/codecs/builtin/msgpack.js';
import { reportProblem, sumExpected, toEndpointReport } from '../../lib/launch/controller/peer-master.js';
import { parseRuntimes } from '../../lib/options/axis-values.js';
import { peerSkipReason } from '../../lib/plan/skip-reasons.js';
import { ownPeer } from '../../lib/plugins/find-runtimes.js';
import { configured } from '../../lib/plugins/plugins.js';
import roundTrip from '../../scenarios/round-trip.js';
import stream from '../../scenarios/stream.js';
import pipe from '../../transports/pipe.js';
import unix from '../../transports/unix.js';

/** @import { PeerHello, PeerReport } from '../../lib/types/index.js' */

/** @type {PeerHello} */
const HELLO = {
  control: 'hello',
  protocol: 1,
  runtime: 'rust',
  version: '1.80.0',
  transports: ['unix', 'pipe'],
  codecs: ['json'],
  scenarios: ['round-trip', 'stream'],
  settings: { flush: ['direct', 'tick'] },
};
const COUNTS = { operations: 7, undecodable: 0, rejectedConnections: 0 };

describe('the words of a peer', () => {
  it('reads messages of a peer that have their required fields', () => {
    for (const word of [
      HELLO,
      { control: 'listening', nowMs: 12.5 },
      { control: 'count', ...COUNTS },
      {
        control: 'report',
        ...COUNTS,
        atOpen: 1,
        bins: [1, 2],
        streams: { w0: { taken: 7, wrong: 0, outOfOrder: 0 } },
      },
      { control: 'failed', message: 'no' },
    ]) {
      assert.deepEqual(peerWord(JSON.stringify(word)), word);
    }
  });

  for (const [line, why] of [
    ['ready!', 'it wrote a line to stdout that is not JSON: "ready!"'],
    ['\u001b[31mred', 'it wrote a line to stdout that is not JSON: "red"'],
    ['7', 'it sent an unknown message: "7"'],
    ['{"control":"toString"}', 'it sent an unknown message: "{\\"control\\":\\"toString\\"}"'],
    [
      '{"control":"listening"}',
      'its message listening lacks required fields: "{\\"control\\":\\"listening\\"}"',
    ],
  ]) {
    it(`refuses a message of a peer with the line: ${JSON.stringify(line)}`, () =>
      assert.throws(() => peerWord(line), {
        code: 'PROTOCOL',
        message: `${why}; see the protocol in docs/extending.md`,
      }));
  }

  for (const counts of [
    { operations: -1 },
    { operations: 1.5 },
    { operations: '7' },
    { rejectedConnections: null },
  ]) {
    it(`refuses a message of a peer with a count of ${JSON.stringify(counts)}`, () =>
      assert.throws(() => peerWord(JSON.stringify({ control: 'count', ...COUNTS, ...counts })), {
        code: 'PROTOCOL',
      }));
  }

  it('refuses a peer of another protocol version', () => {
    assert.equal(whyNotUnderstood(HELLO), null);
    assert.equal(
      whyNotUnderstood({ ...HELLO, protocol: 2 }),
      'it uses version 2 of the peer protocol, but this ipc-bench needs version 1',
    );
  });
});

describe('what a peer says that it has counted', () => {
  const workers = [
    { mistakes: {}, requests: 3 },
    { mistakes: {}, requests: 4 },
  ];
  /** @type {PeerReport} */
  const told = { control: 'report', ...COUNTS };

  it('accepts counts of a peer that equal those of its workers', () => {
    const expected = sumExpected(workers);
    assert.equal(reportProblem(told, expected, false), null);
    assert.deepEqual(toEndpointReport(told, expected, false), {
      mistakes: { corrupt: 0 },
      rejectedConnections: 0,
    });
    assert.equal(
      reportProblem({ ...told, operations: 8 }, expected, false),
      'reported 8 responses, but its workers sent 7 requests',
    );
  });

  const sent = sumExpected([{ mistakes: {}, requests: 8, streams: { w0: 8 } }]);
  const stream0 = {
    taken: 7,
    wrong: 1,
    outOfOrder: 2,
    sightings: /** @type {[number, number][]} */ ([[0, 1.5]]),
  };
  /** @type {PeerReport} */
  const took = { ...told, atOpen: 2, bins: [1, 3], streams: { w0: stream0 } };

  it('computes operations, mistakes and losses of a stream from the report of a peer', () => {
    assert.equal(reportProblem(took, sent, true), null);
    assert.deepEqual(toEndpointReport(took, sent, true), {
      operations: 4,
      bins: [1, 3],
      values: { atOpen: 2 },
      sightings: { w0: [[0, 1.5]] },
      mistakes: { corrupt: 1, outOfOrder: 2, lost: 1 },
      rejectedConnections: 0,
    });
  });

  for (const [lie, why] of /** @type {[Partial<PeerReport>, string][]} */ ([
    [{ bins: undefined }, 'did not report the messages received in the window and per stream'],
    [{ operations: 9 }, 'reported 9 messages received, but 7 over all streams'],
    [{ bins: [6, 6] }, 'reported 14 messages received by the end of the window, but 7 in total'],
    [
      { operations: 9, streams: { w0: { ...stream0, taken: 9 } } },
      'reported 9 messages received from w0, which sent 8',
    ],
    [
      { operations: 8, streams: { w0: stream0, w9: { ...stream0, taken: 1 } } },
      'reported 1 messages received from w9, which sent 0',
    ],
  ])) {
    it(`rejects a report of a peer: ${why}`, () =>
      assert.equal(reportProblem({ ...took, ...lie }, sent, true), why));
  }
});

describe('what a peer cannot play', () => {
  const peer = { program: { name: 'own', command: '/own', args: [] }, hello: HELLO };
  const parts = { transport: unix, codec: json, scenario: configured(roundTrip, {}), schema: null };
  const cell = /** @type {any} */ ({ settings: {} });
  /** @param {Partial<typeof parts> & { cell?: any, role?: string, platform?: NodeJS.Platform }} [wish] */
  const why = ({ role = 'master', platform = 'linux', ...wish } = {}) =>
    peerSkipReason(peer, role, { ...parts, cell, ...wish }, platform);

  it('plans what a peer declares', () => {
    assert.equal(why(), null);
    assert.equal(why({ cell: { settings: { flush: 'tick' } } }), null);
    assert.equal(why({ scenario: configured(stream, {}) }), null);
  });

  for (const [wish, reason] of /** @type {[Parameters<typeof why>[0], string][]} */ ([
    [{ role: 'worker' }, 'a program in another language can only be the master: write it as master:NAME'],
    [{ codec: msgpack }, 'it does not support codec msgpack, only json'],
    [{ transport: { ...unix, name: 'tcp' } }, 'it does not support transport tcp, only unix, pipe'],
    [{ transport: pipe }, 'pipe does not support peers in other languages'],
    [{ cell: { settings: { sndbuf: 4_096 } } }, 'it does not support sndbuf=4096 of unix'],
    [
      { scenario: configured(stream, { handle: '10' }) },
      'it does not support scenario stream:handle=10, only round-trip, stream',
    ],
    [{ cell: { settings: {}, poll: 'busy' } }, 'it does not busy-wait: leave out --poll busy'],
    [{ schema: /** @type {any} */ ({}) }, 'it carries text, and the file has objects: add --codec string'],
    [{ platform: 'darwin' }, 'the costs of another program can be measured on Linux only'],
  ])) {
    it(`skips a cell of a peer with the reason: ${reason}`, () => assert.equal(why(wish), reason));
  }
});

describe('a peer of one’s own', () => {
  it('parses the path of a peer', () => {
    const source = /** @type {const} */ ({ label: '--runtime', code: 'BAD_ARGUMENT' });
    assert.deepEqual(parseRuntimes(['master:./my-peer,master:/opt/peer'], source), [
      'master:./my-peer',
      'master:/opt/peer',
    ]);
  });

  it('refuses a peer that is no program, or whose name is taken', async () => {
    await assert.rejects(ownPeer('./nowhere', []), {
      code: 'BAD_ARGUMENT',
      message: '--runtime master:./nowhere: there is no program that may be executed; check the path',
    });
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-'));
    try {
      const path = join(folder, 'node');
      writeFileSync(path, '', { mode: 0o755 });
      await assert.rejects(ownPeer(path, ['go', 'node']), {
        code: 'BAD_ARGUMENT',
        message: /its name is taken/,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('programs that are compiled', () => {
  it('keeps compiled programs in the cache folder of the user', () => {
    assert.equal(cacheFolder({ XDG_CACHE_HOME: '/caches' }), join('/caches', 'ipc-bench', 'programs'));
    assert.match(
      String(cacheFolder({ XDG_CACHE_HOME: 'relative' })),
      /[\\/]\.cache[\\/]ipc-bench[\\/]programs$/,
    );
  });
});

describe('lineReader', () => {
  /** @param {number} [longest] */
  function start(longest = 100) {
    /** @type {string[]} */
    const lines = [];
    let tooLong = 0;
    const read = lineReader(
      (line) => lines.push(line),
      longest,
      () => {
        tooLong += 1;
      },
    );
    return { lines, read, tooLong: () => tooLong };
  }

  it('passes on each complete line, however the text is divided', () => {
    const text = 'one\n\ntwo and\nthree\nrest';
    for (let size = 1; size <= text.length; size += 1) {
      const { lines, read } = start();
      for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size));
      assert.deepEqual(lines, ['one', '', 'two and', 'three']);
      read('\n');
      assert.equal(lines.at(-1), 'rest');
    }
  });

  it('reports a line that is too long, and discards it', () => {
    const { lines, read, tooLong } = start(4);
    read('12');
    read('34');
    assert.equal(tooLong(), 0);
    read('5');
    assert.equal(tooLong(), 1);
    for (const rest of ['6789', '\nabcd']) read(rest);
    assert.deepEqual([lines, tooLong()], [['6789'], 1], 'each line may be as long as the limit');
  });

  it('reads a line of 100 MB without searching any piece twice', { timeout: 10_000 }, () => {
    // Searching all that is held with each piece takes more than a minute.
    const { lines, read } = start(200e6);
    const piece = 'x'.repeat(65_536);
    for (let count = 0; count < 1_600; count += 1) read(piece);
    read('\n');
    assert.equal(lines[0].length, 1_600 * 65_536);
  });
});
