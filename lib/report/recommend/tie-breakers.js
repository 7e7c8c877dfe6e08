// Of those that are as good as each other the simplest is taken: what needs no server, nothing to install, no setting.

/** @import { Candidate } from '../../types/index.js' */

// In which messages are written without anything of one's own: others are hand-made, or a package.
const USUAL_CODEC = 'json';
/** @type {readonly ((candidate: Candidate) => number)[]} what counts most first */
const BURDENS = [
  ({ traits }) => Number((traits.broker ?? null) !== null),
  ({ traits }) => traits.packages?.length ?? 0,
  ({ cell }) => Object.keys(cell.settings).length,
  ({ cell }) => Number(cell.codec !== USUAL_CODEC),
  ({ traits }) => Number(traits.ridesOnStart !== true),
];

/** @param {readonly Candidate[]} candidates @returns {Candidate[]} the simplest first; in the order given where they are as simple */
export function compareByTieBreakers(candidates) {
  return candidates.toSorted((one, other) => {
    const burden = BURDENS.find((of) => of(one) !== of(other));
    return burden === undefined ? 0 : burden(one) - burden(other);
  });
}

/** @param {Candidate} candidate @returns {boolean} it comes with Node */
export function isBuiltIn({ traits, cell }) {
  // Of a transport of somebody else it is not known what it imports.
  const isKnown = traits.platforms !== undefined;
  return isKnown && traits.broker === null && traits.packages === undefined && cell.codec === USUAL_CODEC;
}
