// A share of trials with its interval.

/**
 * The score interval at 95 %. Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
 * Journal of the American Statistical Association 22 (1927).
 * @param {number} share from 0 to 1
 * @param {number} trials above 0
 */
export function shareInterval(share, trials) {
  const z = 1.96;
  const centre = share + z ** 2 / (2 * trials);
  const halfWidth = z * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  const scale = 1 + z ** 2 / trials;
  return {
    share,
    low: Math.max(0, (centre - halfWidth) / scale),
    high: Math.min(1, (centre + halfWidth) / scale),
    level: 0.95,
  };
}
