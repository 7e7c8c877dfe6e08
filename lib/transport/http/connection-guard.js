// Who has not proved in time to belong to the launch is a stranger, and loses the connection.

/** @import { HostContext } from '../../types/index.js' */

const PROOF_DEADLINE_MS = 2_000; // as in greeting.js
const TICK_MS = 100;

/**
 * Connections that have not proved yet that they belong here. Their time is counted in ticks, not by the clock: a master
 * that is busy accepting a hundred of them has not given them a chance meanwhile.
 */
export class ConnectionGuard {
  /** @param {Pick<HostContext, 'onStranger'>} host */
  constructor(host) {
    this.host = host;
    /** @type {Map<{ destroy(): void }, NodeJS.Timeout>} */
    this.suspects = new Map();
  }

  /**
   * @param {{ destroy(): void, once(event: 'close', listener: (hadError?: boolean) => void): unknown }} connection
   * @param {() => boolean} [isProven]    looked at now and then, and at the end; without it only `trust` ends the watch
   */
  watch(connection, isProven = () => false) {
    let leftMs = PROOF_DEADLINE_MS;
    const timer = setInterval(() => {
      leftMs -= TICK_MS;
      if (isProven()) this.trust(connection);
      else if (leftMs <= 0) this.turnAway(connection, 'proved nothing in time');
    }, TICK_MS);
    this.suspects.set(connection, timer);
    connection.once('close', (hadError) => {
      if (!this.suspects.has(connection)) return;
      // A connection for a single question is over before anybody has looked.
      if (hadError !== true && isProven()) this.trust(connection);
      else this.turnAway(connection, 'left without a word');
    });
  }

  /** @param {{ destroy(): void }} connection */
  trust(connection) {
    clearInterval(this.suspects.get(connection));
    this.suspects.delete(connection);
  }

  /**
   * @param {{ destroy(): void }} connection
   * @param {string} why
   */
  turnAway(connection, why) {
    this.drop(connection);
    this.host.onStranger(why);
  }

  /** @param {{ destroy(): void }} connection    of a stranger who has been counted */
  drop(connection) {
    this.trust(connection);
    connection.destroy();
  }

  close() {
    for (const [connection] of this.suspects) this.drop(connection);
  }
}
