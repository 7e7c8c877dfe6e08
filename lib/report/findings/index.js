// All findings of a run, the most important first. Reports phrase them, and the results document has them.

import { addedFindings } from './added-findings.js';
import { blockingFindings } from './blocking-findings.js';
import { makeFinding } from './finding.js';
import { gapFindings, unfinishedFindings } from './gap-findings.js';
import { growthFindings } from './growth-findings.js';
import { guaranteeFindings, lossFindings } from './guarantee-findings.js';
import { crowdFindings, limitFindings } from './limit-findings.js';
import { nextFindings } from './next-findings.js';
import { noRatioFindings } from './no-ratio-findings.js';
import { disturbedFindings, sharedFaultFindings } from './noise-findings.js';
import { openLoadFindings } from './open-load-findings.js';
import { acknowledgementFindings, propertyFindings } from './property-findings.js';
import { rankingFindings } from './ranking-findings.js';
import { readFacts } from './report-facts.js';
import { runtimeFindings } from './runtime-findings.js';
import { sleepFindings } from './sleep-findings.js';
import { breakEvenFindings } from './task-findings.js';

/** @import { Finding, Results } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

/** The most important subject first. @type {readonly ((facts: ReportFacts) => Finding[])[]} */
const SUBJECTS = [
  rankingFindings,
  sleepFindings,
  runtimeFindings,
  growthFindings,
  breakEvenFindings,
  blockingFindings,
  openLoadFindings,
  guaranteeFindings,
  addedFindings,
  ({ measured }) => (measured.length === 0 ? [makeFinding('nothing-measured', {})] : []),
  noRatioFindings,
  sharedFaultFindings,
  ({ measured }) => disturbedFindings(measured),
  ({ results }) => gapFindings(results),
  ({ results }) => unfinishedFindings(results),
  acknowledgementFindings,
  limitFindings,
  crowdFindings,
  propertyFindings,
  lossFindings,
];

/** @param {Results} results @returns {Finding[]} */
export function findingsIn(results) {
  const facts = readFacts(results);
  const found = SUBJECTS.flatMap((find) => find(facts));
  return [...found, ...nextFindings(facts, found)];
}

/** @param {Results} results @returns {Results} the results with their findings, which replace saved ones */
export function withFindings(results) {
  return { ...results, findings: findingsIn(results) };
}
