// A server that a transport needs: how it is found, started, reached and read.

/**
 * How the package of a server is called, by the program that installs it; absent: it is not among its packages.
 * @typedef {Partial<Record<'apt' | 'dnf' | 'apk' | 'pacman' | 'zypper' | 'brew', string>>} SystemPackages
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
