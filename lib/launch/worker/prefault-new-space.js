// Memory that garbage takes. V8 fills its young generation before it looks for garbage, and each page of it costs the system most of
// a microsecond when it is first written to.

const ARRAY_LENGTH = 8_000; // 64 kB: from 128 kB on an array is no business of the young generation
const BYTES_PER_ITEM = 8;
const MOST_BYTES = 64 * 1_048_576; // both halves of the greatest one that Node 20 and 22 have, twice over

let isFilled = false; // once in each process and thread

/**
 * Fills the young generation, so that the memory that it may take is taken: what connecting leaves behind there would look like
 * memory of connections. It takes some 30 ms.
 */
export function fillYoungGeneration() {
  if (isFilled) return null;
  isFilled = true;
  /** @type {unknown} */
  let kept;
  for (let bytes = 0; bytes < MOST_BYTES; bytes += ARRAY_LENGTH * BYTES_PER_ITEM) {
    kept = new Array(ARRAY_LENGTH).fill(bytes);
  }
  return kept;
}
