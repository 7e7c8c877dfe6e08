// Why a program in another language cannot play its part of a cell: it knows transports, codecs and scenarios by their names, and
// has said which.

import { LEADER } from '../cell/launch-roles.js';
import { defaultsOf } from '../cell/traits.js';

/** @import { Cell, Codec, Peer, Scenario, Transport, ValueSchema } from '../types/index.js' */

/** @param {readonly string[]} names @param {string} name @param {string} what @returns {string | undefined} */
function whyUnknown(names, name, what) {
  return names.includes(name) ? undefined : `it has no ${what} ${name}, only ${names.join(', ')}`;
}

/**
 * @param {Peer} peer
 * @param {string} role
 * @param {{ transport: Transport, codec: Codec, scenario: Scenario, cell: Cell, schema: ValueSchema | null }} parts
 * @returns {string | undefined}
 */
export function whyNoPeer(
  { hello, platform = process.platform },
  role,
  { transport, codec, scenario, cell, schema },
) {
  if (role !== LEADER) return 'a program in another language plays the master only: write it as master:NAME';
  const why =
    // One with settings of its own has them in its name.
    whyUnknown(hello.scenarios, scenario.name, 'scenario') ??
    whyUnknown(hello.transports, transport.name, 'transport') ??
    whyUnknown(hello.codecs, codec.name, 'codec');
  if (why !== undefined) return why;
  if (transport.atPeer === undefined) return `${transport.name} does not say what it would have to do`;
  const unusual = Object.entries(cell.settings).find(
    ([name, value]) =>
      defaultsOf(transport)[name] !== value && !hello.settings?.[name]?.includes(String(value)),
  );
  if (unusual !== undefined) return `it does not know ${unusual.join('=')} of ${transport.name}`;
  if (schema !== null && codec.values !== undefined)
    return 'it carries texts, and the file has objects: add --codec string';
  if (cell.poll === 'busy') return 'it sleeps while it waits: leave out --poll busy';
  return platform === 'linux' ? undefined : 'what another program costs is told by Linux only';
}
