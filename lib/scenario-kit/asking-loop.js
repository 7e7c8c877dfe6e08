// What a loop of a scenario is given: to ask, and whether to go on.

/** @import { Asker } from './asker.js' */

export class AskingLoop {
  /** @param {Asker} asker @param {number} loop */
  constructor(asker, loop) {
    this.asker = asker;
    this.loop = loop;
  }

  goesOn() {
    return this.asker.goesOn(this.loop);
  }

  /** @returns {Promise<any>} */
  ask() {
    return this.asker.ask(this.loop);
  }
}
