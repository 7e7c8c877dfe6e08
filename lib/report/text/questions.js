// Scenarios that differ in how many pieces a payload has, as in records=10 and records=30, are one question at several
// payloads: so charts draw them, and so their growth is told.

/** @import { Outcome, PiecesFacts, ScenarioFacts } from '../../types/index.js' */

/** @param {Record<string, ScenarioFacts>} scenarios @param {string} scenario @returns {string} without how many pieces there are */
export function formatQuestion(scenarios, scenario) {
  return scenarios[scenario]?.pieces?.question ?? scenario;
}

/**
 * @template {Outcome} T
 * @param {Record<string, ScenarioFacts>} scenarios
 * @param {T} outcome
 * @returns {T} as of the question
 */
export function asOneQuestion(scenarios, outcome) {
  const { cell } = outcome;
  const scenario = formatQuestion(scenarios, cell.scenario);
  return scenario === cell.scenario ? outcome : { ...outcome, cell: { ...cell, scenario } };
}

/** @param {Record<string, ScenarioFacts>} scenarios @param {string} question @returns {PiecesFacts | undefined} what its payloads are counted in */
export function findPieces(scenarios, question) {
  return Object.values(scenarios).find(({ pieces }) => pieces?.question === question)?.pieces;
}
