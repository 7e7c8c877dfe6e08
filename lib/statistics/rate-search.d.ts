export type Trial = {
  ratePerSecond: number;
  /**
   * the limit
   */
  keeps: boolean;
  /**
   * by something else on the machine
   */
  isDisturbed?: boolean;
};
export type SustainedRate = {
  /**
   * the median of the posterior
   */
  estimate: number;
  /**
   * its 2.5 % and 97.5 % quantiles
   */
  low: number;
  high: number;
  /**
   * false: the upper end lies beyond all that was tried, so that only the lower one is known
   */
  isBounded: boolean;
};
export type SearchStep =
  | {
      ratePerSecond: number;
    }
  | {
      endedBy: 'found' | 'none' | 'launches';
    };
/**
 * @typedef {object} Trial
 * @property {number} ratePerSecond
 * @property {boolean} keeps            the limit
 * @property {boolean} [isDisturbed]    by something else on the machine
 */
/**
 * @typedef {object} SustainedRate   of the rate that SUSTAINED_SHARE of all undisturbed launches sustain
 * @property {number} estimate          the median of the posterior
 * @property {number} low               its 2.5 % and 97.5 % quantiles
 * @property {number} high
 * @property {boolean} isBounded        false: the upper end lies beyond all that was tried, so that only the lower one is known
 */
/** @typedef {{ ratePerSecond: number } | { endedBy: 'found' | 'none' | 'launches' }} SearchStep */
/** Of launches that nothing disturbs: so many keep the limit at the rate that is the answer. */
export declare const SUSTAINED_SHARE = 0.9;
/** Of a search: more are worth less than those of the curve around what it found. */
export declare const MOST_LAUNCHES_OF_A_SEARCH = 24;
/** P(a launch keeps the limit at r) = 1 / (1 + exp((ln r - ln c) / s)), over a grid of c and s. */
declare class Posterior {
  logWeights: Float64Array<ArrayBuffer>;
  /** @param {{ guessPerSecond: number | null }} start   null: nothing is known of it */
  constructor({
    guessPerSecond,
  }: {
    guessPerSecond: number | null;
  });
  /** @param {Trial} trial */
  add({ ratePerSecond, keeps, isDisturbed }: Trial): void;
  /** @returns {{ lnCapacity: number, scale: number, lnSustained: number, weight: number }[]} that matter; their weights make 1 */
  cells(): {
    lnCapacity: number;
    scale: number;
    lnSustained: number;
    weight: number;
  }[];
}
export type PosteriorCells = ReturnType<Posterior['cells']>;
/**
 * @param {readonly Trial[]} trials
 * @param {number | null} guessPerSecond   the rate of closed loops; null: they gave none
 * @returns {SustainedRate | null} null: no launch kept the limit
 */
export declare function estimateSustainedRate(
  trials: readonly Trial[],
  guessPerSecond: number | null,
): SustainedRate | null;
export declare class RateSearch {
  posterior: Posterior;
  /** @type {Trial[]} */
  trials: Trial[];
  /** @type {PosteriorCells | undefined} of these trials */
  known: PosteriorCells | undefined;
  /** @param {{ guessPerSecond: number | null }} start   the rate of closed loops; null: they gave none */
  constructor(start: {
    guessPerSecond: number | null;
  });
  /** @param {Trial} trial */
  add(trial: Trial): void;
  cells(): {
    lnCapacity: number;
    scale: number;
    lnSustained: number;
    weight: number;
  }[];
  /** @returns {SustainedRate | null} of the trials so far; null: none kept the limit */
  answer(): SustainedRate | null;
  /** @returns {SearchStep} */
  next(): SearchStep;
}
