// The launches of the floor, one of each in every block: right before the first cell of the block that is held against it, so
// that what disturbs one disturbs the other as well.

import { cellLabel } from '../../cell/labels.js';
import { BenchError } from '../../errors.js';
import { compileFloor, launchFloor } from './native-program.js';

/** @import { Cell, Floor, FloorRow } from '../../types/index.js' */

const FAILURES_UNTIL_GIVEN_UP = 2; // of one floor: each may cost a deadline

export class FloorLaunches {
  /**
   * @param {Floor} floor     gets its launches
   * @param {object} run
   * @param {string} run.program
   * @param {number[] | null} run.cpus
   * @param {AbortSignal} run.signal
   * @param {typeof launchFloor} [run.launch]
   */
  constructor(floor, { program, cpus, signal, launch = launchFloor }) {
    this.program = program;
    this.how = { cpus, signal };
    this.launch = launch;
    /** @type {Map<string, FloorRow>} by label of the cell */
    this.rowOf = new Map(floor.rows.flatMap((row) => row.cells.map((label) => [label, row])));
  }

  /** @param {Cell} cell   that is launched next @param {number} block */
  async before(cell, block) {
    const row = this.rowOf.get(cellLabel(cell));
    if (row === undefined || row.launches.some((launch) => launch.block === block)) return;
    if (row.launches.filter((launch) => 'code' in launch).length >= FAILURES_UNTIL_GIVEN_UP) return;
    try {
      row.launches.push({ block, ...(await this.launch(this.program, row, this.how)) });
    } catch (error) {
      if (this.how.signal.aborted || !(error instanceof BenchError)) throw error;
      row.launches.push({ block, code: error.code, message: error.message });
    }
  }
}

/**
 * @param {Floor | undefined} floor
 * @param {{ folder: string, cpus: number[] | null, signal: AbortSignal }} run
 * @returns {Promise<FloorLaunches | null>} null: no cell has one
 * @throws {BenchError} BAD_ARGUMENT: there is no compiler, or it failed
 */
export async function preparedFloor(floor, { folder, ...run }) {
  if (floor === undefined || floor.rows.length === 0) return null;
  return new FloorLaunches(floor, { program: await compileFloor(folder), ...run });
}
