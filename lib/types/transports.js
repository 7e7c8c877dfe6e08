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
import { Mark, method, Name, OneLine, PLUGIN, Positive, positive, record, texts, wanted } from './scalars.js';

/** @import { GenericSchema, InferOutput } from 'valibot' */
/** @import { Codec } from './messages.js' */
/** @import { Settings } from './plans.js' */
/** @import { Method } from './scalars.js' */

/**
 * One end of one conversation. Order and boundaries are kept; there is one reader, the core, which assigns both
 * handlers in the tick in which it gets the channel.
 * @typedef {object} Channel
 * @property {(wire: any) => boolean} send       returns false without room for more: then wait for `drained()`.
 *                                               The sender does not change the wire afterwards
 * @property {(wire: any) => void} onMessage     the wire is only valid until the handler returns
 * @property {(reason?: Error) => void} onClose  once, whichever end closes; nothing is held afterwards
 * @property {(codec: Pick<Codec, 'encode' | 'inPlace'>) => boolean} [carry]   returns true if it takes and gives messages from now on, and null for
 *                                               what is not a message, or false if it goes on with wires, as without `carry`
 * @property {() => Promise<void>} drained
 * @property {() => Promise<void>} close         safe to call twice
 */

/**
 * What the fork channel lets a transport do: values only. The control line shares it and listens once for both,
 * since a second listener would cost an array copy per message.
 * @typedef {object} ForkLine
 * @property {(value: object, callback?: (error: Error | null) => void) => boolean} send
 * @property {(value: any) => void} onValue      every value that is not the control line's
 * @property {() => void} onDisconnect
 * @property {(value: object, transfer: readonly any[]) => void} [transfer]   only where the worker is a thread: a value
 *                                             that may hold what is in `transfer`, such as a MessagePort, or shared memory
 */

/**
 * What both ends of a launch have.
 * @typedef {object} EndContext
 * @property {Readonly<Record<string, string | number | boolean>>} settings   checked, defaults filled in
 * @property {string} codec           name of the codec of the cell
 * @property {WireKind} wireKind      what `send` gets and `onMessage` must be given
 * @property {number} maxMessageBytes largest legitimate message on the wire; more is a violation
 * @property {string} token           the launch's secret: 32 hexadecimal digits. What joins without it is an unauthenticated peer
 * @property {string} launchId        unique among all runs; 1 to 24 characters of [0-9a-z]
 * @property {string | null} brokerUrl    null for transports without a broker
 * @property {boolean} [isPublished]      the master sends to all workers at once, and each worker subscribes
 * @property {SharedQueue | null} [sharedQueue]   set if the master sends to a queue, each message of which goes to one worker. A worker has
 *                                    finished a message when its `onMessage` returns
 * @property {boolean} [isBrokerOurs]     the broker and its contents end with the run. Otherwise it may be the user's
 */

/**
 * @typedef {object} HostRole
 * @property {string} scratchDir      private (0700), short, removed by the runner
 * @property {string} [bindAddress]   address of this host, IPv4 or IPv6, 127.0.0.1 by default. Transports with reach 'network' listen on it alone,
 *                                    and workers on other hosts connect to it. See `bindAddressOf` of the kit
 * @property {number} workers         number of workers that will connect, more than once if they reconnect
 * @property {(channel: Channel, workerId: string) => void} onChannel   called for each authenticated worker
 * @property {(what: string) => void} onRejected    called for each peer that was turned away
 * @property {(error: Error) => void} onError       the listener itself is broken: the launch fails
 */

/** @typedef {EndContext & HostRole} HostContext */

/**
 * @typedef {object} GuestRole
 * @property {string} address         as `listen` gave it
 * @property {string} workerId        'w0', 'w1', ...; of a further connection of w0 'w0c1', 'w0c2', ...
 * @property {number} [workers]       number of workers of the launch, which share the CPUs while they connect; few by default
 * @property {ForkLine} line
 */

/** @typedef {EndContext & GuestRole} GuestContext */

