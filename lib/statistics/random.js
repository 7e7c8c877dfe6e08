// Random numbers that repeat from a seed, for the order of launches, arrivals and payloads, never for secrets.

/**
 * Hashes its arguments to 32 bits, so that each use of the seed of a run gets a separate stream: FNV-1a, then the finaliser of
 * MurmurHash3, since FNV alone gives similar names similar seeds.
 * Source: Fowler, Noll, Vo, IETF draft-eastlake-fnv; A. Appleby, MurmurHash3 (fmix32).
 * @param {...(string | number)} parts
 * @returns {number} an integer in [0, 2^32)
 */
export function seedFrom(...parts) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(JSON.stringify(parts))) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * xoshiro128**. Source: D. Blackman, S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47 (2021).
 * @param {number} seed any number
 * @returns {() => number} uniform in [0, 1), in steps of 2^-32
 */
export function seededRandom(seed) {
  // Hashes the seed to four words, since a seed of 0 would give a state of all zeros, which the generator never leaves.
  let [s0, s1, s2, s3] = [0, 1, 2, 3].map((word) => seedFrom(seed, word));
  return () => {
    const product = Math.imul(s1, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = (s3 << 11) | (s3 >>> 21);
    return (result >>> 0) / 2 ** 32;
  };
}

/**
 * Fisher–Yates: every order equally likely. Source: R. Durstenfeld, CACM 7 (1964), algorithm 235.
 * @template T
 * @param {readonly T[]} list
 * @param {() => number} random uniform in [0, 1)
 * @returns {T[]} a new list
 */
export function shuffled(list, random) {
  const result = [...list];
  for (let last = result.length - 1; last > 0; last--) {
    const chosen = Math.floor(random() * (last + 1));
    [result[last], result[chosen]] = [result[chosen], result[last]];
  }
  return result;
}
