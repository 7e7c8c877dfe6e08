// A transport, its channels, its broker, and the contexts of both ends of a launch.

import {
  array,
  boolean,
  literal,
  minLength,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
  union,
} from 'valibot';
import { WireKind } from './messages.js';
import { TransportLook } from './reports.js';
import {
  method,
  Name,
  OneLine,
  OptionalTrue,
  PLUGIN,
  Positive,
  positive,
  record,
  texts,
  withErrorText,
} from './scalars.js';

/** @import { GenericSchema, InferOutput } from 'valibot' */
/** @import { Codec } from './messages.js' */
/** @import { Settings } from './plans.js' */
/** @import { Method } from './scalars.js' */

/**
 * One end of a connection. It keeps order and boundaries of messages. The core is the only reader, and assigns both handlers in the tick in
 * which it gets the channel.
 * @typedef {object} Channel
 * @property {(wire: any) => boolean} send   returns false if there is no room for more: then wait for `drained()`. The caller does not
 *   change the wire afterwards
 * @property {(wire: any) => void} onMessage   the wire is only valid until the handler returns
 * @property {(reason?: Error) => void} onClose   called once, whichever end closes; no resource is held afterwards
 * @property {(codec: Pick<Codec, 'encode' | 'inPlace'>) => boolean} [carry]   returns true if the channel accepts and delivers messages
 *   from now on, with null for anything that is not a message; false if it continues with wires, as without `carry`
 * @property {() => Promise<void>} drained
 * @property {() => Promise<void>} close   safe to call twice
 */

/**
 * A transport's access to the fork channel. The control channel shares it and listens for both, since a second listener would cost an array
 * copy per message.
 * @typedef {object} ForkLine
 * @property {(value: object, callback?: (error: Error | null) => void) => boolean} send
 * @property {(value: any) => void} onValue   receives values that are not control messages
 * @property {() => void} onDisconnect
 * @property {(value: object, transfer: readonly any[]) => void} [transfer]   only if the worker is a thread. The value may contain shared
 *   memory and the objects in `transfer`, such as a MessagePort
 */

/**
 * Context that both ends of a launch have.
 * @typedef {object} EndContext
 * @property {Readonly<Record<string, string | number | boolean>>} settings   checked, including defaults
 * @property {string} codec   name of the codec of the cell
 * @property {WireKind} wireKind   kind of wire for `send` and `onMessage`
 * @property {number} maxMessageBytes   size of the largest valid message on the wire; a larger one is a violation
 * @property {string} token   secret of the launch: 32 hexadecimal digits. Peers without it are rejected
 * @property {string} launchId   unique among all runs; 1 to 24 characters of [0-9a-z]
 * @property {string | null} brokerUrl   null for transports without a broker
 * @property {boolean} [isPublished]   the master sends each message to all workers, which subscribe
 * @property {SharedQueue | null} [sharedQueue]   set if the master sends to a queue, which gives each message to one worker. A worker has
 *   finished a message when `onMessage` returns
 * @property {{ isBytes?: boolean } | null} [tasks]   set if the master sends tasks; isBytes: each payload has memory of its own, which may be
 *   transferred
 * @property {boolean} [isBrokerOurs]   the broker and its contents exist only for the run. Otherwise it may be the user's
 */

/**
 * @typedef {object} HostRole
 * @property {string} scratchDir   private (0700), short, removed by the runner
 * @property {string} [bindAddress]   address of this host, IPv4 or IPv6, 127.0.0.1 by default. Transports with reach 'network' listen on it alone,
 *                                    and workers on other hosts connect to it. See `bindAddressOf` of the kit
 * @property {number} workers   number of workers that will connect, more than once if they reconnect
 * @property {(channel: Channel, workerId: string) => void} onChannel   called for each authenticated connection
 * @property {(what: string) => void} onRejected   called for each rejected peer
 * @property {(error: Error) => void} onError   called if the listener is broken, which fails the launch
 */

/** @typedef {EndContext & HostRole} HostContext */

/**
 * @typedef {object} GuestRole
 * @property {string} address   address returned by `listen`
 * @property {string} workerId   'w0', 'w1', ...; further connections of w0 are 'w0c1', 'w0c2', ...
 * @property {number} [workers]   number of workers of the launch, which share the CPUs while they connect; few by default
 * @property {ForkLine} line
 */

/** @typedef {EndContext & GuestRole} GuestContext */

