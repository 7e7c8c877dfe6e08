// What can be wrong with a number that was measured all the same. Each flag is a marker in the table, a code in the
// results and a footnote in the chart (U-14).

/** @type {Readonly<Record<string, { mark: string, summary: string }>>} */
export const FLAGS = Object.freeze({
  quick: { mark: 'q', summary: 'quick run: short windows and too few launches for a verdict' },
  'not-steady': {
    mark: 's',
    summary: 'no steady state was reached before the window, or it was left within it',
  },
  'too-few-samples': { mark: 'n', summary: 'fewer than 1,000 round trips in a launch: measure longer' },
  'little-law': {
    mark: 'l',
    summary: 'loops, throughput and mean latency do not agree within 2 % (Little’s law)',
  },
  oversubscribed: { mark: 'o', summary: 'more busy processes than usable CPUs: they wait for each other' },
  bottleneck: { mark: 'b', summary: 'one process is above 90 % of a core: the number measures that process' },
  free: { mark: 'f', summary: 'processes could not be pinned as asked: the scheduler placed them' },
  strangers: { mark: 'x', summary: 'somebody else connected to the launch and was turned away' },
  interrupted: { mark: 'i', summary: 'fewer launches than planned: the run was interrupted' },
});
