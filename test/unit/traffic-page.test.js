// The page on recorded traffic, and on what its program would gain.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findConversations } from '../../lib/record/traffic-costs.js';
import html from '../../reports/html/html.js';
import { makeTraffic } from '../fixtures/make-traffic.js';

/** @import { RecordedTraffic } from '../../lib/report/recommend/gain-words.js' */

const CODE = '<script>alert(1)</script>';

/** @param {Partial<RecordedTraffic>} [recorded] @returns {Promise<string>} */
const pageOf = (recorded) => {
  const traffic = makeTraffic({ requests: 2_000, sendUs: 12 });
  return /** @type {any} */ (html).traffic.render({ traffic, gains: null, others: [], ...recorded });
};

/** @returns {RecordedTraffic} of a program for which a unix socket takes half as much */
function gaining() {
  const traffic = makeTraffic({ requests: 2_000, sendUs: 12 });
  const [conversation] = findConversations(traffic);
  const present = { name: 'pipe/json', effort: null, kind: '', share: 0.1, saved: null, isCheaper: false };
  const saved = { estimate: 0.05, low: 0.04, high: 0.06 };
  const best = { name: 'unix/json', effort: 'mechanism', kind: '', share: 0.05, saved, isCheaper: true };
  const rows = [present, best].map((row) => ({ ...row, p99: null, isLate: false }));
  const ratio = { estimate: 1, low: 0.95, high: 1.05, level: 0.95, n: 5, method: 'log-model' };
  const check = { ratio, programUs: 24, replayUs: { ...ratio, estimate: 24 }, isAlike: true, isNoisy: false };
  const gain = {
    conversation,
    why: '',
    reference: 'pipe/json',
    sizes: [],
    check,
    rows,
    others: ['tcp/json'],
  };
  return { traffic, gains: [/** @type {any} */ (gain)], others: [] };
}

describe('the page on recorded traffic', () => {
  it('has what all messages take, and a row for each channel', async () => {
    const page = await pageOf();
    assert.match(page, /<p class="answer">All of it takes [\d.]+ % of a core/);
    assert.match(page, /<th scope="row"[^>]*>1 client\.js \(child\) → server\.js/);
    assert.match(page, /Channel 1 has 2,000 requests, all with a response/);
    assert.match(page, /data-title="messages" data-value="2000">2,000</, 'numbers are sorted as such');
  });

  it('shows what comes from the file as text', async () => {
    const traffic = makeTraffic({ requests: 2_000, sendUs: 12 });
    traffic.program = `node ${CODE}.js`;
    for (const channel of traffic.channels) channel.from = CODE;
    traffic.notHeard = [CODE];
    const page = await pageOf({ traffic });
    assert.ok(!page.includes(CODE));
    assert.ok(page.includes('&lt;script&gt;alert(1)'));
  });

  it('begins with the gain, where that was measured', async () => {
    const page = await pageOf(gaining());
    assert.match(
      page,
      /<p class="answer">To gain: 5(\.\d)? % \([\d.]+–[\d.]+\) of a core, with unix\/json for channel 1\./,
    );
    assert.match(page, /<th scope="row"[^>]*>unix\/json/);
    assert.match(page, /Not less CPU time than pipe\/json in closed loops: tcp\/json\./);
    assert.ok(page.indexOf('Replayed: ') < page.indexOf('What was heard'), 'the gain stands first');
    assert.match(page, /All of it takes/);
  });
});
