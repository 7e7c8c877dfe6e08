// Runtimes, which execute roles of a launch: this Node, another Node, Bun, Deno, or a program in another language.

import { object, optional, picklist } from 'valibot';
import { method, OneLine, OptionalTrue, PLUGIN } from './scalars.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Method } from './scalars.js' */
/** @import { Role, Scenario } from './scenarios.js' */

/** @import { Transport } from './transports.js' */

/**
 * Folders in which a program is searched, in this order.
 * @typedef {object} SearchPaths
 * @property {readonly string[]} own   folders named by the user, which contain programs, packages or versions
 * @property {readonly string[]} path   folders of PATH
 * @property {readonly string[]} packages   node_modules folders
 */

/**
 * A runtime that was found.
 * @typedef {object} FoundRuntime
 * @property {Runtime} runtime
 * @property {string} name   name in cells: 'bun', 'node@22', 'node --jitless'
 * @property {string} path   path of the program
 * @property {string} version   '22.23.3'
 * @property {string[]} [flags]   flags on its command line
 * @property {Peer} [peer]   set if the runtime is a peer
 */

/**
 * How a process is started: `command ...args MODULE`.
 * @typedef {object} Program
 * @property {string} command
 * @property {string[]} args
 * @property {boolean} sharesClock   whether it shares the clock of the controller
 */

/**
 * One process of a cell, for which a runtime may give a skip reason.
 * @typedef {object} ProcessPart
 * @property {Role} role
 * @property {Transport} transport
 * @property {Readonly<Record<string, string | number | boolean>>} settings   all settings of the transport
 * @property {string} codec   name of the codec
 * @property {Scenario} scenario
 * @property {readonly FoundRuntime[]} ends   runtimes of all roles, including this one
 */

/** @typedef {{ platform: string, arch: string, isMusl?: boolean }} Machine   isMusl: uses musl, the C library of Alpine Linux */

/** A runtime is a file or a folder of that name in lib/runtimes/. */
export const Runtime = object({
  ...PLUGIN,
  /** 'modules': runs the modules of this program. 'names': a separate program that implements transports, codecs and scenarios by name. */
  protocol: picklist(['modules', 'names']),
  /** process.hrtime() is the clock of the machine. Otherwise process.hrtime() starts with the process. */
  hasSystemClock: OptionalTrue,
  /** --tier-up applies: processes of the runtime set a V8 flag that optimises code after fewer calls. */
  tiersUpEarly: OptionalTrue,
  /** Returns a command that installs it, such as 'npm i bun'; by default for this machine. */
  remedy: /** @type {Method<(version?: string, machine?: Machine) => string>} */ (method),
  /** Returns paths of candidates, the best first. */
  find: /** @type {Method<(searchPaths: SearchPaths) => string[] | Promise<string[]>>} */ (method),
  /** Returns the arguments before the module. */
  args: /** @type {Method<(start: { version: string, path: string }) => string[]>} */ (method),
  /** The argument that prints the version; --version by default. */
  versionFlag: optional(OneLine),
  /** Returns the peer program, built or run with the found program. For runtimes with the protocol 'names'. */
  peer: optional(
    /** @type {Method<(path: string) => Promise<Pick<PeerProgram, 'command' | 'args'>>>} */ (method),
  ),
  /** Returns why the runtime cannot run this process of a cell, or null. */
  skipReason: optional(/** @type {Method<(part: ProcessPart) => string | null>} */ (method)),
});
/** @typedef {InferOutput<typeof Runtime>} Runtime */

/**
 * The runtimes of a cell.
 * @typedef {object} RuntimeChoice
 * @property {string} [runtime]   value in the cell, 'bun' or 'master:node@22+worker:bun'; this Node by default
 * @property {FoundRuntime | null} every   runtime of roles that are not in `byRole`; null for this Node
 * @property {Readonly<Record<string, FoundRuntime>>} byRole
 * @property {string | null} unavailable   reason and remedy, or null if all were found
 */

// Peers, which are programs in other languages that run a role, and their messages.

/** @typedef {{ name: string, command: string, args: string[] }} PeerProgram */
/**
 * @typedef {object} PeerHello
 * @property {'hello'} control
 * @property {number} protocol
 * @property {string} runtime   language: 'go'
 * @property {string} version   version of its compiler or interpreter
 * @property {string[]} transports   transports that it implements
 * @property {string[]} codecs
 * @property {string[]} scenarios
 * @property {Record<string, string[]>} [settings]   supported values of settings of its transports. Other settings only support their
 *   defaults
 */
/**
 * @typedef {{ control: 'listening', port?: number, nowMs: number }} PeerListening   nowMs: on the clock that all processes of the host
 *   share
 */
/** @typedef {{ control: 'count', operations: number, undecodable: number, rejectedConnections: number }} PeerCount   counts so far */
/**
 * @typedef {object} TakenStream
 * @property {number} taken   messages received since the start
 * @property {number} wrong   messages with an unexpected payload
 * @property {number} outOfOrder   messages with an unexpected number
 * @property {[count: number, ms: number][]} [sightings]   timestamp samples of messages; count: index of the message, from 0; ms: on
 *   the clock that all processes of the host share
 */
/**
 * @typedef {Omit<PeerCount, 'control'> & { control: 'report', atOpen?: number, bins?: number[], streams?: Record<string, TakenStream> }} PeerReport
 *   atOpen: messages before the window; bins: messages per bin of the window
 */
/** @typedef {{ control: 'failed', message: string }} PeerFailure */
/** @typedef {PeerHello | PeerListening | PeerCount | PeerReport | PeerFailure} PeerMessage */
/** @typedef {{ program: PeerProgram, hello: PeerHello }} Peer */
