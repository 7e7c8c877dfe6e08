// Launches that follow the measured ones: under strace, with the CPU profiler of V8, or with the instruments of --explain. All of these
// slow the processes down, so the rates of these launches do not count.

import { removeFolder } from '../../children/run-directory.js';
import { hasRate, missingRateFailure } from '../../results/failed-outcome.js';

/** @import { Cell, MeasuredLaunch } from '../../types/index.js' */
/** @import { LaunchSpec } from '../../launch/launch-spec.js' */
/** @import { CellRunner } from '../cell-runner.js' */
/** @import { Wrap } from '../launch.js' */
/**
 * What distinguishes an extra launch from the measured ones of its cell.
 * @typedef {object} Instruments
 * @property {(spec: LaunchSpec) => LaunchSpec} [adapt]
 * @property {Wrap} [wrap]   runs the master under another program
 */
/** @typedef {(folder: string) => Instruments} Instrument   `folder` is for records, and is removed when they are read */
/** @typedef {{ folder: string, launch: MeasuredLaunch, report: any }} RecordedLaunch   report: from the controller */

/** Why a cell has no result of an option that makes extra launches. */
export class NoResult extends Error {
  /** @param {{ code?: string, message: string }} why */
  constructor({ code = 'RUNTIME', message }) {
    super(message);
    this.code = code;
  }
}

export class ExtraLaunches {
  #order = 0;

  /** @param {CellRunner} runner */
  constructor(runner) {
    this.runner = runner;
  }

  /**
   * @template Read
   * @param {Cell} cell
   * @param {Instrument} instrument
   * @param {(recorded: RecordedLaunch) => Promise<Read>} read
   * @returns {Promise<Read>}
   * @throws {NoResult} if the launch fails or has no rate
   */
  async launch(cell, instrument, read) {
    const order = this.#order;
    this.#order += 1;
    const folder = await this.runner.context.scratch.folderFor(`x${order}`);
    /** @type {any} */
    let report;
    const onDone = (/** @type {any} */ fields) => {
      report = fields;
    };
    try {
      const launch = await this.runner.run(cell, 0, order, () => 0, { ...instrument(folder), onDone });
      if (!hasRate(launch)) throw new NoResult(missingRateFailure(launch));
      return await read({ folder, launch, report });
    } finally {
      await removeFolder(folder);
    }
  }
}