/**
 * @typedef {object} Listener
 * @property {string} address   passed to `connect` unchanged
 * @property {ForkOptions} [fork]   how to start its workers
 * @property {(line: ForkLine, workerId: string, streams: WorkerStreams) => void} [adopt]   for transports that use handles of a started
 *   worker: the fork channel, stdin and stdout
 * @property {() => Pick<Channel, 'send' | 'drained'>} [publisher]   sends to all workers that have joined; see `publishes`
 * @property {() => Pick<Channel, 'send' | 'drained'>} [queue]   sends to any one of the workers; see `queues`
 * @property {TaskPool} [pool]   for transports that start the workers; see `startsWorkers`
 * @property {() => Promise<void>} close   leaves no file, port, topic or timer; safe to call twice
 */

/**
 * Workers that a library starts and gives tasks to.
 * @typedef {object} TaskPool
 * @property {(task: { id: number, payload: string }, signal?: AbortSignal) => Promise<{ payload: string, workUs?: number }>} run   resolves with
 *                                                 the result of a worker, and rejects if the pool reports a failure; signal: cancels the task, if
 *                                                 the library can
 */

/** @typedef {'done' | 'rejected' | 'hung'} TaskFate   hung: it never settles */

/**
 * Outcomes of tasks after failures, as checked by the conformance suite.
 * @typedef {object} PoolFailures
 * @property {TaskFate} throws   a task that throws an error
 * @property {TaskFate} crashes   a task whose worker dies of an uncaught error
 * @property {TaskFate} exits   a task whose worker calls process.exit()
 * @property {TaskFate} others   tasks that were submitted to the same worker before it died
 * @property {TaskFate} later   tasks that are submitted afterwards
 * @property {'running' | 'waiting' | 'none'} cancels   'running': a task can be cancelled while it runs, which ends its worker;
 *   'waiting': only before a worker has it; 'none': tasks cannot be cancelled
 * @property {'rejected' | 'none'} fullQueue   a task for a full queue; 'none' if the queue has no limit
 */

/**
 * @typedef {object} ForkOptions
 * @property {'json' | 'advanced'} [serialization]   serialization of the fork channel
 * @property {true} [stdio]   gives stdin and stdout of workers to the transport; without it, stdin is empty and stdout redirected
 * @property {true} [thread]   starts workers as threads of the master (node:worker_threads)
 */

/**
 * The master's ends of a worker's stdin and stdout; null without `fork.stdio`.
 * @typedef {{ stdin: import('node:stream').Writable, stdout: import('node:stream').Readable } | null} WorkerStreams
 */

/**
 * Parameters for a program in another language that listens; see docs/extending.md.
 * @typedef {object} PeerStart
 * @property {Record<string, string | number | boolean>} order   fields without nesting, sent to the peer besides the common ones
 * @property {(listening: { port?: number }) => string} address   returns the address for `connect`, once the peer listens
 * @property {ForkOptions} [fork]   how to start workers; with `stdio` the peer receives their streams
 * @property {() => Promise<void>} [cleanUp]   removes the files of a peer that was killed
 */

/** A setting of a transport or a scenario, as in `unix:flush=tick`. */
export const Setting = object({
  summary: OneLine,
  /** The type of the default is the type of the setting. */
  default: withErrorText(union([string(), number(), boolean()]), 'a string, number or boolean'),
  choices: optional(withErrorText(array(union([string(), number()])), 'a list of texts or numbers')),
  min: optional(withErrorText(number(), 'a number')),
  max: optional(withErrorText(number(), 'a number')),
  /** With 'bytes', 'us', 'µs' or 'ms', users may write a unit, such as 64KiB or 5ms; the value is in this one. */
  unit: optional(OneLine),
  /** The value is a list of numbers as text: '1+10+100'. */
  isList: OptionalTrue,
  /** Allows fractions. Otherwise numbers are whole. */
  takesFractions: OptionalTrue,
  /** For a scenario: charts show its values side by side, so labels always contain it. */
  isQuantity: OptionalTrue,
  /** Applies only to a server started for the run, and is refused with the URL of another server. */
  ofPrivateServer: OptionalTrue,
  /**
   * Changes the route of messages, not only their speed, so that the conformance suite tests each choice. A list limits the tests to these
   * choices.
   */
  changesRoute: optional(
    withErrorText(union([literal(true), array(union([string(), number()]))]), 'true or a list'),
  ),
  /** Also changes the listener or the framing, so that the suite tests unauthenticated peers, bulk and reconnecting with each choice. */
  changesListener: OptionalTrue,
});
/** @typedef {InferOutput<typeof Setting>} Setting */

/** The maximum number of unacknowledged messages, and the name of its setting. Further messages wait. */
export const AcknowledgementWindow = withErrorText(
  object({ setting: Name, messages: Positive }),
  'the name of a setting and a number of messages above 0',
);

/** Guarantee for a job whose worker dies. */
export const QueuePromise = picklist(['at most once', 'at least once']);
/** @typedef {InferOutput<typeof QueuePromise>} QueuePromise */

