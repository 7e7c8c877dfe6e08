// Student's t distribution for any degrees of freedom, which are not whole for variances that are estimated from several sources. Also has
// the logarithm of the gamma function.

const MIN_ARGUMENT = 8; // from here on five terms of Stirling's series are exact to twelve digits
const FRACTIONS = 300;
const TINY = 1e-300;
const PRECISION = 1e-13;

/**
 * Source: M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 6.1.15 and 6.1.41.
 * @param {number} x above 0
 * @returns {number} the logarithm of the gamma function
 */
export function logGamma(x) {
  let product = 1;
  let at = x;
  for (; at < MIN_ARGUMENT; at += 1) product *= at;
  const square = 1 / at ** 2;
  const series =
    (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / at;
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}

/**
 * Source: as above, 26.5.8, evaluated by the method of W. J. Lentz, Applied Optics 15 (1976).
 * @param {number} x @param {number} a @param {number} b
 * @returns {number} the continued fraction of the incomplete beta function
 */
function betaFraction(x, a, b) {
  /** @param {number} value */
  const guarded = (value) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / guarded(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= FRACTIONS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) break;
  }
  return result;
}

/** @param {number} x from 0 to 1 @param {number} a @param {number} b @returns {number} the incomplete beta function, regularised */
function incompleteBeta(x, a, b) {
  const factor = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x),
  );
  // The fraction converges fast only for an argument below this limit.
  return x < (a + 1) / (a + b + 2)
    ? (factor * betaFraction(x, a, b)) / a
    : 1 - (factor * betaFraction(1 - x, b, a)) / b;
}

/** @param {number} t @param {number} degrees of freedom, above 0 @returns {number} the probability that t is exceeded */
export function studentTail(t, degrees) {
  if (t < 0) return 1 - studentTail(-t, degrees);
  return incompleteBeta(degrees / (degrees + t ** 2), degrees / 2, 0.5) / 2;
}

/**
 * @param {number} tail above 0, at most 0.5
 * @param {number} degrees of freedom, above 0
 * @returns {number} the t that is exceeded with this probability
 */
export function studentQuantile(tail, degrees) {
  let [low, high] = [0, 1];
  while (studentTail(high, degrees) > tail) [low, high] = [high, 2 * high];
  while (high - low > PRECISION * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (studentTail(middle, degrees) > tail) low = middle;
    else high = middle;
  }
  return high;
}
