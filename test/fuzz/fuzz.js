// `npm run fuzz -- [decoder,...|all] [minutes each] [seed]`

import { DECODERS } from './decoders.js';
import { fuzzDecoder } from './fuzz-decoder.js';

const [wanted = 'all', minutes = '10', chosenSeed] = process.argv.slice(2);
const names = wanted === 'all' ? Object.keys(DECODERS) : wanted.split(',');
const seed = Number(chosenSeed ?? Math.floor(Math.random() * 2 ** 32));
const unknown = names.find((name) => !Object.hasOwn(DECODERS, name));
if (unknown !== undefined)
  throw new Error(`no decoder ${unknown}; there are ${Object.keys(DECODERS).join(', ')}`);

console.log(`${names.length} decoders, ${minutes} min each, seed ${seed}`);
for (const name of names) {
  try {
    const { executions, outcomes } = await fuzzDecoder(name, { forMs: Number(minutes) * 60_000, seed });
    console.log(`ok ${name}: ${executions} inputs, ${outcomes} kinds of outcome`);
  } catch (error) {
    process.exitCode = 1;
    console.log('not ok', error);
  }
}
