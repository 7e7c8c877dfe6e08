// Feeds one decoder for some time. What breaks a promise is kept in test/fuzz/corpus, where it is tried first from then on.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../lib/statistics/random.js';
import { DECODERS } from './decoders.js';
import { mutated } from './mutate.js';

const CORPUS = join(import.meta.dirname, 'corpus');
const SLOWEST_MS = 1_000; // of CPU time, since others may have the CPUs: this is a hang
const MIN_MUTATED = 20;
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
  let mutations = 0;
  for (
    ;
    executions < corpus.length || mutations < MIN_MUTATED || performance.now() < endMs;
    executions += 1
  ) {
    const isMutated = executions >= corpus.length;
    const input = isMutated ? mutated(corpus, random) : corpus[executions];
    mutations += Number(isMutated);
    const began = process.cpuUsage();
    try {
      const outcome = await check(input, random);
      const { user, system } = process.cpuUsage(began);
      const tookMs = (user + system) / 1_000;
      if (tookMs > SLOWEST_MS) throw new Error(`took ${tookMs} ms of CPU time`);
      if (!seen.has(outcome) && isMutated && corpus.length < CORPUS_MAX_INPUTS) corpus.push(input);
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