/**
 * @typedef {object} Listener
 * @property {string} address                      reaches `connect` unchanged
 * @property {ForkWishes} [fork]                   how its workers are to be started
 * @property {(line: ForkLine, workerId: string, streams: WorkerStreams) => void} [adopt]   for transports that ride on what
 *                                                 the start of a worker makes: the fork channel, stdin and stdout
 * @property {() => Pick<Channel, 'send' | 'drained'>} [publisher]   one way to all workers that have joined: see `publishes`
 * @property {() => Pick<Channel, 'send' | 'drained'>} [queue]   one way to whichever worker takes it: see `queues`
 * @property {TaskPool} [pool]                     of a transport that starts its workers itself: see `startsWorkers`
 * @property {() => Promise<void>} close           no file, port, topic or timer remains; safe to call twice
 */

/**
 * Workers that a library starts, and to which it gives tasks.
 * @typedef {object} TaskPool
 * @property {(task: { id: number, payload: string }, signal?: AbortSignal) => Promise<{ payload: string, workUs?: number }>} run   resolves with
 *                                                 the result of a worker, and rejects if the pool reports a failure; signal: cancels the task, if
 *                                                 the library can
 */

/** @typedef {'done' | 'rejected' | 'hung'} TaskFate   hung: neither */

/**
 * What becomes of tasks when something fails, as the conformance suite finds it.
 * @typedef {object} PoolFailures
 * @property {TaskFate} throws        of a task that throws an error
 * @property {TaskFate} crashes       of one whose worker dies of an uncaught error
 * @property {TaskFate} exits         of one whose worker calls process.exit()
 * @property {TaskFate} others        of those that were submitted to the same worker before it died
 * @property {TaskFate} later         of those that are submitted afterwards
 * @property {'running' | 'waiting' | 'none'} cancels   by an AbortSignal or the library's own method. running: running tasks too, by ending the
 *                                    worker; waiting: only tasks that no worker has yet
 * @property {'rejected' | 'none'} fullQueue   of a task without room; 'none' if the queue has no limit
 */

/**
 * @typedef {object} ForkWishes
 * @property {'json' | 'advanced'} [serialization]   of the fork channel
 * @property {true} [stdio]                        stdin and stdout are the transport's; without it a worker has neither
 * @property {true} [thread]                       workers are threads of the master (node:worker_threads), not processes
 */

/**
 * The master's ends of a worker's stdin and stdout; null without `fork.stdio`.
 * @typedef {{ stdin: import('node:stream').Writable, stdout: import('node:stream').Readable } | null} WorkerStreams
 */

/**
 * Where a program in another language listens, docs/extending.md.
 * @typedef {object} PeerPlace
 * @property {Record<string, string | number | boolean>} order   sent to the peer besides the common fields: names and values without nesting
 * @property {(listening: { port?: number }) => string} address   for `connect`, once the peer listens
 * @property {ForkWishes} [fork]                   how to start workers; with `stdio` the peer receives their streams
 * @property {() => Promise<void>} [cleanUp]       removes the files of a peer that was killed
 */

/** What may vary in a transport or a scenario: `unix:flush=tick`. */
export const Setting = object({
  summary: OneLine,
  /** Its type is the type of the setting. */
  default: wanted(union([string(), number(), boolean()]), 'a string, number or boolean'),
  choices: optional(wanted(array(union([string(), number()])), 'a list of texts or numbers')),
  min: optional(wanted(number(), 'a number')),
  max: optional(wanted(number(), 'a number')),
  unit: optional(OneLine),
  /** Its value is a text of numbers, as '1+10+100'. */
  isList: Mark,
  /** Of a number, which is whole without this. */
  takesFractions: Mark,
  /** For a scenario: charts show its values side by side, so that labels always have it. */
  isQuantity: Mark,
  /** It is about a server that is started for the run: beside the URL of another one it is refused. */
  ofPrivateServer: Mark,
  /**
   * Messages take another route, and are not only faster or slower: the conformance suite tests each choice. A list names the choices
   * that prove the others too.
   */
  changesRoute: optional(
    wanted(union([literal(true), array(union([string(), number()]))]), 'true or a list'),
  ),
  /** The listener differs as well, or how messages are cut: the suite tests unauthenticated peers, bulk and reconnecting with each choice. */
  changesListener: Mark,
});
/** @typedef {InferOutput<typeof Setting>} Setting */

