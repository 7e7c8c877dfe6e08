// The normal distribution, for planning only: how many launches, how small an effect. Verdicts come from exact tests.

/**
 * Source: M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 26.2.23; the error is below 0.00045.
 * @param {number} tail above 0, at most 0.5
 * @returns {number} the z that a standard normal value exceeds with this probability
 */
export function normalQuantile(tail) {
  const t = Math.sqrt(-2 * Math.log(tail));
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328);
  const denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308));
  return t - numerator / denominator;
}
