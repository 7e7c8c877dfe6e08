import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findNetworkLink } from '../../lib/machine/limits.js';
import { linksText } from '../../lib/report/text/machine-words.js';

const entry = (/** @type {string} */ address, internal = false) =>
  /** @type {any} */ ({ address, internal, family: 'IPv4' });
const INTERFACES = { lo: [entry('127.0.0.1', true)], eth0: [entry('10.0.0.2')], veth1: [entry('10.0.0.3')] };
/** @type {Record<string, string>} */
const FILES = {
  '/sys/class/net/eth0/mtu': '9000\n',
  '/sys/class/net/eth0/speed': '10000\n',
  '/sys/class/net/veth1/mtu': '1500\n',
  '/sys/class/net/veth1/speed': '-1\n',
};
const read = (/** @type {string} */ path) => FILES[path] ?? null;

describe('the link of an address', () => {
  it('is the MTU and the bandwidth class of its interface', () => {
    assert.deepEqual(findNetworkLink('10.0.0.2', INTERFACES, read), {
      mtuBytes: 9_000,
      megabitsPerSecond: 10_000,
    });
  });

  it('leaves out what the system does not tell', () => {
    const link = findNetworkLink('10.0.0.3', INTERFACES, read);
    assert.deepEqual(link, { mtuBytes: 1_500, megabitsPerSecond: null });
    const silent = findNetworkLink('10.0.0.3', INTERFACES, () => null);
    assert.deepEqual(silent, { mtuBytes: null, megabitsPerSecond: null });
  });

  it('is none on the loopback, and of an address that nobody has', () => {
    assert.equal(findNetworkLink('127.0.0.1', INTERFACES, read), null);
    assert.equal(findNetworkLink('10.0.0.9', INTERFACES, read), null);
  });

  it('is told for each host of which something is known', () => {
    const told = (/** @type {object} */ hosts) => linksText(/** @type {any} */ ({ hosts }));
    const [fast, slow] = [
      { mtuBytes: 9_000, megabitsPerSecond: 10_000 },
      { mtuBytes: 1_500, megabitsPerSecond: null },
    ].map((link) => ({ link }));
    assert.equal(
      told({ a: fast, b: slow, c: {} }),
      'links: a 10,000 Mbit/s, MTU 9,000 bytes; b MTU 1,500 bytes',
    );
    assert.equal(told({ a: {}, b: { link: { mtuBytes: null, megabitsPerSecond: null } } }), null);
    assert.equal(linksText(/** @type {any} */ ({})), null);
  });
});
