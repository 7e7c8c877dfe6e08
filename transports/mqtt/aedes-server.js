// The program of a private aedes. Its argument is the path of a JSON file with its address, credentials and noDelay.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Aedes } from 'aedes';
import { isSameToken } from '../../lib/channels/admission.js';

/** @type {Pick<import('./mqtt-start.js').MqttAddress, 'listen' | 'credentials'> & { noDelay: boolean }} */
const { listen, credentials, noDelay } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const aedes = await Aedes.createBroker({
  // By default, aedes disconnects clients that read nothing for a minute, or send more than 1,000 messages of QoS 2 without a PUBREL.
  drainTimeout: 0,
  maxInflightInbound: 0,
  authenticate(_, user, password, done) {
    const isKnown =
      credentials === null ||
      (user === credentials.user && isSameToken(String(password), credentials.password));
    done(null, isKnown);
  },
});
// The types lack `version`.
const { version } = /** @type {{ version: string }} */ (/** @type {unknown} */ (aedes));
aedes.publish(
  {
    cmd: 'publish',
    topic: '$SYS/broker/version',
    payload: `aedes ${version}`,
    qos: 0,
    dup: false,
    retain: true,
  },
  () => createServer({ noDelay }, aedes.handle).listen(listen, () => process.stdout.write('listening\n')),
);
