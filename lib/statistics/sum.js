/** @param {Iterable<number>} numbers @returns {number} 0 of none */
export function sum(numbers) {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** @template T @param {Iterable<T>} some @param {(one: T) => number} numberOf */
export function sumBy(some, numberOf) {
  let total = 0;
  for (const one of some) total += numberOf(one);
  return total;
}