/** @typedef {{ prefetch: number }} SharedQueue   prefetch: maximum of pending jobs per worker */

export const Traits = object({
  class: picklist([
    'pipe',
    'socket',
    'memory',
    'thread',
    'brokerless',
    'rpc',
    'broker',
    'inline',
    'thread-pool',
    'process-pool',
  ]),
  /** 'network': workers on other hosts can connect; see HostRole.bindAddress. */
  reach: picklist(['host', 'network']),
  /** 'request-reply': the master responds to each request once, in the order of arrival, and sends nothing else. */
  direction: picklist(['duplex', 'one-way', 'request-reply']),
  /** Delivery guarantee, as a short phrase. */
  guarantee: OneLine,
  /** For brokers: 'disk' if accepted messages survive the end of the broker. */
  durability: optional(picklist(['memory', 'disk'])),
  /** 'free': messages may overtake each other. Otherwise order is kept. */
  order: optional(withErrorText(literal('free'), 'free')),
  /** 'possible': messages may get lost while both ends are running. */
  loss: optional(withErrorText(literal('possible'), 'possible')),
  /** Processes busy-wait for messages, which takes a core per process. */
  isSpinning: OptionalTrue,
  /** Mechanism of the system that transfers the bytes. Without it, --floor has no native baseline. */
  mechanism: optional(picklist(['pipe', 'unix', 'tcp', 'memory'])),
  /** Messages sent in the same tick go out in one write. */
  coalesces: OptionalTrue,
  /** One message of the master can reach all workers: the listener has a `publisher`. */
  publishes: OptionalTrue,
  /** All workers can take jobs from one queue: the listener has a `queue`. The value is the guarantee for jobs of a dead worker. */
  queues: optional(QueuePromise),
  /** Time after which other workers claim an unfinished job of a worker. */
  claimsAfterMs: optional(positive),
  /** Limit of unacknowledged messages between a process and the broker. Without it, there is no limit, or nothing is acknowledged. */
  acknowledgementWindow: optional(AcknowledgementWindow),
  /** Most requests of one worker that are on the way at once; further ones wait in its channel. Without it, there is no limit. */
  requestsAtOnce: optional(positive),
  /** A worker may disconnect and connect again, and have several connections. Otherwise it connects once. */
  reconnects: OptionalTrue,
  /**
   * Channels use handles that the start of a worker creates (see Listener.fork and adopt), so workers have to be children or threads of the
   * master.
   */
  usesForkHandles: OptionalTrue,
  /** The transport is a pool: a library starts the workers and gives them tasks, so there are no channels. */
  startsWorkers: OptionalTrue,
  /** The master has to respond within the handler of the request. */
  answersAtOnce: OptionalTrue,
  /** A worker blocks its event loop until each message that it has sent has a response. */
  blocksForResponses: OptionalTrue,
  /** A message takes milliseconds, because it needs a process, a file or a disk. Suites send fewer messages. */
  isCostly: OptionalTrue,
  /** Infinity if only memory limits the size. */
  greatestMessageBytes: withErrorText(positive, 'a number above 0, or Infinity'),
  platforms: texts('names of process.platform'),
  broker: withErrorText(nullable(OneLine), 'its name, or null'),
  /** Packages that the transport imports. */
  packages: optional(texts('names of npm packages')),
  /** Upstream documentation of the settings used. */
  sources: texts('links'),
  /** Messages that a broker receives, and also delivers, per round trip. Unknown if absent. */
  messagesPerRoundTrip: optional(positive),
});
/** @typedef {InferOutput<typeof Traits>} Traits */

// A server that a transport needs: how to find, start and reach it, and how to read its counters.

/** Names of the packages of a server, by package manager. */
const SystemPackages = withErrorText(
  record(string()),
  'names by the program that installs them: apt, dnf, apk, pacman, zypper, brew, winget',
);
/** @typedef {Partial<Record<'apt' | 'dnf' | 'apk' | 'pacman' | 'zypper' | 'brew' | 'winget', string>>} SystemPackages */

