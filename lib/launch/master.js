// Entry point of a master process: loads the plug-ins of the launch, listens, plays its half of the scenario, leads the
// launch, and hands it to the conductor as plain data.

import { traitsOf } from '../cell/traits.js';
import { helperThreads } from '../machine/helper-threads.js';
import { messagesOf } from '../scenario-kit/messages-of.js';
import { ScenarioKit } from '../scenario-kit/scenario-kit.js';
import { loadParts } from './assignment.js';
import { Crew } from './crew.js';
import { openForkLine } from './fork-line.js';
import { hostContext } from './host-context.js';
import { lead } from './leader.js';
import { endWithin, endWithParent } from './orphan.js';
import { sayHello } from './protocol.js';

/** @import { Half } from '../types/scenarios.js' */
/** @import { Listener } from '../types/transports.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { Phase } from './leader.js' */
/** @import { FromLeader } from './protocol.js' */

const THREADS_END_MS = 1_000; // one that can be ended is gone within some 10 ms

const { sendControl } = openForkLine(process, (message) => {
  if (message.control === 'launch') launch(message.assignment);
});
sayHello(say);

const helpers = helperThreads();
/** @type {Phase} */
let phase = 'start';

/** @param {FromLeader} message */
function say(message) {
  return sendControl(message);
}

/** @param {Phase} next */
function enter(next) {
  phase = next;
  say({ control: 'phase', phase });
}

/** @param {Assignment} assignment */
async function launch(assignment) {
  /** @type {Crew | undefined} */
  let crew;
  /** @type {Listener | undefined} */
  let listener;
  /** @type {Half | undefined} */
  let half;
  const leaveInPeace = endWithParent({
    lifeMs: assignment.deadlines.lifeMs,
    cleanUp: () => listener?.close(),
  });
  try {
    const { transport, codec: loaded, scenario } = await loadParts(assignment);
    const { codec, payloadsOf } = messagesOf(assignment, loaded);
    const { cell, scenarioSettings, seed, deadlines } = assignment;
    const kit = new ScenarioKit(cell, codec, {
      ...{ seed, settings: scenarioSettings },
      stream: {
        ...{ channels: {}, payloadsOf, replyMs: deadlines.replyMs },
        mayLose: traitsOf(transport, assignment.settings).loss === 'possible',
        publisher: () => (assignment.isPublished ? (listener?.publisher?.() ?? null) : null),
      },
    });
    half = scenario.half('master', kit);
    const host = hostContext(assignment, half);
    listener = await transport.listen(host.context);
    crew = new Crew({
      workers: assignment.cell.workers,
      cpus: assignment.cpus,
      wishes: listener.fork ?? {},
      helpers,
      phase: () => phase,
    });
    host.onTrouble = crew.fail;
    const report = await lead(assignment, crew, { listener, transport, half, enter });
    await listener.close();
    await say({ control: 'done', ...report, strangers: host.strangers });
  } catch (error) {
    const { code = 'TRANSPORT', message, integrity = null } = /** @type {any} */ (error);
    const told = say({ control: 'failed', code, message, phase, integrity });
    half?.meter?.giveUp();
    crew?.kill();
    await listener?.close();
    await told;
    if (crew?.areThreads) endWithin(THREADS_END_MS);
  }
  leaveInPeace();
  process.disconnect();
}
