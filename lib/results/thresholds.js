// Thresholds for flags and remarks, shared by measuring, summarising and reporting. lib/statistics and lib/machine have their own for
// statistics and noise.

/**
 * Share of the planned sends below which the backlog grew, so the offered rate or an SLO was not kept. Above it, percentiles
 * count the missing sends as lower bounds; p99 describes 1 % of all samples.
 */
export const MIN_ACHIEVED = 0.99;

/** Share of a core from which a process counts as the bottleneck of its row. */
export const BOTTLENECK_SHARE = 0.9;

/** Share of launches that may be disturbed, unsteady or cold without a flag for the cell. */
export const TOLERATED_LAUNCHES = 0.2;

/** A row is flagged if its rate times this factor exceeds the rate of the loop without a transport. */
export const MIN_LEAD_OF_NULL = 10;

/** Spread of the samples of a loop without a transport above which its CPU time is too uncertain to be compared with that of a row. */
export const TOLERATED_SPREAD = 0.2;

/** Share of the median latency above which waking CPUs dominates. */
export const DOMINATING_WAKE_UPS = 0.5;

/**
 * Ratio of the rates of the two halves of a window; at this ratio, the rate of the window is 5 % below the rate of its second half. A cell
 * is cold if its estimated ratio is above this one and a climb is proven.
 */
export const TOLERATED_CLIMB = 1.1;

/** Round trips in a launch below which p99 has fewer than ten samples beyond it. */
export const MIN_SAMPLES = 1_000;

/** Largest relative difference between the number of loops and throughput times mean latency. */
export const MAX_RESIDUAL = 0.02;

/** Share of the schedule delay in the median response time above which pacing explains much of the response time. */
export const MAX_LAG_SHARE = 0.2;

/** A cost counts as constant along an axis if the interval of its ratio to the cost of the first row lies within this factor of 1. */
export const TOLERATED_GROWTH = 1.25;

/**
 * Ratio to the cost of the first row above which a cost that should be constant counts as growing too much. Fuller caches and context
 * switches add less.
 */
export const STEEP_RATIO = 2;

/** Slope of a cost over the last step of an axis, on logarithmic scales, above which it grows overproportionally; 1 is proportional. */
export const STEEP_EXPONENT = 1.15;

/** Share of the emulated round-trip time by which packets may be late. */
export const TOLERATED_LATENESS = 0.1;

/** Share of a core that the delay line may use; above it, packets wait for it. */
export const MAX_LINE_SHARE = 0.5;

/** Share of a median round trip by which the sum of its parts may deviate. */
export const EXPLAINED_WITHIN = 0.1;