/** A server that a transport needs, started by the runner for the run. */
export const Broker = withErrorText(
  object({
    name: OneLine,
    /**
     * Returns reason and remedy if no server is found, for these settings or for any. `isGlance`: nothing is measured, so packages need not
     * be loaded.
     */
    whyUnavailable:
      /** @type {Method<(settings?: Readonly<Settings>, isGlance?: boolean) => Promise<string | null>>} */ (
        method
      ),
    /** Packages to install if no server is found. */
    packages: optional(/** @type {GenericSchema<SystemPackages>} */ (SystemPackages)),
    /** Schemes of URLs of the user's servers, such as 'amqp'. Schemes that end with 'unix' name a unix socket. */
    urlSchemes: optional(texts('schemes of URLs')),
    /** Returns reason and remedy if a URL with a known scheme is invalid, without quoting it, since it may contain a password. */
    whyBadUrl: optional(/** @type {Method<(url: string) => string | null>} */ (method)),
    /** Settings that its start depends on; all by default. Cells that differ in other settings share a server. */
    dependsOn: optional(texts('names of settings')),
    start: /** @type {Method<(start: BrokerStart) => Promise<RunningBroker>>} */ (method),
    /** Opens a gauge before the load. Its passed() is called once: after the load, or after the warm-up of a launch in slices. */
    openGauge: optional(/** @type {Method<(url: string) => Promise<TrafficGauge>>} */ (method)),
    /** Returns the settings of a user's server that affect results, without secrets. */
    describe: optional(
      /** @type {Method<(url: string) => Promise<{ version: string, config: Record<string, string> }>>} */ (
        method
      ),
    ),
  }),
  'an object with name, whyUnavailable, start and urlSchemes',
);
/** @typedef {InferOutput<typeof Broker>} Broker */

/**
 * The traffic of a broker since its gauge was opened, excluding traffic of the gauge.
 * @typedef {object} Traffic
 * @property {number} published   messages received by the broker
 * @property {number | null} delivered   messages delivered by the broker; not a whole number if derived from bytes; null if the
 *   broker counts a batch as one message
 * @property {number} bytes   bytes sent to clients
 */

/**
 * @typedef {object} TrafficGauge
 * @property {() => Promise<Traffic>} passed
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} BrokerStart
 * @property {string} scratchDir
 * @property {Readonly<Settings>} settings   settings of the transport
 * @property {number[] | null} cpus   CPUs to which the broker is pinned; null if it is not pinned
 * @property {string} [bindAddress]   as in HostContext; for a broker that listens on a port
 * @property {AbortSignal} [signal]   aborts the start
 */

/**
 * @typedef {object} RunningBroker
 * @property {string} url   may contain a password, so it is never stored or printed
 * @property {number} pid   process id of the server, for its cost
 * @property {string} version
 * @property {Record<string, string>} config   values that differ from the server's defaults, without secrets and addresses
 * @property {Promise<string>} died   resolves with the cause if the server ends before `close`
 * @property {() => Promise<void>} close
 */

/** A transport implements both ends in one file. */
export const Transport = object({
  ...PLUGIN,
  traits: Traits,
  /** Style in charts; derived from the name by default. */
  look: optional(TransportLook),
  /** The plan skips codecs that produce anything else. */
  carries: withErrorText(pipe(array(WireKind), minLength(1)), 'a list of text, bytes, value'),
  /** Codecs that the channel implements. With them, the wire of the channel is the message itself (kind 'value'). */
  serialises: optional(texts('names of codecs')),
  /** Returns the codec that a pool uses with these settings, including defaults. Not needed if `serialises` has a single name. */
  serialisesWith: optional(/** @type {Method<(settings: Readonly<Settings>) => string>} */ (method)),
  /** Returns what happens to tasks after failures of a pool with these settings, including defaults. */
  failures: optional(/** @type {Method<(settings: Readonly<Settings>) => PoolFailures>} */ (method)),
  settings: optional(withErrorText(record(Setting), 'an object')),
  /** Returns the traits that differ from `traits` with these settings, including defaults; see lib/cell/traits.js. */
  traitsOf: optional(/** @type {Method<(settings: Readonly<Settings>) => Partial<Traits>>} */ (method)),
  /** Returns why these settings, including defaults, exclude each other, and a remedy. */
  whyImpossible: optional(/** @type {Method<(settings: Readonly<Settings>) => string | null>} */ (method)),
  broker: optional(Broker),
  /**
   * Returns reason and remedy if the transport is unavailable with these settings; without settings, with the defaults. `isGlance`: nothing
   * is measured, so packages need not be loaded.
   */
  whyUnavailable: optional(
    /** @type {Method<(settings?: Readonly<Settings>, isGlance?: boolean) => Promise<string | null>>} */ (
      method
    ),
  ),
  /** Returns the parameters for a peer that listens instead of the master. Without it, a peer cannot listen. */
  peerEnd: optional(/** @type {Method<(host: HostContext) => PeerStart>} */ (method)),
  /** Opens the listening end in the master. Resolves once workers can connect. */
  listen: /** @type {Method<(host: HostContext) => Promise<Listener>>} */ (method),
  /** Opens a connection in a worker. Resolves once the master has admitted it. A pool has no connections. */
  connect: /** @type {Method<(guest: GuestContext) => Promise<Channel>>} */ (method),
});
/** @typedef {InferOutput<typeof Transport>} Transport */
