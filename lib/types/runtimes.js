// What executes a role of a launch: this Node, another Node, Bun, Deno, or a program in another language.

import { object, optional, picklist } from 'valibot';
import { Mark, method, OneLine, PLUGIN } from './scalars.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Method } from './scalars.js' */
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
 * @property {string[]} [flags]    of its command line
 * @property {Peer} [peer]         of a runtime that is a peer
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

/** A runtime is a file of its name in lib/runtimes/, or a folder of its name. */
export const Runtime = object({
  ...PLUGIN,
  /** modules: it runs the modules of this program. names: it is a program of its own, and implements transports, codecs and scenarios by name. */
  speaks: picklist(['modules', 'names']),
  /** process.hrtime is the clock of the machine; without it, that begins with the process. */
  hasSystemClock: Mark,
  /** --tier-up changes how it starts. */
  tiersUpEarly: Mark,
  /** How to install it, as a command: 'npm i bun'; without a machine, on this one. */
  remedy: /** @type {Method<(version?: string, machine?: Machine) => string>} */ (method),
  /** Programs that may be it, the best first. */
  find: /** @type {Method<(places: SearchPlaces) => string[] | Promise<string[]>>} */ (method),
  /** That stand before a module. */
  args: /** @type {Method<(start: { version: string, path: string, tierUp?: 'early' | 'usual' }) => string[]>} */ (
    method
  ),
  /** The argument that prints the version of its program; without it, --version. */
  versionWord: optional(OneLine),
  /** Of one that speaks names: the program that plays, made with what was found. */
  peer: optional(
    /** @type {Method<(path: string) => Promise<Pick<PeerProgram, 'command' | 'args'>>>} */ (method),
  ),
  /** Why it cannot play this part. */
  skipReason: optional(/** @type {Method<(part: Part) => string | null>} */ (method)),
});
/** @typedef {InferOutput<typeof Runtime>} Runtime */

/**
 * The runtimes of a cell.
 * @typedef {object} RuntimeChoice
 * @property {string} [runtime]          as the cell has it: 'bun', 'master:node@22+worker:bun'; this Node by default
 * @property {FoundRuntime | null} every      of all roles without one of their own; null for this Node
 * @property {Readonly<Record<string, FoundRuntime>>} byRole
 * @property {string | null} unavailable      reason and remedy, or null if all were found
 */

// A peer: a program in another language that plays a role, and its messages.

/** @typedef {{ name: string, command: string, args: string[] }} PeerProgram */
/**
 * @typedef {object} PeerHello
 * @property {'hello'} control
 * @property {number} protocol
 * @property {string} runtime      its language: 'go'
 * @property {string} version      of its compiler or its interpreter
 * @property {string[]} transports   that it implements
 * @property {string[]} codecs
 * @property {string[]} scenarios
 * @property {Record<string, string[]>} [settings]   of its transports, with all values that it supports. Other settings need their defaults
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
/** @typedef {{ program: PeerProgram, hello: PeerHello }} Peer */
