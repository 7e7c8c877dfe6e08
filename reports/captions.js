// What goes with each picture where it is shown: a line of Markdown with its alt text, and a caption. Composes only.

import { join } from 'node:path/posix';

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'captions',
  summary: 'Markdown to paste: each picture with its alt text and a caption',
  option: { flag: 'captions', rank: 8 },
  async render(results, { picturePlace = { folder: '', ending: '.png' }, ...options }) {
    const { formatCaption } = await import('../lib/report/charts/text/caption.js');
    const { makeFigures } = await import('../lib/report/charts/figures/figures.js');
    const { folder, ending } = picturePlace;
    const captions = makeFigures(results, options).map((figure) =>
      formatCaption(figure, results, join(folder, `${figure.name}${ending}`)),
    );
    return [{ name: 'captions.md', mediaType: 'text/markdown', content: captions.join('\n') }];
  },
};
