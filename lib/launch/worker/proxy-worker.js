// A role between the master and its workers: it connects to the one, listens to the others, and plays its half of the
// scenario between the two.

import { Meter } from '../../scenario/load/meter.js';
import { prepareMessages } from '../../scenario/messages/prepare-messages.js';
import { ScenarioKit } from '../../scenario/scenario-kit.js';
import { loadTransport } from '../assignment.js';
import { hostContext } from '../host-context.js';

/** @import { Channel, Endpoint, Listener } from '../../types/index.js' */
/** @import { Assignment, loadParts } from '../assignment.js' */
/** @import { JoinOrder } from '../control/protocol.js' */
/** @typedef {{ endpoint: Endpoint, meter: Meter, listener: Listener, strangers: () => number }} Between */

/**
 * @param {JoinOrder & { own: Assignment }} order
 * @param {Awaited<ReturnType<typeof loadParts>>} parts   of the way to the role before it
 * @param {object} means
 * @param {(workerId: string) => Promise<Channel>} means.connect   to the role before it
 * @param {(error: Error) => void} means.onTrouble
 * @param {(error: Error) => void} means.onHangUp   this end hung up on a worker
 * @returns {Promise<Between>} when workers may come
 */
export async function standBetween(
  { assignment, own, role },
  { codec: loaded, scenario },
  { connect, onTrouble, onHangUp },
) {
  const { cell, scenarioSettings, seed, wireKind } = assignment;
  const { codec } = prepareMessages(assignment, loaded);
  const workerIds = Array.from({ length: cell.workers }, (_, index) => `w${index}`);
  const kit = new ScenarioKit(cell, codec, {
    seed,
    settings: scenarioSettings,
    relaying: { workerIds, wireKind, connect },
  });
  const endpoint = scenario.endpoint(role, kit);
  await endpoint.ready?.();
  const transport = await loadTransport(own);
  const host = hostContext(own, endpoint, role);
  host.onTrouble = onTrouble;
  host.onHangUp = (_workerId, error) => onHangUp(error);
  const listener = await transport.listen(host.context);
  return { endpoint, meter: new Meter(), listener, strangers: () => host.strangers };
}
