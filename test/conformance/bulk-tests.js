// Large amounts: a reader that is blocked, the largest messages and larger ones, and two launches at once.

import assert from 'node:assert/strict';
import { within, withRemedy } from './deadline.js';
import { contentOf } from './wires.js';

/** @import { Guest } from './launch.js' */
/** @import { Test } from './test-launches.js' */

const BLOCK_MS = 300;
const BULK_BYTES = 65_536;
const FULL_REMEDY = "return false while it cannot be sent, or declare traits.loss: 'possible'";
const SIZE_REMEDY = 'if such messages are too large for the transport, declare traits.greatestMessageBytes';
const COSTLY_BULK_BYTES = 4_194_304; // fewer messages for as many bytes
const LIMIT_BYTES = 65_536;
const REFUSAL_MS = 2_000;
const LIMIT_REMEDY =
  'compare each message with maxMessageBytes of the context that listen() and connect() get, and close with an Error as the reason';

/** @type {Record<string, Test>} */
export const BULK_TESTS = {
  async 'reports backpressure while the other end reads nothing, and loses nothing'(launches) {
    const { expected } = (await launches.main()).launch;
    if (!expected.pushesBack) return 'it declares that messages may be lost';
    if (expected.isCostly && launches.greatestBytes < COSTLY_BULK_BYTES) {
      return 'it would need hundreds of expensive messages';
    }
    const second = await launches.beside(secondLaunch(launches, expected));
    const greatestBytes = Math.min(bulkBytes(expected), launches.greatestBytes);
    const pauses = await second.talk('bulk', { blockMs: BLOCK_MS, greatestBytes });
    assert.ok(
      pauses > 0,
      `send() accepted 20 MiB that the other end did not read, and never returned false; ${FULL_REMEDY}`,
    );
    for (const { end } of second.guests()) await end.channel.drained();
  },

  async 'carries messages of 1 B to 16 MiB, or up to its declared limit'(launches) {
    const { launch } = await launches.main();
    const [guest] = launch.guests();
    const how = { greatestBytes: launches.greatestBytes, guests: [guest] };
    await withRemedy(SIZE_REMEDY, launch.talk('sized', how));
  },

  async 'separates two simultaneous launches'(launches) {
    const main = await launches.main();
    const second = await launches.beside(secondLaunch(launches, main.launch.expected));
    await Promise.all([main.launch.talk('random'), second.talk('random')]);
    await launches.endOthers();
  },

  async 'rejects a message from a worker that is larger than the cell allows'(launches) {
    const { launch } = await launches.main();
    if (launch.variant.wireKind === 'value')
      return 'Node has no limit for values, which only its own workers send';
    const small = await launches.beside(smallLaunch(launches));
    const [offender, bystander] = small.guests();
    await small.echo(offender, contentOf(small.context.maxMessageBytes));
    const refused = offender.remote.ask('send', { bytes: small.context.maxMessageBytes + 1 }).then(
      () => new Promise(() => {}),
      () => {},
    );
    const closed = offender.end.closed.then(() => assertRefused(offender));
    const rejected = Promise.race([refused, closed]);
    await withRemedy(
      LIMIT_REMEDY,
      within(REFUSAL_MS, 'the rejection of a message that is too large', rejected),
    );
    await small.echo(bystander, 'still here');
  },

  async 'rejects a message from the host that is larger than the cell allows'(launches) {
    const { launch } = await launches.main();
    if (launch.variant.wireKind === 'value')
      return 'Node has no limit for values, which only its own workers send';
    const small = await launches.beside(smallLaunch(launches));
    const [, victim] = small.guests(); // the bystander of the test before
    await small.echo(victim, contentOf(small.context.maxMessageBytes));
    const heardBefore = await victim.remote.ask('heard');
    if (await says(small, victim, launches.wire(contentOf(small.context.maxMessageBytes + 1)))) {
      await withRemedy(LIMIT_REMEDY, victim.remote.ask('closed', { deadlineMs: REFUSAL_MS }));
      await assertRefused(victim);
    }
    assert.equal(
      await victim.remote.ask('heard'),
      heardBefore,
      `the worker received the message; ${LIMIT_REMEDY}`,
    );
    await launches.endOthers();
  },
};

/**
 * The end that refuses a message gives the reason: the receiver, or a sender that cannot send it.
 * @param {Pick<Guest, 'end' | 'remote'>} guest   its channel is closed
 */
async function assertRefused({ end, remote }) {
  const reason = end.closeReason ?? (await remote.ask('closed', { deadlineMs: REFUSAL_MS })).reason;
  assert.ok(reason, 'onClose got no reason; call it with an Error that names the size and the limit');
}

/** @param {import('./expectations.js').Expectations} expected */
const bulkBytes = ({ isCostly }) => (isCostly ? COSTLY_BULK_BYTES : BULK_BYTES);

/** @param {import('./test-launches.js').TestLaunches} launches @param {import('./expectations.js').Expectations} expected */
function secondLaunch({ greatestBytes }, expected) {
  const maxMessageBytes = Math.min(2 * bulkBytes(expected), greatestBytes);
  return { name: 'a second launch', workers: 1, maxMessageBytes };
}

/** @param {import('./test-launches.js').TestLaunches} launches */
function smallLaunch({ greatestBytes }) {
  return {
    name: 'a launch of small messages',
    workers: 2,
    maxMessageBytes: Math.min(LIMIT_BYTES, greatestBytes),
  };
}

/**
 * The host sends it, as a response if it only responds.
 * @param {import('./launch.js').Launch} launch
 * @param {import('./launch.js').Guest} guest
 * @param {import('../../lib/types/messages.js').Wire} wire
 * @returns {Promise<boolean>} false if send() refused it
 */
async function says({ expected }, { end, remote }, wire) {
  try {
    if (expected.onlyResponds) {
      const asked = new Promise((resolve, reject) => {
        end.hear = () => {
          try {
            resolve(end.channel.send(wire));
          } catch (error) {
            reject(error);
          }
        };
      });
      asked.catch(() => {}); // send() may refuse it before anybody waits for that
      await remote.ask('send', { bytes: 1 });
      await within(REFUSAL_MS, 'the request of the worker', asked);
    } else end.channel.send(wire);
    return true;
  } catch {
    return false;
  }
}
