// Launches on several hosts: what carries commands to the agents there and their results back, and what these contain.

/** @import { HostNoise } from './launches.js' */

/** @import { Cell, MessageFile } from './plans.js' */
/** @import { ControlRow, Controls, Environment, NetworkLink, WakeUp } from './results-file.js' */

/** @typedef {{ version: string, protocol: number }} ProgramVersion   of ipc-bench, and of its control messages */
/** @typedef {{ kind: 'transport' | 'codec' | 'scenario' | 'program', name: string, hash: string }} CodeFact   code that a launch runs */

/**
 * What every order says, so that an agent can refuse it.
 * @typedef {object} OrderBase
 * @property {ProgramVersion} program
 * @property {CodeFact[]} code          by name, never by path: an agent runs its own
 */
/** @typedef {OrderBase & { kind: 'meet', hasControls: boolean }} MeetOrder   what are you? hasControls: the cost of waking a CPU is measured as well */
/** @typedef {Omit<ControlTask, 'codecUrl' | 'scenarioUrl' | 'messageFile' | 'runtime'> & { messageFile?: Omit<MessageFile, 'path'> }} SentTask */
/** @typedef {OrderBase & SentMessages & { kind: 'control', task: SentTask, plugins: Pick<Plugins, 'codec' | 'scenario'> }} ControlOrder   measure loops without a transport */
/** @typedef {{ messages?: string }} SentMessages   of --message-file, packed; without it payloads are made */
/**
 * Of all commands of one launch. line: the name, drawn for it, of what its controller and its workers send to each other.
 * spec: the portable part of its spec, see lib/launch/launch-spec.js.
 * @typedef {OrderBase & SentMessages & { plugins: Plugins, line: string, padding: string, spec: any }} LaunchOrderBase
 */
/** @typedef {LaunchOrderBase & { kind: 'lead', run: string }} LeadOrder   run: whose private brokers are kept from launch to launch */
/** @typedef {LaunchOrderBase & { kind: 'work', controller: string, probeAddress: string, ids: string[], folder?: string }} WorkOrder   controller: the
 *   agent of the controller; folder: of the launch there, which has to be seen */
/** @typedef {{ transport: string, codec: string | null, scenario: string, toMaster: string | null }} Plugins   names, by which each host finds its own */
/** @typedef {MeetOrder | ControlOrder | LeadOrder | WorkOrder} Order */

/**
 * What an agent is.
 * @typedef {object} AgentFacts
 * @property {string} bindAddress
 * @property {string} machine           the same for agents of one machine, until it is started anew; tells nothing else of it
 * @property {Environment} environment
 * @property {NetworkLink | null} link   of the address that it binds to; null: the loopback
 * @property {string} [sharedFolder]   that other agents of its machine may have as well; absent: none
 * @property {WakeUp | null} [wakeUp]   absent: nobody asked
 * @property {number[] | null} cpus     to be placed on, in the order in which to use them; null: nothing can be pinned there
 */

/** @typedef {{ news: 'awaiting', probeAddress: string, folder: string } | { news: 'phase', phase: string }} News   of a controller, before its end */

/**
 * What became of an order. end: see lib/run/launch.js. `refused`: nothing was begun; isHangUp: the controller of the launch could not be
 * reached, which its own agent explains better.
 * @typedef {{ status: 'met', facts: AgentFacts } | { status: 'controlled', measured: MeasuredControl | null }
 *   | { status: 'led', end: any, noise: HostNoise }
 *   | { status: 'worked', stderr: string[], noise: HostNoise, roundTripUs: number, cpus: Record<string, number[] | null> }
 *   | { status: 'refused', message: string, isHangUp?: true }} OrderEnd
 */

/**
 * @typedef {object} GivenOrder             an order that an agent was given
 * @property {Promise<OrderEnd>} ended   rejects with BenchError HOST when the agent is gone, or can no longer be reached
 * @property {() => void} stop          it is not wanted any more; `ended` is not waited for then
 */

/**
 * The runner's end of an engine.
 * @typedef {object} Engine
 * @property {(agent: string, launchId: string, order: Order, onNews: (news: News) => void) => GivenOrder} hand   an order to an agent. An agent that
 *                                      is not there, or holds another secret, is told within 5 s
 * @property {() => Promise<void>} close   nothing of this run is left behind, and every agent stops what it does for it
 */

/**
 * @typedef {object} LineEnd
 * @property {(from: string, value: any) => void} onMessage   from: the name of an agent
 * @property {(from: string, why: string) => void} onBroken   called at most once; nothing is received afterwards
 */
/** @typedef {{ send: (to: string, value: object) => void, close: () => void }} Line   for control messages between the agents of a launch */
/** @typedef {(line: string, end: LineEnd) => Line} OpenLine   line: its name, the same for all agents of a launch, and drawn for it */

/**
 * What an agent does with a command.
 * @typedef {(order: Order, launch: { launchId: string, tell: (news: News) => void, signal: AbortSignal, openLine: OpenLine }) => Promise<OrderEnd>} Obey
 */

// What a process that measures loops without a transport is asked, and what it tells.

/**
 * @typedef {object} ControlTask
 * @property {string} codecUrl
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} settings   of the scenario
 * @property {string} [runtime]         that this process runs on, as a cell names it; absent: the Node of the run
 * @property {number} payloadBytes
 * @property {Cell['content']} [content]
 * @property {number} loops
 * @property {number} seed
 * @property {boolean} withTimer
 * @property {'early' | 'usual'} [tierUp]
 * @property {MessageFile} [messageFile]
 */
/**
 * @typedef {object} MeasuredControl
 * @property {Pick<ControlRow, 'codecUs' | 'checkUs' | 'nullUs'>} row
 * @property {Controls['timer']} timer
 */

export {};
