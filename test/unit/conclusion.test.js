import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '../../lib/cell/headline.js';
import { CLOSED_LOOP_SENTENCES, conclusions } from '../../lib/report/text/conclusion.js';
import { makeAllResults } from '../fixtures/all-transports.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';

/**
 * @param {Record<string, [number, number, number] | null>} ratios    series → estimate, low, high
 * @param {Parameters<typeof makeResults>[0]} [recipe]
 */
function resultsWith(ratios, recipe = {}) {
  const results = makeResults({ series: ['pipe/json', ...Object.keys(ratios)], ...recipe });
  for (const outcome of measuredOf(results)) {
    const ratio = ratios[`${outcome.cell.transport}/${outcome.cell.codec}`];
    outcome.busiest = { name: 'master', role: 'master', share: 0.5 };
    if (ratio === undefined || outcome.ratio === null) continue;
    const [estimate, low, high] = ratio ?? [0, 0, 0];
    outcome.ratio = ratio === null ? null : { ...outcome.ratio, estimate, low, high };
  }
  return results;
}

describe('conclusions', () => {
  it('says how many times as many, with the interval, and where', () => {
    const results = resultsWith({ 'unix/string': [1.6213, 1.551, 1.698] });
    assert.deepEqual(conclusions(results), [
      'unix/string: 1.62× the throughput of pipe/json (95 % CI 1.55–1.70) at 1,000 B, 2x4.',
      CLOSED_LOOP_SENTENCES.full,
    ]);
  });

  it('tells those that answered more, fewer, and those that cannot be told apart', () => {
    const results = resultsWith({
      'unix/json': [1.01, 0.962, 1.05],
      'unix/string': [1.62, 1.55, 1.7],
      'tcp/string': [1.3, 1.2, 1.4],
      'redis-pubsub/json': [0.33, 0.31, 0.35],
    });
    assert.deepEqual(conclusions(results).slice(0, -1), [
      'unix/string: 1.62× the throughput of pipe/json (95 % CI 1.55–1.70) at 1,000 B, 2x4.',
      'Also faster: tcp/string 1.30× (1.20–1.40).',
      'No clear difference: unix/json (0.96–1.05).',
      'Slower: redis-pubsub/json 0.33× (0.31–0.35).',
    ]);
  });

  it('claims nothing where the interval holds 1, even at its very end', () => {
    for (const ratio of /** @type {[number, number, number][]} */ ([
      [1.01, 0.96, 1.05],
      [1.1, 1, 1.2],
      [0.9, 0.8, 1],
    ])) {
      const [sentence] = conclusions(resultsWith({ 'unix/json': ratio }));
      assert.match(sentence, /^No clear difference from pipe\/json at 1,000 B, 2x4: unix\/json \(/);
    }
  });

  it('says "about" and gives no verdict for fewer than 2 launches', () => {
    const results = resultsWith(
      { 'unix/string': [1.62, 1.6, 1.7], 'tcp/json': [1.2, 1.1, 1.3] },
      { launches: 1 },
    );
    assert.deepEqual(conclusions(results).slice(0, -1), [
      'unix/string: about 1.62× the throughput of pipe/json at 1,000 B, 2x4 in 1 launch; no verdict: fewer than 2 launches.',
      'No verdict: tcp/json about 1.20×.',
    ]);
  });

  it('says which row has the best estimate where that may not be ranked', () => {
    const cold = (/** @type {import('../../lib/types/index.js').Results} */ results) => {
      for (const outcome of measuredOf(results))
        if (outcome.cell.codec === 'string') outcome.flags = [{ code: 'cold', message: 'cold' }];
      return conclusions(results);
    };
    const better = { 'unix/string': [1.62, 1.6, 1.7], 'tcp/json': [1.2, 1.1, 1.3] };
    assert.deepEqual(cold(resultsWith(/** @type {any} */ (better))).slice(0, 2), [
      'tcp/json: 1.20× the throughput of pipe/json (95 % CI 1.10–1.30) at 1,000 B, 2x4; highest estimate: unix/string (no verdict: still warming up).',
      'No verdict: unix/string about 1.62×.',
    ]);
    const worse = { 'unix/string': [1.62, 1.6, 1.7], 'tcp/json': [0.8, 0.7, 0.9] };
    assert.deepEqual(
      cold(resultsWith(/** @type {any} */ (worse)))
        .slice(0, 3)
        .map((sentence) => sentence.replace(/, [\d,]+ \(.*\) round/, ', so many round')),
      [
        'No verdict at 1,000 B, 2x4: still warming up; highest estimate: unix/string, so many round trips per second.',
        'Slower than pipe/json at 1,000 B, 2x4: tcp/json 0.80× (0.70–0.90).',
        'No verdict: unix/string about 1.62×.',
      ],
    );
  });

  it('gives no verdict for a quick run, however many its launches', () => {
    const [sentence] = conclusions(resultsWith({ 'unix/string': [1.62, 1.6, 1.7] }, { quick: true }));
    assert.match(sentence, /about 1\.62× .* in 6 launches; no verdict: a quick run\.$/);
  });

  it('never ranks by latency: results that differ in tails only say the same', () => {
    const results = resultsWith({ 'unix/string': [1.62, 1.55, 1.7], 'tcp/json': [0.9, 0.8, 0.95] });
    const before = conclusions(results);
    for (const latencyUs of measuredOf(results).flatMap(timesIn))
      Object.assign(latencyUs, { p99: 1e6 / (latencyUs.p99 ?? 1), p999: 7, max: 9 });
    assert.deepEqual(conclusions(results), before);
  });

  it('names the process that was measured instead of the transport', () => {
    const results = resultsWith({ 'unix/string': [1.62, 1.55, 1.7], 'redis-pubsub/json': [0.3, 0.2, 0.4] });
    const [pipe, unix, redis] = measuredOf(results);
    unix.busiest = { name: 'master', role: 'master', share: 0.97 };
    const said = () => conclusions(results).filter((sentence) => sentence.includes('limited by'));
    assert.deepEqual(said(), [
      'unix/string is limited by the master process (97 % of a core), not by the transport.',
    ]);
    pipe.busiest = { name: 'master', role: 'master', share: 0.9 };
    redis.busiest = { name: 'w1', role: 'worker', share: 0.93 };
    assert.deepEqual(said(), [
      '2 of 3 rows (pipe/json, unix/string) are limited by the master process (90 to 97 % of a core), not by the transport.',
      'redis-pubsub/json is limited by a worker process (93 % of a core), not by the transport.',
    ]);
    for (const outcome of [pipe, unix, redis])
      outcome.busiest = { name: 'redis', role: 'broker', share: 0.899 };
    assert.deepEqual(said(), []);
  });

  it('names the window of acknowledgements for which senders wait, where no process is busy', () => {
    const results = makeResults({ series: ['mqtt/json', 'unix/json'] });
    const [mqtt, unix] = measuredOf(results);
    const acknowledgementWindow = { setting: 'inflight', messages: 1 };
    results.transports = { mqtt: /** @type {any} */ ({ class: 'broker', acknowledgementWindow }) };
    const backpressure = { waits: 1, backlog: 15_000, backlogPerSecond: 0, lostShare: 0, grownIn: null };
    for (const outcome of [mqtt, unix]) {
      Object.assign(outcome, { backpressure, busiest: { name: 'w0', role: 'worker', share: 0.4 } });
      for (const { costs } of outcome.launches)
        for (const [cpu, cost] of costs.entries()) Object.assign(cost, { share: 0.4, cpus: [cpu] });
    }
    const said = () => conclusions(results).filter((sentence) => sentence.includes('limited by'));
    const sentence =
      'mqtt/json is limited by the window of acknowledgements (inflight=1): senders wait for acknowledgements, and no process is busy.';
    assert.deepEqual(said(), [sentence]);
    const saidWith = (/** @type {(outcome: any) => void} */ change) => {
      const kept = structuredClone(mqtt);
      change(mqtt);
      const sentences = said();
      Object.assign(mqtt, kept);
      return sentences;
    };
    for (const change of /** @type {((outcome: any) => void)[]} */ ([
      (outcome) => Object.assign(outcome, { backpressure: { ...backpressure, waits: 0 } }),
      (outcome) => Object.assign(outcome, { busiest: null }),
      (outcome) => {
        outcome.cell.network = '1ms+10mbit';
      },
      (outcome) => {
        outcome.cell.ratePerSecond = 100;
      },
      // All of them share one CPU, which they use up together.
      ({ launches }) => {
        for (const { costs } of launches) for (const cost of costs) cost.cpus = [0];
      },
    ]))
      assert.deepEqual(saidWith(change), []);
    const busy = saidWith((outcome) => {
      outcome.busiest.share = 0.95;
    });
    assert.match(busy.join(), /mqtt\/json is limited by a worker process \(95 % of a core\)/);
    assert.deepEqual(said(), [sentence]);
  });

  it('names what failed, once for each cause', () => {
    const fail = (/** @type {import('../../lib/types/plans.js').Cell} */ { transport }) =>
      transport === 'zeromq' ? 'worker w0 died in phase measure.' : null;
    const results = makeResults({ series: ['pipe/json', 'zeromq/json', 'zeromq/string'], fail });
    assert.ok(
      conclusions(results).includes(
        'Failed: zeromq/json, zeromq/string: worker w0 died in phase measure (PROCESS_DIED).',
      ),
    );
  });

  it('says why there are no ratios where the reference was not measured', () => {
    const results = makeResults({ series: ['unix/json', 'tcp/json'] });
    const [what, why] = conclusions(results);
    assert.equal(why, 'No ratios: the reference pipe/json was not measured.');
    assert.match(what, /^unix\/json: [\d,]+ \([\d,–]+\) round trips per second at 1,000 B, 2x4, the highest/);
  });

  it('names up to two of several groups without ratios, and counts more of them', () => {
    const withoutReferenceAt = (/** @type {number[]} */ payloads) =>
      conclusions(
        makeResults({
          series: ['pipe/json', 'unix/json'],
          payloads: [10, 100, 1_000, 10_000],
          fail: ({ transport, payloadBytes }) =>
            transport === 'pipe' && payloads.includes(payloadBytes) ? 'it died' : null,
        }),
      ).find((sentence) => sentence.startsWith('No ratios'));
    assert.match(String(withoutReferenceAt([10, 100])), /^No ratios at 10 B.* and at 100 B[^:]*: /);
    assert.match(String(withoutReferenceAt([10, 100, 1_000])), /^No ratios in 3 of 4 groups: /);
  });

  it('says what a single row answered', () => {
    const [sentence] = conclusions(makeResults({ series: ['pipe/json'] }));
    assert.match(sentence, /^pipe\/json: .* at 1,000 B, 2x4; nothing else was measured there\.$/);
  });

  it('says that nothing was measured, and no caveat then', () => {
    assert.deepEqual(conclusions(makeResults({ skip: () => 'no' })), ['Nothing was measured.']);
  });

  it('says that a run was not finished', () => {
    const results = makeResults({ status: 'interrupted' });
    assert.ok(
      conclusions(results).includes(
        'The run was not finished: rows have fewer launches or slices than planned.',
      ),
    );
  });

  it('tells two groups apart by what differs between them', () => {
    const said = conclusions(
      makeResults({ series: ['pipe/json', 'unix/json'], placements: ['split', 'same'] }),
    );
    assert.match(said[0], / at 1,000 B, 2x4, split\.$/);
    assert.match(said[1], / at 1,000 B, 2x4, same\.$/);
  });

  it('summarises many groups: who wins everywhere, who nowhere, and for whom it depends', () => {
    const results = resultsWith(
      { 'unix/string': [1.6, 1.5, 1.7], 'redis-pubsub/json': [0.3, 0.25, 0.4], 'tcp/json': [1, 0.9, 1.1] },
      { payloads: [10, 100, 1000] },
    );
    const tcp = measuredOf(results).filter(({ cell }) => cell.transport === 'tcp');
    if (tcp[0].ratio !== null) tcp[0].ratio = { ...tcp[0].ratio, estimate: 1.2, low: 1.1, high: 1.3 };
    assert.deepEqual(conclusions(results).slice(0, -1), [
      'unix/string was fastest at all 3 payload sizes.',
      'Faster than pipe/json at all payload sizes (outermost ends of the intervals): unix/string (1.50–1.70×).',
      'Slower than pipe/json at all payload sizes: redis-pubsub/json (0.25–0.40×).',
      'Compared with pipe/json, the verdict differs between payload sizes: tcp/json (faster at 1, no clear difference at 2).',
      'From 10 B to 1,000 B the CPU time of a round trip stays within 25 % for pipe/json, unix/string, redis-pubsub/json, tcp/json.',
    ]);
  });

  it('names three further winners of many groups, and counts the others', () => {
    const names = ['tcp/json', 'unix/json', 'zeromq/json', 'redis-pubsub/json', 'redis-list/json'];
    const sizes = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
    const series = ['pipe/json', ...names];
    const results = makeResults({ series, payloads: sizes, launches: 1 });
    for (const { cell, measures } of measuredOf(results)) {
      const rate = /** @type {any} */ (measures.roundTripsPerSecond);
      rate.estimate = series.indexOf(`${cell.transport}/json`) === sizes.indexOf(cell.payloadBytes) ? 9e9 : 1;
    }
    assert.match(
      conclusions(results)[0],
      /^pipe\/json was fastest at 1 of 6 payload sizes \(not clearly\), (\S+ at 1 \(not clearly\), ){2}\S+ at 1 \(not clearly\) and 2 more\.$/,
    );
  });

  it('says without a reference that the highest estimate allows no verdict, and why', () => {
    const one = makeResults({ series: ['unix/json', 'tcp/json'], reference: 'pipe/json', launches: 1 });
    assert.match(
      conclusions(one)[0],
      /^unix\/json: .* at 1,000 B, 2x4, the highest estimate there; no verdict: fewer than 2 launches\.$/,
    );
    const alone = makeResults({ series: ['unix/json'], reference: 'pipe/json' });
    assert.match(conclusions(alone)[0], /; nothing else was measured there\.$/);
  });

  it('tells of many groups who had the highest estimate in how many, and in how many of these clearly', () => {
    const results = resultsWith(
      { 'unix/string': [1.6, 1.5, 1.7], 'tcp/json': [1, 0.9, 1.1] },
      { payloads: [10, 100, 1000] },
    );
    const [last] = measuredOf(results).filter(
      ({ cell }) => cell.transport === 'tcp' && cell.payloadBytes === 1_000,
    );
    const rate = last.measures.roundTripsPerSecond;
    assert.equal(rate.kind, 'value');
    for (const key of /** @type {const} */ (['estimate', 'low', 'high'])) rate[key] *= 10;
    assert.equal(
      conclusions(results)[0],
      'unix/string was fastest at 2 of 3 payload sizes, tcp/json at 1 (not clearly).',
    );
  });

  it('ranks threads, what spins, what may lose messages and what is on disk apart, and says so', () => {
    const results = makeAllResults({
      series: [
        'pipe/json',
        'unix/json',
        'threads-shared/json',
        'threads-message/json',
        'udp/json',
        'nats/json',
      ].concat('rabbitmq:guarantee=durable/json', 'shared-memory:wake=spin/json'),
    });
    const ratios = /** @type {Record<string, [number, number, number]>} */ ({
      'unix/json': [1.5, 1.4, 1.6],
      'threads-shared/json': [4.1, 3.9, 4.3],
      'udp/json': [1.6, 1.5, 1.7],
      'threads-message/json': [2.1, 2, 2.2],
      'nats/json': [0.5, 0.4, 0.6],
      'rabbitmq/json': [0.1, 0.09, 0.12],
      'shared-memory/json': [6, 5.5, 6.5],
    });
    for (const outcome of measuredOf(results)) {
      const ratio = ratios[`${outcome.cell.transport}/${outcome.cell.codec}`];
      outcome.busiest = null;
      if (ratio === undefined || outcome.ratio === null) continue;
      const [estimate, low, high] = ratio;
      outcome.ratio = { ...outcome.ratio, estimate, low, high };
    }
    assert.deepEqual(conclusions(results).slice(0, -1), [
      'unix/json: 1.50× the throughput of pipe/json (95 % CI 1.40–1.60) at 1,000 B, 2x4.',
      'Slower: nats/json 0.50× (0.40–0.60).',
      'Of another kind (busy-waiting), compared with pipe/json, faster: shared-memory:wake=spin/json 6.00× (5.50–6.50).',
      'Of another kind (threads, not processes), compared with pipe/json, faster: threads-shared/json 4.10× (3.90–4.30), threads-message/json 2.10× (2.00–2.20).',
      'Of another kind (messages may get lost), compared with pipe/json, faster: udp/json 1.60× (1.50–1.70).',
      'Of another kind (kept on disk), compared with pipe/json, slower: rabbitmq:guarantee=durable/json 0.10× (0.09–0.12).',
    ]);
  });

  it('says of processes that they are none of the reference’s kind, where that is a thread or durable', () => {
    const kinds = (/** @type {string} */ reference) => {
      const series = [
        'threads-shared/json',
        'rabbitmq:guarantee=durable/json',
        'unix/json',
        'redis-list/json',
      ];
      return conclusions(makeAllResults({ series, reference, launches: 1 })).filter((text) =>
        text.includes(', compared with '),
      );
    };
    assert.match(
      kinds('threads-shared/json').join('\n'),
      /^Of another kind \(processes\), compared with threads-shared\/json at 1,000 B, 2x4, no verdict \(fewer than 2 launches\): unix/m,
    );
    const [memory] = kinds('rabbitmq:guarantee=durable/json').filter((text) =>
      text.startsWith('Of another kind (not kept on disk)'),
    );
    assert.match(memory, /unix\/json about [\d.]+×, redis-list\/json about/);
  });

  it('names the kind of what is highest where there is no reference', () => {
    const series = ['threads-shared/json', 'unix/json', 'redis-list/json'];
    const [sentence] = conclusions(makeAllResults({ series }));
    assert.match(
      sentence,
      /^unix\/json: .* at 1,000 B, 2x4, the highest estimate there, apart from threads-shared \(threads, not processes\)\.$/,
    );
  });

  it('keeps kinds apart in the summary of many groups', () => {
    const series = ['pipe/json', 'unix/json', 'threads-shared/json', 'udp/json'];
    const said = conclusions(makeAllResults({ series, payloads: [10, 100, 1000] }));
    assert.match(said[0], /at all 3 payload sizes, apart from threads-shared \(threads, not processes\)/);
    assert.ok(
      said.some((text) =>
        /^Of another kind \(threads, not processes\), compared with pipe\/json: threads-shared\/json \(/.test(
          text,
        ),
      ),
    );
    assert.ok(
      said.some((text) =>
        /^Of another kind \(messages may get lost\), compared with pipe\/json: udp\/json \(/.test(text),
      ),
    );
  });

  it('is brief for a first look: one interval, one line for each further thought, and every failure', () => {
    const results = resultsWith(
      { 'unix/string': [1.62, 1.55, 1.7], 'tcp/json': [1.3, 1.2, 1.4], 'unix/json': [1.01, 0.962, 1.05] },
      {
        fail: ({ codec }) => (codec === 'v8' ? 'worker w0 died' : null),
        series: ['pipe/json', 'unix/string', 'tcp/json', 'unix/json', 'tcp/v8'],
      },
    );
    for (const outcome of measuredOf(results))
      outcome.busiest = { name: 'master', role: 'master', share: 0.95 };
    for (const launch of measuredOf(results)[0].launches.concat(measuredOf(results)[1].launches))
      launch.flags = [{ code: 'crowded', message: '' }];
    assert.deepEqual(conclusions(results, { isBrief: true }), [
      'unix/string: 1.62× the throughput of pipe/json (95 % CI 1.55–1.70) at 1,000 B, 2x4.',
      'Also faster: tcp/json 1.30×.',
      'No clear difference: unix/json (0.96–1.05).',
      'All rows are limited by the master process (95 % of a core), not by the transport.',
      'Unreliable: 12 of 24 launches were disturbed, most often by: other programs. Run ipc-bench doctor.',
      'Failed: tcp/v8: worker w0 died (PROCESS_DIED)',
      CLOSED_LOOP_SENTENCES.brief,
    ]);
  });

  it('names a master that was blocked or stopped, for how long, and no cause that is not there', () => {
    const results = makeResults({ series: ['pipe/json', 'unix/json'] });
    const stalled = measuredOf(results)[1];
    for (const launch of stalled.launches) {
      launch.noise = /** @type {any} */ ({ masterStallMs: 1_000 + 500 * launch.block });
      launch.flags = [{ code: 'stalled', message: '' }];
    }
    stalled.flags = [{ code: 'stalled', message: '' }];
    const longest = (1 + 0.5 * (stalled.launches.length - 1)).toFixed(2);
    const sentence = `The event loop of the master was blocked, or its process was stopped, and the responses waited for it: unix/json (for ${longest} s).`;
    for (const isBrief of [true, false]) {
      const said = conclusions(results, { isBrief });
      assert.ok(said.includes(sentence), said.join('\n'));
      assert.ok(said.every((text) => !/other programs/i.test(text)));
    }
    for (const launch of stalled.launches) launch.flags.unshift({ code: 'crowded', message: '' });
    const both = conclusions(results, { isBrief: true }).find((text) => text.startsWith('Unreliable'));
    assert.match(String(both), /most often by: other programs, blocked or stopped master\. /);
  });

  it('is never a wall of text', () => {
    const shapes = ['1x1', '2x1', '4x1', '6x1', '1x4', '2x4', '4x4', '6x4', '6x8'];
    const many = makeResults({
      payloads: [10, 100, 1000],
      shapes,
      launches: 1,
      fail: ({ codec, loops }) => (codec === 'string' ? `reason ${loops}` : null),
    });
    for (const results of [makeResults(), makeResults({ quick: true, launches: 1 }), many]) {
      const said = conclusions(results);
      assert.ok(said.length <= 8, said.join('\n'));
      for (const sentence of said) assert.ok(sentence.length < 500, sentence);
    }
  });
});
