// From where on something is said of a number. Each is here once, for measuring, summarising and reporting; those of the
// statistics (launches of an interval, p) are in lib/statistics, those of noise in lib/machine.

/**
 * Of the planned sends: below, the backlog grew, and a plan or a limit was not kept (M-13). What is missing above it is in
 * the percentiles, as what takes at least so long: 1 % of all is just what a p99 is about.
 */
export const LEAST_ACHIEVED = 0.99;

/** Of a core: from here on a process limits its row. */
export const BOTTLENECK_SHARE = 0.9;

/** Of all launches: so many may be disturbed, unsteady or cold before it is said of the whole (M-31). */
export const TOLERATED_LAUNCHES = 0.2;

/** How many times as fast the same loops must be without a transport (M-44). */
export const LEAST_LEAD_OF_NULL = 10;

/** Of the median: more than this, and waking CPUs is most of what a latency shows. */
export const DOMINATING_WAKE_UPS = 0.5;

/**
 * From half to half of a window: its rate is then 5 % below that of its second half. More than this is cold where it is
 * real, and no steady state where it cannot be excluded.
 */
export const TOLERATED_CLIMB = 1.1;

/** Round trips of a launch: below, ten samples lie beyond p99 no more (M-18). */
export const FEWEST_SAMPLES = 1_000;

/** By which loops, throughput and mean latency may disagree (M-17). */
export const LARGEST_RESIDUAL = 0.02;

/** Of the median response time: beyond, pacing is a good part of the number. */
export const GREATEST_LAG_SHARE = 0.2;

/** Times the cost of the first: what stays below, with its interval, is called the same along an axis. */
export const TOLERATED_GROWTH = 1.25;

/** Times the cost of the first, where it should not grow at all: more than fuller caches and more switches take. */
export const STEEP_RATIO = 2;

/** Of the last step, on logarithms: 1 is in proportion. */
export const STEEP_EXPONENT = 1.15;

/** Of the round-trip time of an emulated network: later packets are a good part of the number. */
export const TOLERATED_LATENESS = 0.1;

/** Of a core that its delay line takes: beyond, packets wait for it. */
export const GREATEST_LINE_SHARE = 0.5;

/** Of a median round trip: parts that miss it by more do not add up. */
export const EXPLAINED_WITHIN = 0.1;
