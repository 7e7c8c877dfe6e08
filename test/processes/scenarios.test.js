// Every scenario of the house keeps the contract of a scenario, and so does one of a third party.

import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { describeScenario } from '../conformance/scenario.js';

const ofStreams = builtinUrl('scenario', 'stream');
for (const name of builtinNames('scenario').filter((each) => !['stream', 'fan-out'].includes(each)))
  await describeScenario(builtinUrl('scenario', name));
await describeScenario(ofStreams, { way: 'sent' });
if (process.env.LONG_TESTS === '1') {
  await describeScenario(builtinUrl('scenario', 'relay'), { asking: { way: 'encoded' } });
  await describeScenario(builtinUrl('scenario', 'queue'), { way: 'sent' });
  await describeScenario(ofStreams, { asking: { direction: 'to-worker' } });
}
await describeScenario(builtinUrl('scenario', 'fan-out'));
if (process.env.LONG_TESTS === '1')
  await describeScenario(builtinUrl('scenario', 'records'), { asking: { way: 'untouched' } });
await describeScenario(new URL('../fixtures/extras/scenario.js', import.meta.url));
