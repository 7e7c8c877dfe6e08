// What executes a role of a launch: this Node, another Node, Bun, Deno, or a program in another language.

/** @import { Role, Scenario } from './scenarios.js' */

/** @import { Transport } from './transports.js' */

/**
 * Where a program is looked for, the first place first.
 * @typedef {object} SearchPlaces
 * @property {readonly string[]} own       folders that the user named: of programs, of packages, of versions
 * @property {readonly string[]} path      folders of PATH
 * @property {readonly string[]} packages  folders of installed packages: node_modules
 */

/**
 * One that was found.
 * @typedef {object} FoundRuntime
 * @property {Runtime} runtime
 * @property {string} name         as cells write it: 'bun', 'node@22', 'node --jitless'
 * @property {string} path         of its program
 * @property {string} version      '22.23.3'
 * @property {string[]} [flags]    of its command line, as asked for; absent: none
 * @property {Peer} [peer]         of one that speaks names
 */

/**
 * How a process is started: `command ...args MODULE`.
 * @typedef {object} Program
 * @property {string} command
 * @property {string[]} args
 * @property {boolean} sharesClock   with the controller of the launch
 */

/**
 * One process of a cell, for a runtime that may not be able to play it.
 * @typedef {object} Part
 * @property {Role} role
 * @property {Transport} transport
 * @property {Readonly<Record<string, string | number | boolean>>} settings   all of the transport's
 * @property {string} codec             its name
 * @property {Scenario} scenario
 * @property {readonly FoundRuntime[]} ends   of all roles, its own included
 */

/** @typedef {{ platform: string, arch: string, isMusl?: boolean }} Machine   isMusl: the C library of Alpine Linux */

/**
 * A runtime is a file of its name in lib/runtimes/, or a folder of its name.
 * @typedef {object} Runtime
 * @property {string} name
 * @property {string} summary
 * @property {'modules' | 'names'} speaks   modules: it runs the modules of this program; names: it is a program of its own that
 *                                        knows transports, codecs and scenarios by their names
 * @property {true} [hasSystemClock]      process.hrtime is the clock of the machine; absent: it begins with the process
 * @property {true} [tiersUpEarly]        --tier-up changes how it starts; absent: it compiles as it does by itself
 * @property {(version?: string, machine?: Machine) => string} remedy   how to get it, as an order: 'npm i bun'; machine: absent: this one
 * @property {(places: SearchPlaces) => string[] | Promise<string[]>} find   programs that may be it, the best first
 * @property {(start: { version: string, path: string, tierUp?: 'early' | 'usual' }) => string[]} args   that stand before a module
 * @property {string} [versionWord]       that its program is asked for its version with; absent: --version
 * @property {(path: string) => Promise<Pick<PeerProgram, 'command' | 'args'>>} [peer]   of one that speaks names: the program that plays, made with
 *                                        what was found
 * @property {(part: Part) => string | null} [skipReason]   why it cannot play this part
 */

/**
 * Which runtimes play a cell.
 * @typedef {object} RuntimeChoice
 * @property {string} [runtime]          as the cell writes it: 'bun', 'master:node@22+worker:bun'; absent: this Node
 * @property {FoundRuntime | null} every      of all roles that have none of their own; null: this Node
 * @property {Readonly<Record<string, FoundRuntime>>} byRole
 * @property {string | null} unavailable      reason and remedy; null: all of them were found
 */

// A program in another language that plays a role, and the words that it says.

/** @typedef {{ name: string, command: string, args: string[] }} PeerProgram */
/**
 * @typedef {object} PeerHello
 * @property {'hello'} control
 * @property {number} protocol
 * @property {string} runtime      what it is written in: 'go'
 * @property {string} version      of its compiler or its interpreter
 * @property {string[]} transports   that it knows, by name
 * @property {string[]} codecs
 * @property {string[]} scenarios
 * @property {Record<string, string[]>} [settings]   of transports: all values that it knows of each; others have to be as usual
 */
/** @typedef {{ control: 'listening', port?: number, nowMs: number }} PeerListening   nowMs: of the clock that all processes of the host share */
/** @typedef {{ control: 'count', operations: number, undecodable: number, rejectedConnections: number }} PeerCount   so far */
/**
 * @typedef {object} TakenStream
 * @property {number} taken
 * @property {number} wrong        of another payload than should have come
 * @property {number} outOfOrder   of another number
 * @property {[count: number, ms: number][]} [sightings]   when messages were seen
 */
/** @typedef {Omit<PeerCount, 'control'> & { control: 'report', atOpen?: number, bins?: number[], streams?: Record<string, TakenStream> }} PeerReport */
/** @typedef {{ control: 'failed', message: string }} PeerFailure */
/** @typedef {PeerHello | PeerListening | PeerCount | PeerReport | PeerFailure} PeerWord */
/** @typedef {{ program: PeerProgram, hello: PeerHello }} Peer   with what it says of itself */

export {};
