// Runs always.
// The built-in scenarios, and one of a third party, pass the conformance suite.

import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { IS_LONG, IS_WIDE } from '../conformance/long-form.js';
import { describeScenario } from '../conformance/scenario.js';

// These share counting and verification with round-trip or stream.
const KIN = IS_LONG ? [] : ['fan-out', 'first-answer', 'records', 'relay'];
const SENT = ['stream', 'task'];
// Left to the long form: their endpoints are tested by another scenario, and by unit tests.
const LIKE_OTHERS = ['fan-out', 'records', 'relay'];
// Left to CI: they count like the others, and take longer.
const SLOW = ['connect', 'first-answer'];

for (const name of builtinNames('scenario')) {
  if (!IS_LONG && LIKE_OTHERS.includes(name)) continue;
  if (!IS_WIDE && SLOW.includes(name)) continue;
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