/** The name of a setting, and most messages that wait for their acknowledgement, while the next ones wait for room. */
export const AcknowledgementWindow = wanted(
  object({ setting: Name, messages: Positive }),
  'the name of a setting and a number of messages above 0',
);

/** How often a job is done if its worker dies. */
export const QueuePromise = picklist(['at most once', 'at least once']);
/** @typedef {InferOutput<typeof QueuePromise>} QueuePromise */

/** @typedef {{ prefetch: number }} SharedQueue   prefetch: most open jobs of each worker */

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
  /** network: workers on other hosts reach the address; see HostRole.bindAddress. */
  reach: picklist(['host', 'network']),
  /** request-reply: the master answers each request once, in the order of their arrival, and sends nothing else. */
  direction: picklist(['duplex', 'one-way', 'request-reply']),
  /** Delivery guarantee in a few words. */
  guarantee: OneLine,
  /** Of a broker: what it has accepted survives its end only on disk. */
  durability: optional(picklist(['memory', 'disk'])),
  /** Messages may overtake each other; without it order is kept. */
  order: optional(wanted(literal('free'), 'free')),
  /** Messages may get lost while both ends live; without it none does. */
  loss: optional(wanted(literal('possible'), 'possible')),
  /** Processes busy-wait for messages, at a core each; without it they sleep. */
  isSpinning: Mark,
  /** Of the system, by which its bytes come from one process to the other; without it, --floor has no native baseline. */
  mechanism: optional(picklist(['pipe', 'unix', 'tcp', 'memory'])),
  /** Messages that are sent in one go leave in one write; without it, each in its own. */
  coalesces: Mark,
  /** One message of the master can reach all workers: its listener has a `publisher`. */
  publishes: Mark,
  /** All workers can take jobs from one queue, and its listener has a `queue`. The value is its promise for jobs that a dead worker had taken. */
  queues: optional(QueuePromise),
  /** How long a worker of such a queue may take for a job before other workers claim it. */
  claimsAfterMs: optional(positive),
  /** Between a process and the broker. Without it, nothing is acknowledged, or any number of messages may be unacknowledged. */
  acknowledgementWindow: optional(AcknowledgementWindow),
  /** A worker may disconnect and connect again, and have several connections; without it, it connects once. */
  reconnects: Mark,
  /**
   * Channels are made of what the start of a worker creates (see Listener.fork and adopt), so that workers have to be children or threads
   * of the master.
   */
  usesForkHandles: Mark,
  /** It is a pool: a library starts the workers and gives them tasks, so there are no channels. */
  startsWorkers: Mark,
  /** The master has to respond within the handler of the request; without it, it may do so later. */
  answersAtOnce: Mark,
  /** A message takes a process, a file or a disk: milliseconds. Suites send fewer. */
  isCostly: Mark,
  /** Infinity if only memory limits it. */
  greatestMessageBytes: wanted(positive, 'a number above 0, or Infinity'),
  platforms: texts('names of process.platform'),
  broker: wanted(nullable(OneLine), 'its name, or null'),
  /** The packages that it imports. */
  packages: optional(texts('names of npm packages')),
  /** Upstream documentation of the settings used. */
  sources: texts('links'),
  /** Messages that a broker receives, and delivers as often. Without it, the number is unknown. */
  messagesPerRoundTrip: optional(positive),
});
/** @typedef {InferOutput<typeof Traits>} Traits */

// A server that a transport needs: how it is found, started, reached and read.

/** The names of the packages of a server. */
const SystemPackages = wanted(
  record(string()),
  'names by the program that installs them: apt, dnf, apk, pacman, zypper, brew, winget',
);
/** @typedef {Partial<Record<'apt' | 'dnf' | 'apk' | 'pacman' | 'zypper' | 'brew' | 'winget', string>>} SystemPackages */

