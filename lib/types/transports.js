// A transport, its channels, its broker, and what it is told at either end of a launch.

/** @import { Name, Positive } from './scalars.js' */
/** @import { TransportLook } from './reports.js' */

/** @import { Codec, WireKind } from './messages.js' */

/**
 * One end of one conversation. Order and boundaries are kept; there is one reader, the core, which assigns both
 * handlers in the tick in which it gets the channel.
 * @typedef {object} Channel
 * @property {(wire: any) => boolean} send       false: wait for `drained()` before sending more.
 *                                               The sender does not change the wire afterwards
 * @property {(wire: any) => void} onMessage     the wire is only valid until the handler returns
 * @property {(reason?: Error) => void} onClose  once, whichever end closes; nothing is held afterwards
 * @property {(codec: Pick<Codec, 'encode' | 'inPlace'>) => boolean} [carry]   true: from now on it is sent messages, and gives messages, or null
 *                                               for what is none; absent, or false: it goes on with wires
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
 * What both ends know.
 * @typedef {object} EndContext
 * @property {Readonly<Record<string, string | number | boolean>>} settings   checked, defaults filled in
 * @property {string} codec           name of the codec of the cell
 * @property {WireKind} wireKind      what `send` gets and `onMessage` must be given
 * @property {number} maxMessageBytes largest legitimate message on the wire; more is a violation
 * @property {string} token           the launch's secret: 32 hexadecimal digits. What joins without it is an unauthenticated peer
 * @property {string} launchId        unique among all runs; 1 to 24 characters of [0-9a-z]
 * @property {string | null} brokerUrl    where the broker is, for transports that have one
 * @property {boolean} [isPublished]      what the master sends goes to all workers at once: they hear what is published for all
 * @property {SharedQueue | null} [sharedQueue]   what the master sends goes to a queue, and each message to one of the workers that take from
 *                                    it; a worker has done with one when its `onMessage` returns; absent, or null: there is none
 * @property {boolean} [isBrokerOurs]     it ends with the run, and all that is in it; absent: as good as a user's own
 */

/**
 * @typedef {object} HostRole
 * @property {string} scratchDir      private (0700), short, removed by the runner
 * @property {string} [bindAddress]   address of this host, IPv4 or IPv6: what has reach 'network' listens at it and at nothing else, and its
 *                                    address leads there from other hosts; absent: 127.0.0.1. See `bindAddressOf` of the kit
 * @property {number} workers         how many will connect; where they can connect again, more than once
 * @property {(channel: Channel, workerId: string) => void} onChannel   a worker proved that it belongs here
 * @property {(what: string) => void} onRejected    somebody else knocked and was turned away
 * @property {(error: Error) => void} onError       the listener itself is broken: the launch fails
 */

/** @typedef {EndContext & HostRole} HostContext */

/**
 * @typedef {object} GuestRole
 * @property {string} address         as `listen` gave it
 * @property {string} workerId        'w0', 'w1', ...; of a further connection of w0 'w0c1', 'w0c2', ...
 * @property {number} [workers]       how many connect in this launch, and take turns on the CPUs meanwhile; absent: few
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
 * Workers that a library starts and gives tasks to.
 * @typedef {object} TaskPool
 * @property {(task: { id: number, payload: string }, signal?: AbortSignal) => Promise<{ payload: string, workUs?: number }>} run   resolves with
 *                                                 what a worker returned, and rejects where the pool says that it failed; signal: cancels the
 *                                                 task, where the library can
 */

/** @typedef {'done' | 'rejected' | 'hung'} TaskFate   hung: neither */

/**
 * What becomes of tasks where something fails: as the conformance suite finds it.
 * @typedef {object} PoolFailures
 * @property {TaskFate} throws        of a task that throws an error
 * @property {TaskFate} crashes       of one whose worker dies of an error that nobody catches
 * @property {TaskFate} exits         of one whose worker calls process.exit()
 * @property {TaskFate} others        of those that were submitted before the worker died, where it had them as well
 * @property {TaskFate} later         of those that are submitted afterwards
 * @property {'running' | 'waiting' | 'none'} cancels   by an AbortSignal, or as the library calls it; running: those as well, by ending the worker;
 *                                    waiting: those alone that no worker has yet
 * @property {'rejected' | 'none'} fullQueue   of a task that has no room; none: the queue has no limit
 */

/**
 * @typedef {object} ForkWishes
 * @property {'json' | 'advanced'} [serialization]   of the fork channel
 * @property {true} [stdio]                        stdin and stdout are the transport's; without it a worker has neither
 * @property {true} [thread]                       workers are threads of the master (node:worker_threads), not processes
 */

