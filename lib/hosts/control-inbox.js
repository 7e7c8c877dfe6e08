// Carries control messages between the controller of a launch and its workers on other hosts. Each agent has a stream in the Redis of the
// commands, to which other agents append. An entry is encrypted for one link, two agents and one position: if an entry is changed, left
// out, repeated or replayed, it or the next one fails to decrypt and breaks the link.

import { setTimeout as sleep } from 'node:timers/promises';
import { inboxKeyOf } from './control-redis.js';
import { Seal } from './seal.js';

/** @import { Redis } from 'ioredis' */
/** @import { LinkHandlers, OpenLink } from '../types/index.js' */

const MAX_AT_ONCE = 256;
const UNREAD_MS = 60_000; // the server deletes a stream this long after its last entry, in case the agent is gone
const RETRY_MS = 500;
const NOT_THE_NEXT = 'a control message was changed, left out or repeated on its way';

/** @param {string} link @param {string} from @param {string} to @param {number} position   starts at 0 */
const purposeOf = (link, from, to, position) => `message ${position} of link ${link} from ${from} to ${to}`;

export class ControlInbox {
  /** @param {Redis} client @param {string} agent */
  constructor(client, agent) {
    this.client = client;
    this.agent = agent;
    this.isClosed = false;
    /** @type {Map<string, LinkHandlers & { seal: Seal, received: Map<string, number> }>} received: number of entries by agent */
    this.links = new Map();
    /** @type {OpenLink} */
    this.open = this.open.bind(this);
  }

  /** @type {OpenLink} */
  open({ name: link, key }, handlers) {
    /** @type {Map<string, number>} */
    const sent = new Map();
    const seal = new Seal(Buffer.from(key, 'base64'));
    this.links.set(link, { ...handlers, seal, received: new Map() });
    return {
      send: (to, value) => {
        const position = sent.get(to) ?? 0;
        sent.set(to, position + 1);
        const sealed = seal.close(value, purposeOf(link, this.agent, to, position));
        this.append(inboxKeyOf(to), [link, this.agent, sealed]).catch(({ message }) =>
          this.breakOff(link, to, `a control message could not be sent: ${message}`),
        );
      },
      close: () => void this.links.delete(link),
    };
  }

  /** @param {string} key @param {string[]} entry */
  async append(key, [link, from, sealed]) {
    const fields = ['link', link, 'from', from, 'sealed', sealed];
    const results = await this.client
      .pipeline()
      .xadd(key, '*', ...fields)
      .pexpire(key, UNREAD_MS)
      .exec();
    for (const [error] of results ?? []) if (error !== null) throw error;
  }

  /** @param {Redis} reader   a separate connection, since reading blocks it; the caller disconnects it after `close` */
  async read(reader) {
    reader.on('error', () => {}); // other code ends the launch if the connection is lost
    const key = inboxKeyOf(this.agent);
    let last = '0-0';
    while (!this.isClosed) {
      const found = await reader
        .xread('COUNT', MAX_AT_ONCE, 'BLOCK', 0, 'STREAMS', key, last)
        .catch(() => null);
      if (this.isClosed) return;
      if (found === null) {
        await sleep(RETRY_MS); // ioredis reconnects meanwhile
        continue;
      }
      const [[, entries]] = found;
      const ids = entries.map(([id]) => id);
      last = ids[ids.length - 1];
      for (const [, fields] of entries) this.receive(fields);
      this.client.xdel(key, ...ids).catch(() => {}); // if this fails, the entries expire with the stream
    }
  }

  /** @param {string[]} fields */
  receive([, link, , from, , sealed]) {
    const open = this.links.get(link);
    if (open === undefined) return; // the launch has ended, or the link is broken
    const position = open.received.get(from) ?? 0;
    open.received.set(from, position + 1);
    const value = open.seal.open(sealed, purposeOf(link, from, this.agent, position));
    if (value === undefined) this.breakOff(link, from, NOT_THE_NEXT);
    else open.onMessage(from, value);
  }

  /** @param {string} link @param {string} from @param {string} why */
  breakOff(link, from, why) {
    const open = this.links.get(link);
    this.links.delete(link);
    open?.onBroken(from, why);
  }

  async close() {
    this.isClosed = true;
    if (this.client.status === 'ready') await this.client.del(inboxKeyOf(this.agent)).catch(() => {});
  }
}