/** A server that a transport needs, started by the runner for the run. */
export const Broker = wanted(
  object({
    name: OneLine,
    /** Reason and remedy when no server is found to start, with such settings of the transport or, without, with any. `isGlance`: as of a transport. */
    whyUnavailable:
      /** @type {Method<(settings?: Readonly<Settings>, isGlance?: boolean) => Promise<string | undefined>>} */ (
        method
      ),
    /** One of these is to be installed where none is found. */
    packages: optional(/** @type {GenericSchema<SystemPackages>} */ (SystemPackages)),
    /** Of URLs that it can be given instead, as 'amqp'; those with 'unix' or '+unix' at their end name a unix socket. */
    urlSchemes: optional(texts('schemes of URLs')),
    /** Reason and remedy, of a URL with a known scheme; quotes nothing of it, since it may hold a password. */
    whyBadUrl: optional(/** @type {Method<(url: string) => string | undefined>} */ (method)),
    /** Settings of the transport that its start depends on: cells that differ in others share one; without it, all. */
    dependsOn: optional(texts('names of settings')),
    start: /** @type {Method<(place: BrokerPlace) => Promise<RunningBroker>>} */ (method),
    /** To be read in the master, before and after the load. */
    openGauge: optional(/** @type {Method<(url: string) => Promise<TrafficGauge>>} */ (method)),
    /** Of a server of the user: the settings that change numbers, without secrets. */
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
 * The traffic of a broker since its gauge was opened, without that of the gauge itself.
 * @typedef {object} Traffic
 * @property {number} published           messages that it received
 * @property {number | null} delivered    messages that it delivered; not a whole number if derived from bytes; null if it counts a batch as one
 * @property {number} bytes               that it sent to its clients
 */

/**
 * @typedef {object} TrafficGauge
 * @property {() => Promise<Traffic>} passed
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} BrokerPlace
 * @property {string} scratchDir
 * @property {Readonly<Settings>} settings   of the transport
 * @property {number[] | null} cpus        to pin it to, or null
 * @property {string} [bindAddress]        as in HostContext, for a broker that listens on a port
 * @property {AbortSignal} [signal]        ends a start that takes seconds
 */

/**
 * @typedef {object} RunningBroker
 * @property {string} url                  may hold a password: never stored or printed
 * @property {number} pid                  of the server itself, for its cost
 * @property {string} version
 * @property {Record<string, string>} config    what differs from the server's defaults, without secrets
 * @property {Promise<string>} died        resolves with the cause when it ends before `close`
 * @property {() => Promise<void>} close
 */

/** One file, both ends. */
export const Transport = object({
  ...PLUGIN,
  traits: Traits,
  /** In charts; without it, one that follows from its name. */
  look: optional(TransportLook),
  /** The plan skips codecs that produce anything else. */
  carries: wanted(pipe(array(WireKind), minLength(1)), 'a list of text, bytes, value'),
  /** Codecs that the channel itself does: with them it is given 'value', the message. */
  serialises: optional(texts('names of codecs')),
  /** Which of them a pool uses with such settings, all filled in; without it, the only one. */
  serialisesWith: optional(/** @type {Method<(settings: Readonly<Settings>) => string>} */ (method)),
  /** Of a pool with such settings, all filled in. */
  failures: optional(/** @type {Method<(settings: Readonly<Settings>) => PoolFailures>} */ (method)),
  settings: optional(wanted(record(Setting), 'an object')),
  /** What differs from `traits` with such settings, all filled in; see lib/cell/traits.js. */
  traitsOf: optional(/** @type {Method<(settings: Readonly<Settings>) => Partial<Traits>>} */ (method)),
  /** Why such settings, all filled in, do not go together, and what would. */
  whyImpossible: optional(
    /** @type {Method<(settings: Readonly<Settings>) => string | undefined>} */ (method),
  ),
  broker: optional(Broker),
  /**
   * Reason and remedy with such settings, all filled in; without: with the defaults. `isGlance`: nothing is measured, so that no
   * package needs to be loaded for it.
   */
  whyUnavailable: optional(
    /** @type {Method<(settings?: Readonly<Settings>, isGlance?: boolean) => Promise<string | undefined>>} */ (
      method
    ),
  ),
  /** What a peer gets that listens in the place of the master; without it none can. */
  peerEnd: optional(/** @type {Method<(host: HostContext) => PeerPlace>} */ (method)),
  /** In the master. */
  listen: /** @type {Method<(host: HostContext) => Promise<Listener>>} */ (method),
  /** In a worker. */
  connect: /** @type {Method<(guest: GuestContext) => Promise<Channel>>} */ (method),
});
/** @typedef {InferOutput<typeof Transport>} Transport */
