// The normal distribution, to estimate how many launches are needed and which effects are detectable.

/** Statistical power for which runs are planned: the probability of detecting a difference, or of the verdict 'same' if there is none. */
export const POWER = 0.8;

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

/**
 * Source: M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 26.2.17; the error is below 0.0000001.
 * @param {number} z
 * @returns {number} the probability that a standard normal value exceeds it
 */
export function normalTail(z) {
  if (z < 0) return 1 - normalTail(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}

/** The standard normal quantile of POWER. */
export const POWER_QUANTILE = normalQuantile(1 - POWER);
