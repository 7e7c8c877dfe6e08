// What can be wrong with a number that was measured all the same. Each flag is a marker in the table, a code in the
// results and a footnote in the chart (U-14).

/**
 * Of one process, until V8 has compiled what a round trip runs. Measured here with its --trace-opt (Node 20, unix/json, 100
 * and 500 a second): it optimises the first functions of the path after 800 round trips, and nearly all after 3,200.
 */
export const WARM_ROUND_TRIPS = 3_000;

/** @type {Readonly<Record<string, { mark: string, summary: string, isNoise?: true }>>} */
export const FLAGS = Object.freeze({
  quick: {
    mark: 'q',
    summary: 'quick run: too few launches for a verdict; a ratio only where they agree within 10 %',
  },
  'not-steady': {
    mark: 's',
    summary: 'no steady state was reached before the window, or it was left within it',
  },
  cold: {
    mark: 'k',
    summary:
      'still warming up: a process had not worked enough when the window opened, or the windows got faster; not ranked',
  },
  'too-few-samples': {
    mark: 'n',
    summary: 'fewer than 1,000 round trips in a launch: use a longer --measure',
  },
  'little-law': {
    mark: 'l',
    summary: 'loops, throughput and mean latency do not agree within 2 % (Little’s law)',
  },
  oversubscribed: { mark: 'o', summary: 'more busy processes than usable CPUs: they wait for each other' },
  bottleneck: { mark: 'b', summary: 'one process is above 90 % of a core: the number measures that process' },
  free: { mark: 'f', summary: 'processes could not be pinned as asked: the scheduler placed them' },
  lost: {
    mark: 'd',
    summary: 'answers that did not come, or not in time: each cost its loop half a second or more',
  },
  strangers: { mark: 'x', summary: 'somebody else connected to the launch and was turned away' },
  'generator-limited': {
    mark: 'g',
    summary:
      'the plan was not kept: below 99 % of the rate, or 1 % of the sends later than a loop’s next turn; no response times',
  },
  'low-rate': {
    mark: 'r',
    summary: `fewer than ${WARM_ROUND_TRIPS.toLocaleString('en')} round trips of each worker: V8 still interprets much of the code, as in a service at such a rate that began not long ago`,
  },
  'harness-limited': {
    mark: 'm',
    summary:
      'without any transport the same loops are less than 10 times as fast: codec and harness are much of the number',
  },
  amplified: {
    mark: 'a',
    summary: 'the broker had to handle more messages per round trip than its pattern needs',
  },
  'wake-up': {
    mark: 'w',
    summary:
      'waking sleeping CPUs takes more than half of the median: it hides differences between transports',
  },
  crowded: {
    mark: 'c',
    isNoise: true,
    summary: 'other programs took more than 5 % of the CPUs that the launch ran on',
  },
  steal: {
    mark: 'v',
    isNoise: true,
    summary: 'other virtual machines took more than 5 % of the CPUs that the launch ran on',
  },
  throttled: { mark: 't', isNoise: true, summary: 'the control group had used up its share of CPU time' },
  frequency: {
    mark: 'h',
    isNoise: true,
    summary: 'the CPU was more than 5 % slower than usual in this run, by heat or by other load',
  },
  stalled: {
    mark: 'z',
    isNoise: true,
    summary: 'the master stood still for more than 5 % of the window',
  },
  interrupted: { mark: 'i', summary: 'fewer launches than planned: the run was interrupted' },
});
