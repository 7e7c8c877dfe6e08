// Figures as SVG files, for pages, slides and print at any size.

import { pictureReport } from '../lib/report/picture-report.js';

export default pictureReport(
  {
    name: 'svg',
    summary: 'SVG charts with selectable text',
    comparisonSummary: 'SVG of the comparison: ratios around 1',
    rank: 7,
    flag: 'svg',
    mediaType: 'image/svg+xml',
  },
  async () => (await import('../lib/report/charts/pictures/svg.js')).renderSvg,
);
