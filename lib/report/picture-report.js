// A report of pictures, one file for each figure. Figures and renderers are loaded only when something is drawn.

/** @import { Report } from '../types/reports.js' */
/** @import { Picture } from './charts/chart-types.js' */

/**
 * @param {{ name: string, summary: string, comparisonSummary: string, rank: number, flag: string, mediaType: string }} facts
 * @param {() => Promise<(picture: Picture) => string | Uint8Array>} loadRenderer
 * @returns {Report}
 */
export function pictureReport({ name, summary, comparisonSummary, rank, flag, mediaType }, loadRenderer) {
  const ending = `.${flag}`;
  /** @param {Picture[]} pictures */
  const draw = async (pictures) => {
    const { pictureDocuments } = await import('./charts/pictures/pictures.js');
    return pictureDocuments(pictures, { ending, mediaType, draw: await loadRenderer() });
  };
  return {
    name,
    summary,
    option: { flag, rank, many: { ending, what: 'pictures' } },
    comparison: {
      summary: comparisonSummary,
      isMany: true,
      async render({ comparison }) {
        const { comparisonPictures } = await import('./compare/comparison-figures.js');
        return draw(comparisonPictures(comparison));
      },
    },
    async render(results, options) {
      const { makePictures } = await import('./charts/pictures/pictures.js');
      return draw(makePictures(results, options));
    },
  };
}
