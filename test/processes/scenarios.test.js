// Every scenario of the house keeps the contract of a scenario, and so does one of a third party.

import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { IS_LONG } from '../conformance/long-form.js';
import { describeScenario } from '../conformance/scenario.js';

// What counts and verifies is the asker's in these as in round-trip, and the taker's as in stream.
const KIN = IS_LONG ? [] : ['fan-out', 'first-answer', 'records', 'relay'];
const SENT = ['stream', 'task'];

for (const name of builtinNames('scenario')) {
  const way = SENT.includes(name) ? 'sent' : 'received';
  await describeScenario(builtinUrl('scenario', name), { way, isKin: KIN.includes(name) });
}
if (IS_LONG) {
  await describeScenario(builtinUrl('scenario', 'relay'), { asking: { way: 'encoded' } });
  await describeScenario(builtinUrl('scenario', 'records'), { asking: { way: 'untouched' } });
  await describeScenario(builtinUrl('scenario', 'queue'), { way: 'sent' });
  await describeScenario(builtinUrl('scenario', 'stream'), { asking: { direction: 'to-worker' } });
}
await describeScenario(new URL('../fixtures/extras/scenario.js', import.meta.url), { isKin: !IS_LONG });
