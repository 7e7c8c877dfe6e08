// Every scenario of the house keeps the contract of a scenario, and so does one of a third party.

import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { describeScenario } from '../conformance/scenario.js';

for (const name of builtinNames('scenario')) await describeScenario(builtinUrl('scenario', name));
await describeScenario(new URL('../fixtures/extras/scenario.js', import.meta.url));
