// What a loop of a scenario is given: to ask, and whether to go on.

/** @import { Requester } from '../endpoints/requester.js' */

export class ClosedLoop {
  /** @param {Requester} requester @param {number} loop */
  constructor(requester, loop) {
    this.requester = requester;
    this.loop = loop;
  }

  shouldContinue() {
    return this.requester.shouldContinue(this.loop);
  }

  /** @returns {Promise<any>} */
  request() {
    return this.requester.request(this.loop);
  }
}
