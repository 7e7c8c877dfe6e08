import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '../../lib/cell/headline.js';
import {
  BRIEF_CLOSED_LOOP_SENTENCE,
  CLOSED_LOOP_SENTENCE,
  conclusions,
} from '../../lib/report/text/conclusion.js';
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
      'unix/string answered 1.62× (1.55–1.70) as many round trips per second as pipe/json at 1,000 B, 2x4.',
      CLOSED_LOOP_SENTENCE,
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
      'unix/string answered 1.62× (1.55–1.70) as many round trips per second as pipe/json at 1,000 B, 2x4.',
      'Also more than pipe/json there: tcp/string 1.30× (1.20–1.40).',
      'Cannot tell unix/json from pipe/json there (0.96–1.05).',
      'Fewer than pipe/json there: redis-pubsub/json 0.33× (0.31–0.35).',
    ]);
  });

  it('claims nothing where the interval holds 1, even at its very end', () => {
    for (const ratio of /** @type {[number, number, number][]} */ ([
      [1.01, 0.96, 1.05],
      [1.1, 1, 1.2],
      [0.9, 0.8, 1],
    ])) {
      const [sentence] = conclusions(resultsWith({ 'unix/json': ratio }));
      assert.match(sentence, /^Cannot tell unix\/json from pipe\/json at 1,000 B, 2x4 \(/);
    }
  });

  it('says "about" and gives no verdict for fewer than 6 launches', () => {
    const results = resultsWith(
      { 'unix/string': [1.62, 1.6, 1.7], 'tcp/json': [1.2, 1.1, 1.3] },
      { launches: 3 },
    );
    assert.deepEqual(conclusions(results).slice(0, -1), [
      'unix/string answered about 1.62× as many round trips per second as pipe/json at 1,000 B, 2x4 in 3 launches; no verdict: fewer than 6 launches.',
      'Without a verdict there, about: tcp/json 1.20×.',
    ]);
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
    const said = () => conclusions(results).filter((sentence) => sentence.startsWith('Bottleneck'));
    assert.deepEqual(said(), [
      'Bottleneck: master at 97 % of a core in unix/string: these numbers measure the master, not the transport.',
    ]);
    pipe.busiest = { name: 'master', role: 'master', share: 0.9 };
    redis.busiest = { name: 'w1', role: 'worker', share: 0.93 };
    assert.deepEqual(said(), [
      'Bottleneck: master at 90 to 97 % of a core in 2 of 3 rows (pipe/json, unix/string): these numbers measure the master, not the transport.',
      'Bottleneck: a worker at 93 % of a core in redis-pubsub/json: these numbers measure that worker, not the transport.',
    ]);
    for (const outcome of [pipe, unix, redis])
      outcome.busiest = { name: 'redis', role: 'broker', share: 0.899 };
    assert.deepEqual(said(), []);
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
    assert.equal(why, 'There are no ratios: the reference pipe/json was not measured.');
    assert.match(
      what,
      /^unix\/json answered [\d,]+ \([\d,–]+\) round trips per second at 1,000 B, 2x4, the highest/,
    );
  });

  it('says what a single row answered', () => {
    const [sentence] = conclusions(makeResults({ series: ['pipe/json'] }));
    assert.match(sentence, /^pipe\/json answered .* at 1,000 B, 2x4; nothing else was measured there\.$/);
  });

  it('says that nothing was measured, and no caveat then', () => {
    assert.deepEqual(conclusions(makeResults({ skip: () => 'no' })), ['Nothing was measured.']);
  });

  it('says that a run was not finished', () => {
    const results = makeResults({ status: 'interrupted' });
    assert.ok(
      conclusions(results).includes('The run was not finished: there are fewer launches than planned.'),
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
      'unix/string had the highest estimate in all 3 groups of rows.',
      'More round trips than pipe/json in all of them (outermost ends of the intervals): unix/string (1.50–1.70×).',
      'Fewer round trips than pipe/json in all of them: redis-pubsub/json (0.25–0.40×).',
      'Compared with pipe/json it depends: tcp/json (more in 1, cannot tell in 2).',
      'From 10 B to 1,000 B the CPU time of a round trip stays within 25 % for pipe/json, unix/string, redis-pubsub/json, tcp/json.',
    ]);
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
      'Of 3 groups of rows the highest estimate had: unix/string in 2, tcp/json in 1 (clearly in none).',
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
      'unix/json answered 1.50× (1.40–1.60) as many round trips per second as pipe/json at 1,000 B, 2x4.',
      'Fewer than pipe/json there: nats/json 0.50× (0.40–0.60).',
      'Spinning while they wait, beside pipe/json there: more round trips in shared-memory:wake=spin/json 6.00× (5.50–6.50).',
      'Threads, not processes, beside pipe/json there: more round trips in threads-shared/json 4.10× (3.90–4.30), threads-message/json 2.10× (2.00–2.20).',
      'Messages may get lost, beside pipe/json there: more round trips in udp/json 1.60× (1.50–1.70).',
      'Kept on disk, beside pipe/json there: fewer round trips in rabbitmq:guarantee=durable/json 0.10× (0.09–0.12).',
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
      return conclusions(makeAllResults({ series, reference, launches: 2 })).filter((text) =>
        text.includes(', beside '),
      );
    };
    assert.match(
      kinds('threads-shared/json').join('\n'),
      /^Processes, beside threads-shared\/json at 1,000 B, 2x4: unix/m,
    );
    const [memory] = kinds('rabbitmq:guarantee=durable/json').filter((text) =>
      text.startsWith('Not kept on disk, '),
    );
    assert.match(memory, /unix\/json about [\d.]+×, redis-list\/json about/);
  });

  it('names the kind of what is highest where there is no reference', () => {
    const series = ['threads-shared/json', 'unix/json', 'redis-list/json'];
    const [sentence] = conclusions(makeAllResults({ series }));
    assert.match(
      sentence,
      /^unix\/json answered .* at 1,000 B, 2x4, the highest estimate there, apart from threads-shared \(threads, not processes\)\.$/,
    );
  });

  it('keeps kinds apart in the summary of many groups', () => {
    const series = ['pipe/json', 'unix/json', 'threads-shared/json', 'udp/json'];
    const said = conclusions(makeAllResults({ series, payloads: [10, 100, 1000] }));
    assert.match(said[0], /in all 3 groups of rows, apart from threads-shared \(threads, not processes\)/);
    assert.ok(
      said.some((text) => /^Threads, not processes, beside pipe\/json: threads-shared\/json \(/.test(text)),
    );
    assert.ok(said.some((text) => /^Messages may get lost, beside pipe\/json: udp\/json \(/.test(text)));
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
      'unix/string answered 1.62× (1.55–1.70) as many round trips per second as pipe/json at 1,000 B, 2x4.',
      'Also more than pipe/json there: tcp/json 1.30×.',
      'Cannot tell unix/json from pipe/json there (0.96–1.05).',
      'Bottleneck: master at 95 % of a core in all rows, which measure it, not the transport.',
      'Unreliable here: 12 of 24 launches were disturbed, most by other programs; ask ipc-bench doctor.',
      'Failed: tcp/v8: worker w0 died (PROCESS_DIED)',
      BRIEF_CLOSED_LOOP_SENTENCE,
    ]);
  });

  it('is never a wall of text', () => {
    const shapes = ['1x1', '2x1', '4x1', '6x1', '1x4', '2x4', '4x4', '6x4', '6x8'];
    const many = makeResults({
      payloads: [10, 100, 1000],
      shapes,
      launches: 2,
      fail: ({ codec, loops }) => (codec === 'string' ? `reason ${loops}` : null),
    });
    for (const results of [makeResults(), makeResults({ quick: true, launches: 3 }), many]) {
      const said = conclusions(results);
      assert.ok(said.length <= 8, said.join('\n'));
      for (const sentence of said) assert.ok(sentence.length < 500, sentence);
    }
  });
});