/**
 * The master's ends of a worker's stdin and stdout; null unless `fork.stdio` was asked for.
 * @typedef {{ stdin: import('node:stream').Writable, stdout: import('node:stream').Readable } | null} WorkerStreams
 */

/**
 * Where a program in another language listens, docs/extending.md.
 * @typedef {object} PeerPlace
 * @property {Record<string, string | number | boolean>} order   beside what every peer is told: names and values without nesting
 * @property {(listening: { port?: number }) => string} address   that reaches `connect`, once it listens
 * @property {ForkWishes} [fork]                   how workers are to be started; with `stdio` it is handed their streams
 * @property {() => Promise<void>} [cleanUp]       removes what a peer that was killed has left
 */

/**
 * What may vary in a transport: `unix:flush=tick`.
 * @typedef {object} Setting
 * @property {string} summary
 * @property {string | number | boolean} default    its type is the type of the setting
 * @property {(string | number)[]} [choices]
 * @property {number} [min]
 * @property {number} [max]
 * @property {string} [unit]
 * @property {true} [isList]          its value is a text of numbers, as '1+10+100'
 * @property {true} [takesFractions]  of a number; absent: whole ones only
 * @property {true} [isQuantity]       of a scenario's: its values are drawn side by side, so that a label always says it
 * @property {true} [ofPrivateServer]   it is about a server that is started for the run: beside the URL of another one it
 *                                  is refused
 * @property {true | (string | number)[]} [changesRoute]   messages take another route, and are not only faster or slower: the
 *                                  conformance suite tests each choice. A list names the choices that prove the others too
 * @property {true} [changesListener]   the listener differs as well, or how messages are cut: the suite tests unauthenticated peers,
 *                                  bulk and reconnecting with each choice
 */

/** @typedef {{ setting: Name, messages: Positive }} AcknowledgementWindow   setting: its name; messages: most that wait for their acknowledgement, while the next ones wait for room */
/** @typedef {'at most once' | 'at least once'} QueuePromise   how often a job is done whose worker dies */
/** @typedef {{ prefetch: number }} SharedQueue   from which all workers take jobs: of each, most that it has not done yet */

/**
 * @typedef {object} Traits
 * @property {'pipe' | 'socket' | 'memory' | 'brokerless' | 'broker' | 'rpc' | 'thread' | 'inline' | 'thread-pool' | 'process-pool'} class
 * @property {'host' | 'network'} reach    network: workers on other hosts reach the address; see HostRole.bindAddress
 * @property {'duplex' | 'one-way' | 'request-reply'} direction   request-reply: the master answers each question once, in
 *                                         the order in which it hears them, and says nothing unasked
 * @property {string} guarantee            delivery guarantee in a few words
 * @property {'memory' | 'disk'} [durability]   of a broker: what it has accepted survives its end only on disk
 * @property {'free'} [order]              messages may overtake each other; absent: order is kept
 * @property {'possible'} [loss]           messages may get lost while both ends live; absent: none does
 * @property {true} [isSpinning]           processes busy-wait for messages, at a core each; absent: they sleep
 * @property {'pipe' | 'unix' | 'tcp' | 'memory'} [mechanism]   of the system, by which its bytes come from one process to the other; absent:
 *                                         another one, or several, and --floor has nothing to hold it against
 * @property {true} [coalesces]            messages that are sent in one go leave in one write; absent: each in its own
 * @property {true} [publishes]             one message of the master can reach all workers: its listener has a `publisher`; absent:
 *                                         it sends to each
 * @property {QueuePromise} [queues]        all workers can take from one queue: its listener has a `queue`. What it promises of messages that a
 *                                         worker took and had not done with when it died; absent: there is none
 * @property {number} [claimsAfterMs]       of such a queue: so long may a worker take for the jobs that it has before others take them from it
 * @property {AcknowledgementWindow} [acknowledgementWindow]   on a way between a process and the broker; absent: nothing is acknowledged, or
 *                                         any number of messages may wait for that
 * @property {true} [reconnects]            a worker may hang up and connect again, and more than once at a time; absent: it connects once
 * @property {true} [usesForkHandles]      channels are made of what the start of a worker creates (see Listener.fork and adopt), so that
 *                                         workers have to be children or threads of the master
 * @property {true} [startsWorkers]        it is a pool: a library starts the workers and gives them tasks, so that it has no channels; absent:
 *                                         the launch starts them
 * @property {true} [answersAtOnce]        the master has to answer a question while it hears it; absent: it may do so later
 * @property {true} [isCostly]             a message takes a process, a file or a disk: milliseconds. Suites send fewer
 * @property {number} greatestMessageBytes Infinity where only memory limits it
 * @property {string[]} platforms          of process.platform
 * @property {string | null} broker        its name, or null
 * @property {string[]} [packages]         npm packages that it imports
 * @property {string[]} sources            upstream documentation for the settings used (M-46)
 * @property {number} [messagesPerRoundTrip]   that a broker is given, and as many it delivers; absent: not to be told
 */

