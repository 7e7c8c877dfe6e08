// What is said of the jobs of workers that were killed: counted over all launches, beside what was promised.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guaranteeFindings } from '../../lib/report/findings/guarantee-findings.js';
import { phrase } from '../../lib/report/text/phrase-table.js';

/** @import { OutageCounts, Outcome } from '../../lib/types/index.js' */

/** @param {string} transport @param {(OutageCounts | undefined)[]} outages   of its launches @returns {Outcome} */
function rowOf(transport, outages) {
  const cell = { transport, codec: 'json', scenario: 'queue:kill=1', settings: {} };
  const launches = outages.map((outage) => (outage === undefined ? {} : { outage }));
  return /** @type {any} */ ({ status: 'measured', cell, launches });
}

/** @param {OutageCounts['promise']} promise @param {number} lost @param {number} doneTwice @returns {OutageCounts} */
const counts = (promise, lost, doneTwice) => ({ promise, lost, doneTwice });

/** @param {Outcome[]} measured */
const promiseSentences = (measured) =>
  guaranteeFindings(/** @type {any} */ ({ measured })).flatMap((finding) => phrase(finding, false));

describe('sentences about promises', () => {
  it('say nothing where nobody was killed', () => {
    assert.deepEqual(promiseSentences([rowOf('unix', [undefined, undefined])]), []);
  });

  it('sum up the launches of a row, and name rows that fared alike together', () => {
    const kept = [counts('at least once', 0, 1), counts('at least once', 0, 2)];
    assert.deepEqual(
      promiseSentences([
        rowOf('unix', kept),
        rowOf('tcp', kept),
        rowOf('nats', [counts('at most once', 9, 0)]),
      ]),
      [
        'Jobs of killed workers, unix/json, tcp/json: none lost, 3 done twice; guarantee: at least once.',
        'Jobs of killed workers, nats/json: 9 lost, none done twice; guarantee: at most once.',
      ],
    );
  });

  it('name up to five rows that fared alike, and of more four and a number', () => {
    const told = (/** @type {string[]} */ transports) =>
      promiseSentences(transports.map((transport) => rowOf(transport, [counts('at least once', 0, 0)])))[0];
    const five = ['unix', 'tcp', 'nats', 'mqtt', 'fifo'];
    assert.match(told(five), /unix\/json, tcp\/json, nats\/json, mqtt\/json, fifo\/json: /);
    assert.match(told([...five, 'udp']), /unix\/json, tcp\/json, nats\/json, mqtt\/json and 2 more: /);
  });

  it('begin with a promise that was broken, in whichever launch', () => {
    const told = promiseSentences([
      rowOf('unix', [counts('at least once', 0, 0)]),
      rowOf('nats', [counts('at most once', 0, 0), counts('at most once', 4, 2)]),
      rowOf('rabbitmq', [counts('at least once', 1_234, 0)]),
    ]);
    assert.deepEqual(told.slice(0, 2), [
      'Jobs of killed workers, nats/json: 4 lost, 2 done twice; guarantee: at most once (violated).',
      'Jobs of killed workers, rabbitmq/json: 1,234 lost, none done twice; guarantee: at least once (violated).',
    ]);
    assert.doesNotMatch(told[2], /broken/);
  });
});
