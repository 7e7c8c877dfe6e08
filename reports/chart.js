// Figures as PNG files.

import { pictureReport } from '../lib/report/picture-report.js';

export default pictureReport(
  {
    name: 'chart',
    summary: 'PNG charts into a folder; each has a caption that serves as its alt text',
    comparisonSummary: 'PNG of the comparison: ratios around 1',
    rank: 6,
    flag: 'png',
    mediaType: 'image/png',
  },
  async () => (await import('../lib/report/charts/pictures/png.js')).drawPicture,
);
