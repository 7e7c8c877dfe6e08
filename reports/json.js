// The results document itself, byte for byte as it is saved: what everything else is made of.

import { resultsText } from '../lib/results/write.js';

/** @type {import('../lib/types/scenarios.js').Report} */
export default {
  name: 'json',
  summary: 'every launch and all that is known of it, by the published schema',
  option: { flag: 'json', rank: 1 },
  comparison: {
    summary: 'the comparison with all its numbers',
    render: ({ comparison }) => `${JSON.stringify(comparison)}\n`,
  },
  render: (results) => [
    { name: 'results.json', mediaType: 'application/json', content: resultsText(results) },
  ],
};
