/** @param {Iterable<number>} numbers */
export function sum(numbers) {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** @template T @param {Iterable<T>} items @param {(item: T) => number} numberOf */
export function sumBy(items, numberOf) {
  let total = 0;
  for (const item of items) total += numberOf(item);
  return total;
}
