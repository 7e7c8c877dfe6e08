// Runs at night.
// Jobs that a PUSH deals: those who know the token get all of them, and whoever does not is turned away and told.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import zeromq from '../../transports/zeromq/zeromq.js';
import { openBothEnds, TOKEN } from '../fixtures/both-ends.js';
import { ownFolder } from '../fixtures/own-folder.js';

const JOBS = 50;
const why = (await zeromq.whyUnavailable?.()) ?? undefined;

/** @type {Record<string, { plainUsername?: string, plainPassword?: string }>} */
const INTRUDERS = {
  'shows nothing': {},
  'has another token': { plainUsername: 'w0', plainPassword: 'cd'.repeat(16) },
  'has the token as its name': { plainUsername: TOKEN, plainPassword: 'w0' },
};

describe('jobs over zeromq', { timeout: 600_000, skip: why && !process.env.CI ? why : false }, () => {
  const scratchDir = ownFolder('ipcb-z-');

  for (const net of ['ipc', 'tcp']) {
    for (const [what, credentials] of Object.entries(INTRUDERS)) {
      it(`go only to its workers if a PULL socket that ${what} connects over ${net}`, async () => {
        const { Pull } = await import('zeromq');
        /** @type {(what: string) => void} */
        let onRejected = () => {};
        const told = new Promise((resolve) => {
          onRejected = resolve;
        });
        const settings = { net };
        const ends = await openBothEnds(zeromq, {
          settings,
          scratchDir,
          sharedQueue: { prefetch: JOBS },
          onRejected: (text) => onRejected(text),
        });
        const intruder = new Pull({ ...credentials, reconnectInterval: -1 });
        intruder.connect(ends.address.split('\n')[1]);
        const taken = intruder.receive().then(
          () => 'a job',
          () => 'nothing',
        );
        await told;
        const heard = new Promise((resolve) => {
          /** @type {string[]} */
          const jobs = [];
          ends.worker.onMessage = (wire) => {
            jobs.push(wire);
            if (jobs.length === JOBS) resolve(jobs);
          };
        });
        const queue = ends.listener.queue?.();
        const sent = Array.from({ length: JOBS }, (_, index) => `job ${index}`);
        for (const job of sent) queue?.send(job);
        assert.deepEqual(await heard, sent);
        intruder.close();
        assert.equal(await taken, 'nothing');
        await ends.worker.close();
        await ends.listener.close();
        assert.deepEqual(ends.errors, []);
        assert.deepEqual(readdirSync(scratchDir), []);
      });
    }
  }
});
