// Control messages between the controller of a launch and its workers on other hosts: each agent has a stream in the Redis that carries
// commands, in which the others write. Entries are sealed with the secret of the run, for one line, two agents and one place in their
// order, so that an entry that was changed, left out, repeated or recorded earlier is not the next one, and ends the line.

import { setTimeout as sleep } from 'node:timers/promises';
import { inboxKeyOf } from './control-redis.js';

/** @import { Redis } from 'ioredis' */
/** @import { Seal } from './control-redis.js' */
/** @import { LineEnd, OpenLine } from '../types/index.js' */
/** @typedef {LineEnd & { received: Map<string, number> }} Receiver   received: the number of entries, by agent */

const MOST_AT_ONCE = 256;
const UNREAD_MS = 60_000; // an inbox that nobody reads for so long is deleted by the server
const RETRY_MS = 500;
const NOT_THE_NEXT = 'a control message was changed, left out or repeated on its way';

/** @param {string} line @param {string} from @param {string} to @param {number} place   from 0 @returns {string} for which an entry is sealed */
const purposeOf = (line, from, to, place) => `message ${place} of line ${line} from ${from} to ${to}`;

export class ControlInbox {
  /** @param {Redis} client @param {Seal} seal @param {string} name   of this agent */
  constructor(client, seal, name) {
    this.client = client;
    this.seal = seal;
    this.name = name;
    this.isClosed = false;
    /** @type {Map<string, Receiver>} by the name of the line */
    this.lines = new Map();
  }

  /** @type {OpenLine} */
  open(line, end) {
    /** @type {Map<string, number>} */
    const sent = new Map();
    this.lines.set(line, { ...end, received: new Map() });
    return {
      send: (to, value) => {
        const place = sent.get(to) ?? 0;
        sent.set(to, place + 1);
        const sealed = this.seal.close(value, purposeOf(line, this.name, to, place));
        this.write(inboxKeyOf(to), ['line', line, 'from', this.name, 'sealed', sealed]).catch(({ message }) =>
          this.breakOff(line, to, `a control message could not be sent: ${message}`),
        );
      },
      close: () => void this.lines.delete(line),
    };
  }

  /** @param {string} key @param {string[]} fields */
  async write(key, fields) {
    const results = await this.client
      .pipeline()
      .xadd(key, '*', ...fields)
      .pexpire(key, UNREAD_MS)
      .exec();
    for (const [error] of results ?? []) if (error !== null) throw error;
  }

  /** @param {Redis} reader   a connection of its own, since it waits for entries. The caller disconnects it after `close` */
  async read(reader) {
    reader.on('error', () => {}); // a lost connection ends the launch in other ways
    const key = inboxKeyOf(this.name);
    let last = '0-0';
    while (!this.isClosed) {
      const found = await reader
        .xread('COUNT', MOST_AT_ONCE, 'BLOCK', 0, 'STREAMS', key, last)
        .catch(() => null);
      if (this.isClosed) return;
      if (found === null) {
        await sleep(RETRY_MS); // the connection comes back by itself when the server does
        continue;
      }
      const [[, entries]] = found;
      const ids = entries.map(([id]) => id);
      last = ids[ids.length - 1];
      for (const [, fields] of entries) await this.take(fields);
      this.client.xdel(key, ...ids).catch(() => {}); // they expire
    }
  }

  /** @param {string[]} fields */
  async take([, line, , from, , sealed]) {
    const open = this.lines.get(line);
    if (open === undefined) return; // its launch has ended
    const place = open.received.get(from) ?? 0;
    open.received.set(from, place + 1);
    const value = await this.seal.openFirst(sealed, purposeOf(line, from, this.name, place));
    if (this.lines.get(line) !== open) return;
    if (value === undefined) this.breakOff(line, from, NOT_THE_NEXT);
    else open.onMessage(from, value);
  }

  /** @param {string} line @param {string} from @param {string} why */
  breakOff(line, from, why) {
    const open = this.lines.get(line);
    this.lines.delete(line);
    open?.onBroken(from, why);
  }

  async close() {
    this.isClosed = true;
    if (this.client.status === 'ready') await this.client.del(inboxKeyOf(this.name)).catch(() => {});
  }
}
