// The worker processes of a host. Where workers may connect again, each holds an end of every launch: a process takes far
// longer to start than a connection. Elsewhere each launch has a group of its own.

/** @import { Remote } from './remote.js' */

export class Group {
  constructor() {
    /** @type {Map<string, Remote>} */
    this.remotes = new Map();
  }

  /**
   * @param {string} workerId
   * @param {() => Remote} fork
   * @returns {Remote} the one of this name
   */
  member(workerId, fork) {
    const remote = this.remotes.get(workerId) ?? fork();
    this.remotes.set(workerId, remote);
    return remote;
  }

  /** Waits until all have ended by themselves; who is needed later is forked anew. */
  async leave() {
    const all = [...this.remotes.values()];
    this.remotes.clear();
    await Promise.all(all.map((remote) => remote.leave()));
  }
}
