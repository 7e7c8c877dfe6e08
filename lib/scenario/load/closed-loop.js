// What a loop of a scenario is given: to ask, and whether to go on.

/** @import { Requester } from '../endpoints/requester.js' */

export class ClosedLoop {
  /** @param {Requester} requester @param {number} loop */
  constructor(requester, loop) {
    this.asker = requester;
    this.loop = loop;
  }

  shouldContinue() {
    return this.asker.shouldContinue(this.loop);
  }

  /** @returns {Promise<any>} */
  request() {
    return this.asker.request(this.loop);
  }
}
