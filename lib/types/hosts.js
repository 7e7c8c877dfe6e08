// Launches on several hosts: commands to agents, their results, and the interfaces that carry both.

/** @import { HostNoise } from './launches.js' */

/** @import { Cell, MessageFile } from './plans.js' */
/** @import { ControlRow, Controls, Environment, NetworkLink, WakeUp } from './results-file.js' */

/**
 * @typedef {{ kind: 'transport' | 'codec' | 'scenario' | 'program', name: string, hash: string }} CodeFact   identifies code that a launch
 *   runs
 */

/**
 * Common to all commands, so that an agent can refuse commands of another version or for other code.
 * @typedef {object} CommandBase
 * @property {string} version   of ipc-bench
 * @property {CodeFact[]} code   contains names and no paths, since an agent runs its own code
 */
/**
 * @typedef {CommandBase & { kind: 'describe', withWakeUp: boolean }} DescribeCommand   withWakeUp: also measures the cost of waking a CPU
 */
/** @typedef {Omit<ControlTask, 'codecUrl' | 'scenarioUrl' | 'messageFile' | 'runtime'> & { messageFile?: Omit<MessageFile, 'path'> }} SentTask */
/** @typedef {CommandBase & SentMessages & { kind: 'calibrate', task: SentTask, plugins: Pick<Plugins, 'codec' | 'scenario'> }} CalibrateCommand */
/**
 * @typedef {{ messages?: string }} SentMessages   messages: content of --message-file, gzip in base64; without it, payloads are generated
 */
/**
 * Common to the commands of one launch. `link` is for the control messages between its agents, `spec` a PortableSpec (see
 * lib/launch/portable-spec.js).
 * @typedef {CommandBase & SentMessages & { plugins: Plugins, link: LinkAddress, padding: string, spec: any }} LaunchCommandBase
 */
/** @typedef {{ name: string, key: string }} LinkAddress   both random: a public name, and the key of the messages in base64 */
/**
 * @typedef {LaunchCommandBase & { kind: 'controller', run: string }} ControllerCommand   run: id of the run; its private brokers serve all its
 *   launches
 */
/**
 * `folder` is the folder of the launch on the controller's host, if the hosts share it.
 * @typedef {LaunchCommandBase & { kind: 'workers', controller: string, probeAddress: string, ids: string[], folder?: string }} WorkersCommand
 */
/**
 * Names, by which each host finds its own plug-ins.
 * @typedef {{ transport: string, codec: string | null, scenario: string, toMaster: string | null }} Plugins   codec: null if the channel
 *   serialises messages; toMaster: transport of the last hop, null if it is that of the cell
 */
/** @typedef {DescribeCommand | CalibrateCommand | ControllerCommand | WorkersCommand} Command */

/**
 * @typedef {object} AgentFacts
 * @property {string} bindAddress
 * @property {string} machine           the same for all agents of a machine, at least until it reboots
 * @property {Environment} environment
 * @property {NetworkLink | null} link   network link of `bindAddress`; null for the loopback
 * @property {string} [sharedFolder]
 * @property {WakeUp | null} [wakeUp]   only if the command requested it; null if it could not be measured
 * @property {number[] | null} cpus     for placement, in the order of use; null if processes cannot be pinned
 */

/**
 * @typedef {{ event: 'awaiting', probeAddress: string, folder: string } | { event: 'phase', phase: string }} LaunchEvent   sent while a
 *   controller command runs. 'awaiting': the controller listens for workers on other hosts; probeAddress: where their agents measure the
 *   round trip; folder: of the launch, on the host of the controller
 */

/**
 * `refused` means that the command failed, possibly after processes were started, and `isHangUp` that the controller's host could not be
 * reached or closed the connection; the agent of that host may have the cause. `end` is a LaunchEnd of lib/run/launch.js. `measured` is null
 * if the loop failed. `cpus` has the CPUs of each worker by its id; null if it is not pinned.
 * @typedef {{ status: 'described', facts: AgentFacts } | { status: 'calibrated', measured: MeasuredControl | null }
 *   | { status: 'controller-ended', end: any, noise: HostNoise }
 *   | { status: 'workers-ended', stderr: string[], noise: HostNoise, roundTripUs: number, cpus: Record<string, number[] | null> }
 *   | { status: 'refused', message: string, isHangUp?: true }} CommandResult
 */

/**
 * The run and the launch that use an agent. `timeMs` is the latest time of the agent that the run has read.
 * @typedef {{ run: string, launchId: string, timeMs: number }} Owner
 */
/** @typedef {{ owner: Owner, command: Command }} SealedCommand   what a run seals for an agent */

/** @typedef {{ signal: AbortSignal, onEvent?: (event: LaunchEvent) => void, deadlineMs?: number }} CommandHandling */
/**
 * Sends commands to agents, and makes them stop when the signal is aborted or the sender is closed.
 * @typedef {object} CommandChannel
 * @property {(agent: string, launchId: string, command: Command, how: CommandHandling) => Promise<CommandResult>} send   rejects with
 *   BenchError HOST if the agent does not exist, dies, has another secret or serves another run, if it does not return a result within
 *   `deadlineMs`, or if the result or the connection is lost; rejects with the reason of the signal if it is aborted
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} LinkHandlers
 * @property {(from: string, value: any) => void} onMessage   from: the name of an agent
 * @property {(from: string, why: string) => void} onBroken   called at most once; nothing is received afterwards
 */
/**
 * @typedef {{ send: (to: string, value: object) => void, close: () => void }} ControlLink   carries control messages between the agents of a
 *   launch
 */
/** @typedef {(address: LinkAddress, handlers: LinkHandlers) => ControlLink} OpenLink */
/** @typedef {{ launchId: string, onEvent: (event: LaunchEvent) => void, signal: AbortSignal, openLink: OpenLink }} CommandContext */
/** @typedef {(command: Command, context: CommandContext) => Promise<CommandResult>} CommandHandler */

// The task of a process that measures loops without a transport, and its result.

/**
 * @typedef {object} ControlTask
 * @property {string} codecUrl
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} settings   settings of the scenario
 * @property {string} [runtime]         the runtime of the process, as a cell names it; the Node of the run by default
 * @property {number} payloadBytes
 * @property {Cell['content']} [content]
 * @property {number} loops
 * @property {number} seed
 * @property {boolean} withTimer         whether to measure `timer` of the result, which is null otherwise
 * @property {'early' | 'usual'} [tierUp]   when V8 optimises the code of the process; 'usual' by default
 * @property {MessageFile} [messageFile]
 */
/**
 * @typedef {object} MeasuredControl
 * @property {Pick<ControlRow, 'codecUs' | 'checkUs' | 'nullUs' | 'spread'>} row
 * @property {Controls['timer']} timer
 */

export {};