/**
 * One file, both ends.
 * @typedef {object} Transport
 * @property {string} name                 the file's own name
 * @property {string} summary
 * @property {Traits} traits
 * @property {TransportLook} [look]        in charts; absent: one that follows from its name
 * @property {WireKind[]} carries          the plan skips codecs that produce anything else
 * @property {string[]} [serialises]       codecs that the channel itself does: with them it is given 'value', the message
 * @property {(settings: Readonly<Record<string, string | number | boolean>>) => string} [serialisesWith]   which of them a pool uses with such
 *                                         settings, all filled in; absent: the only one
 * @property {(settings: Readonly<Record<string, string | number | boolean>>) => PoolFailures} [failures]   of a pool with such settings, all filled in
 * @property {Record<string, Setting>} [settings]
 * @property {(settings: Readonly<Record<string, string | number | boolean>>) => Partial<Traits>} [traitsOf]   what differs
 *                                         from `traits` with such settings, all filled in; see lib/cell/traits.js
 * @property {(settings: Readonly<Record<string, string | number | boolean>>) => string | undefined} [whyImpossible]   why such
 *                                         settings, all filled in, do not go together, and what would
 * @property {Broker} [broker]
 * @property {(settings?: Readonly<Record<string, string | number | boolean>>, isGlance?: boolean) => Promise<string | undefined>} [whyUnavailable]
 *                                         reason and remedy with such settings, all filled in; without: with the defaults.
 *                                         `isGlance`: nothing is measured, so that no package needs to be loaded for it
 * @property {(host: HostContext) => PeerPlace} [peerEnd]   what a peer is told that listens in the place of the master; absent: none can
 * @property {(host: HostContext) => Promise<Listener>} listen      in the master
 * @property {(guest: GuestContext) => Promise<Channel>} connect    in a worker
 */

// A server that a transport needs: how it is found, started, reached and read.

/**
 * How the package of a server is called, by the program that installs it; absent: it is not among its packages.
 * @typedef {Partial<Record<'apt' | 'dnf' | 'apk' | 'pacman' | 'zypper' | 'brew' | 'winget', string>>} SystemPackages
 */

/**
 * A server that a transport needs, started by the runner for the run.
 * @typedef {object} Broker
 * @property {string} name
 * @property {(settings?: Readonly<Record<string, string | number | boolean>>, isGlance?: boolean) => Promise<string | undefined>} whyUnavailable
 *                                         `isGlance`: as of a transport; reason and remedy when no server is found to start, with such settings of the
 *                                         transport or, without, with any
 * @property {SystemPackages} [packages]   of which one is to be installed where none is found
 * @property {string[]} [urlSchemes]       of URLs that it can be given instead, as 'amqp'; those with 'unix' or '+unix' at
 *                                         their end name a unix socket
 * @property {(url: string) => string | undefined} [whyBadUrl]   reason and remedy, of a URL with a known scheme; quotes
 *                                         nothing of it, since it may hold a password
 * @property {string[]} [dependsOn]        settings of the transport that its start depends on: cells that differ in others
 *                                         share one; absent: all
 * @property {(place: BrokerPlace) => Promise<RunningBroker>} start
 * @property {(url: string) => Promise<TrafficGauge>} [openGauge]   to be read in the master, before and after the load
 * @property {(url: string) => Promise<{ version: string, config: Record<string, string> }>} [describe]   one that is not
 *                                         ours: the settings that change numbers, without secrets
 */

/**
 * What has passed a broker since its gauge was opened, without what asking for it took.
 * @typedef {object} Traffic
 * @property {number} published           messages that it was given
 * @property {number | null} delivered    messages that it handed on; may be derived from bytes, and then no whole number;
 *                                        null: it counts what it handed on in one go as one
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
 * @property {Readonly<Record<string, string | number | boolean>>} settings   of the transport
 * @property {number[] | null} cpus        to be pinned to; null: free
 * @property {string} [bindAddress]        as of a HostContext: what listens on a port listens there; absent: 127.0.0.1
 * @property {AbortSignal} [signal]        a start that takes seconds is given up
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

export {};
