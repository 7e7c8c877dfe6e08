// Thresholds from which a number gets a flag or a remark, for measuring, summarising and reporting. Those of statistics are in
// lib/statistics, those of noise in lib/machine.

/**
 * Share of the planned sends below which the backlog grew, so that a plan or a limit was not kept (M-13). The sends that are missing
 * above it are in the percentiles as lower bounds: 1 % of all is what a p99 describes.
 */
export const LEAST_ACHIEVED = 0.99;

/** Share of a core at which a process limits its row. */
export const BOTTLENECK_SHARE = 0.9;

/** Share of launches that may be disturbed, unsteady or cold without a flag of the cell (M-31). */
export const TOLERATED_LAUNCHES = 0.2;

/** Factor by which the same loops must be faster without a transport (M-44). */
export const LEAST_LEAD_OF_NULL = 10;

/** Share of the median latency above which waking CPUs dominates it. */
export const DOMINATING_WAKE_UPS = 0.5;

/**
 * Ratio of the rates of the halves of a window; at it, the rate of the window is 5 % below that of its second half. A launch above it
 * is cold, or not steady if the climb cannot be excluded.
 */
export const TOLERATED_CLIMB = 1.1;

/** Round trips of a launch below which fewer than ten samples lie beyond p99 (M-18). */
export const FEWEST_SAMPLES = 1_000;

/** Relative difference between loops and throughput times mean latency (M-17). */
export const LARGEST_RESIDUAL = 0.02;

/** Share of the median response time above which pacing is a good part of it. */
export const GREATEST_LAG_SHARE = 0.2;

/** Ratio to the cost of the first row below which, with its interval, a cost is called the same along an axis. */
export const TOLERATED_GROWTH = 1.25;

/** Ratio to the cost of the first row, if it should not grow at all: more than fuller caches and more switches take. */
export const STEEP_RATIO = 2;

/** Slope of the last step on logarithms; 1 is in proportion. */
export const STEEP_EXPONENT = 1.15;

/** Share of the round-trip time of an emulated network by which packets may be late. */
export const TOLERATED_LATENESS = 0.1;

/** Share of a core of its delay line above which packets wait for it. */
export const GREATEST_LINE_SHARE = 0.5;

/** Share of a median round trip by which the sum of its parts may miss it. */
export const EXPLAINED_WITHIN = 0.1;
