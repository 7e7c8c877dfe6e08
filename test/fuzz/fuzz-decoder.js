// Feeds one decoder for some time. What breaks a promise is kept in test/fuzz/corpus, where it is tried first from then on.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../lib/statistics/random.js';
import { DECODERS } from './decoders.js';
import { mutated } from './mutate.js';

const CORPUS = join(import.meta.dirname, 'corpus');
const SLOWEST_MS = 1_000; // 50 ms are the goal on a quiet machine: this is a hang
const CORPUS_MAX_INPUTS = 2_000;

/**
 * @param {string} name
 * @param {{ forMs: number, seed: number }} how
 * @returns {Promise<{ executions: number, outcomes: number }>}
 * @throws an error that names the file of the input
 */
export async function fuzzDecoder(name, { forMs, seed }) {
  const { seeds, check } = DECODERS[name];
  const random = seededRandom(seed);
  const folder = join(CORPUS, name);
  const known = existsSync(folder) ? readdirSync(folder).map((file) => readFileSync(join(folder, file))) : [];
  const corpus = [...seeds, ...known];
  const seen = new Set();
  const endMs = performance.now() + forMs;
  let executions = 0;
  for (; executions < corpus.length || performance.now() < endMs; executions += 1) {
    const input = corpus[executions] ?? mutated(corpus, random);
    const beganMs = performance.now();
    try {
      const outcome = await check(input, random);
      const tookMs = performance.now() - beganMs;
      if (tookMs > SLOWEST_MS) throw new Error(`took ${tookMs} ms`);
      if (!seen.has(outcome) && executions >= corpus.length && corpus.length < CORPUS_MAX_INPUTS)
        corpus.push(input);
      seen.add(outcome);
    } catch (cause) {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, createHash('sha256').update(input).digest('hex').slice(0, 16));
      writeFileSync(path, input);
      throw new Error(`${name}: an input breaks it, seed ${seed}, execution ${executions}, kept as ${path}`, {
        cause,
      });
    }
  }
  return { executions, outcomes: seen.size };
}
