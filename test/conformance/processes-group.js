// The worker processes of a host. If workers may reconnect, each has an end of every launch, because a process takes
// far longer to start than a connection. Otherwise each launch has its own group.

/** @import { Remote } from './remote.js' */

export class Group {
  constructor() {
    /** @type {Map<string, Remote>} */
    this.remotes = new Map();
  }

  /**
   * @param {string} workerId
   * @param {() => Remote} fork
   * @returns {Remote} the process of this name
   */
  member(workerId, fork) {
    const remote = this.remotes.get(workerId) ?? fork();
    this.remotes.set(workerId, remote);
    return remote;
  }

  /** Waits until all have ended by themselves; later tests start new ones. */
  async leave() {
    const all = [...this.remotes.values()];
    this.remotes.clear();
    await Promise.all(all.map((remote) => remote.leave()));
  }
}
