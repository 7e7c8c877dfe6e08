// The phrases of findings: one table, by kind and register. A phrase is a function of its finding alone. `full` is for all notes and for
// documents, `brief` for the first look at a terminal, `title` for pictures and their alternative texts.

import { alongSentences, alongTitle, winnersTitle } from './phrases/along-phrases.js';
import {
  comparedSentences,
  gateSentences,
  limitGateSentences,
  moreRowsSentences,
  notComparedSentences,
  responseLimitSentences,
  sideDiffersSentences,
  sideSameSentences,
  sideUndecidedSentences,
} from './phrases/comparison-phrases.js';
import {
  gainSentences,
  notRecordedSentences,
  recordedChannelSentences,
  replayedRowsSentences,
  replaySentences,
  replaySizesSentences,
} from './phrases/gain-phrases.js';
import { gapSentences } from './phrases/gap-phrases.js';
import { brokerMessageSentences, growthSentences, steepGrowthSentences } from './phrases/growth-phrases.js';
import { guaranteeSentences, lossSentences } from './phrases/guarantee-phrases.js';
import {
  acknowledgementSentences,
  blockedSentences,
  CLOSED_LOOP_SENTENCES,
  crowdSentences,
  harnessSentences,
  limitSentences,
  notPinnedSentences,
  unknownCostSentences,
  wakeUpSentences,
} from './phrases/limit-phrases.js';
import {
  baselineSentences,
  disturbedSentences,
  noRatioSentences,
  pausedMasterSentences,
  sharedFaultSentences,
  UNFINISHED,
} from './phrases/noise-phrases.js';
import {
  fewBeforeSentences,
  notSustainedSentences,
  openLoadSentences,
  responseTimeSentences,
  sendDelaySentences,
  sustainedRateSentences,
  waitingRequestSentences,
} from './phrases/open-load-phrases.js';
import {
  contrastSentences,
  fastestSentences,
  fastestTitle,
  otherKindSentences,
} from './phrases/ranking-phrases.js';
import {
  breaksLimitSentences,
  evidenceSentences,
  leftOutSentences,
  notExaminedSentences,
  notJudgedSentences,
  notMeasuredSentences,
  notRecommendedSentences,
  recommendedFromSentences,
  recommendedSentences,
  recommendedUpToSentences,
  remedySentences,
} from './phrases/recommendation-phrases.js';
import { runtimeSentences } from './phrases/runtime-phrases.js';
import { sleepSentences } from './phrases/sleep-phrases.js';
import { addedSentences, breakEvenSentences, payloadCostSentences } from './phrases/task-phrases.js';

/** @import { Finding } from '../../types/index.js' */
/** @typedef {'full' | 'brief' | 'title'} Register */
/**
 * @typedef {object} Phrases
 * @property {(finding: Finding, isBrief: boolean) => string[]} say   sentences
 * @property {false} [brief]   set if the register has no sentences
 * @property {(finding: Finding) => string} [title]   without a full stop; undefined if pictures do not say it
 */

/** @type {Readonly<Record<string, Phrases>>} */
export const PHRASES = Object.freeze({
  along: { say: alongSentences, title: alongTitle },
  winners: { say: (finding) => [`${winnersTitle(finding)}.`], title: winnersTitle },
  fastest: { say: fastestSentences, title: fastestTitle },
  contrast: { say: contrastSentences },
  'other-kind': { say: otherKindSentences },
  'unequal-sleeps': { say: sleepSentences },
  runtimes: { say: runtimeSentences },
  'broker-messages': { say: brokerMessageSentences },
  'steep-growth': { say: steepGrowthSentences },
  growth: { say: growthSentences },
  'break-even': { say: breakEvenSentences },
  'payload-cost': { say: payloadCostSentences },
  'sustained-rate': { say: sustainedRateSentences },
  'response-times': { say: responseTimeSentences },
  'not-sustained': { say: notSustainedSentences },
  'send-delay': { say: sendDelaySentences },
  'few-before': { say: fewBeforeSentences },
  'waiting-requests': { say: waitingRequestSentences },
  'open-load': { say: openLoadSentences },
  guarantee: { say: guaranteeSentences },
  added: { say: addedSentences },
  baseline: { say: baselineSentences },
  'nothing-measured': { say: () => ['Nothing was measured.'] },
  'no-ratios': { say: noRatioSentences },
  'shared-fault': { say: sharedFaultSentences },
  'paused-master': { say: pausedMasterSentences },
  disturbed: { say: disturbedSentences },
  'mostly-waiting': {
    say: () => [
      'A program that mostly waits sees the latencies of wake-ups, but they hide differences between transports. Use --placement same or --poll busy to compare transports without wake-ups.',
    ],
    brief: false,
  },
  'busy-waiting': {
    say: () => [
      'poll=busy: master and workers never sleep and use a core each. These rows show what a mechanism costs without wake-ups; a program that waits for events will not see these numbers.',
    ],
    brief: false, // the settings of the rows show it
  },
  failed: { say: gapSentences },
  skipped: { say: gapSentences },
  unfinished: { say: () => [UNFINISHED] },
  'delayed-acknowledgements': { say: acknowledgementSentences },
  limit: { say: limitSentences },
  oversubscribed: { say: crowdSentences },
  harness: { say: harnessSentences },
  blocked: { say: blockedSentences },
  'wake-ups': { say: wakeUpSentences },
  'not-pinned': { say: notPinnedSentences },
  'closed-loop': { say: (_finding, isBrief) => [CLOSED_LOOP_SENTENCES[isBrief ? 'brief' : 'full']] },
  losses: { say: lossSentences },
  'unknown-costs': { say: unknownCostSentences },
  compared: { say: comparedSentences },
  'side-differs': { say: sideDiffersSentences },
  'side-undecided': { say: sideUndecidedSentences },
  'more-rows': { say: moreRowsSentences },
  'side-same': { say: sideSameSentences },
  'not-compared': { say: notComparedSentences },
  gate: { say: gateSentences },
  'response-limit': { say: responseLimitSentences },
  'limit-gate': { say: limitGateSentences },
  'not-interleaved': {
    say: () => [
      'Not interleaved: a change on the machine between the two runs looks like a difference between them.',
    ],
  },
  recommended: { say: recommendedSentences },
  'not-recommended': { say: notRecommendedSentences },
  'recommended-from': { say: recommendedFromSentences },
  'recommended-up-to': { say: recommendedUpToSentences },
  'breaks-limit': { say: breaksLimitSentences },
  'not-judged': { say: notJudgedSentences },
  remedy: { say: remedySentences },
  'left-out': { say: leftOutSentences },
  'not-measured': { say: notMeasuredSentences },
  'not-examined': { say: notExaminedSentences },
  evidence: { say: evidenceSentences },
  gain: { say: gainSentences },
  'not-recorded': { say: notRecordedSentences },
  'recorded-channel': { say: recordedChannelSentences },
  'replay-sizes': { say: replaySizesSentences },
  replay: { say: replaySentences },
  'replayed-rows': { say: replayedRowsSentences },
});

/** @param {Finding} finding @param {boolean} isBrief @returns {string[]} sentences; empty for a kind that a later version may have */
export function phrase(finding, isBrief) {
  const { say, brief } = Object.hasOwn(PHRASES, finding.kind) ? PHRASES[finding.kind] : { say: () => [] };
  return isBrief && brief === false ? [] : say(finding, isBrief);
}
