// A program in another language that plays a role, and the words that it says.

/** @typedef {{ name: string, command: string, args: string[] }} PeerProgram */
/**
 * @typedef {object} PeerHello
 * @property {'hello'} control
 * @property {number} protocol
 * @property {string} runtime      what it is written in: 'c'
 * @property {string} version      of its compiler or its interpreter
 * @property {string[]} transports   that it knows, by name
 * @property {string[]} codecs
 * @property {string[]} scenarios
 * @property {Record<string, string[]>} [settings]   of transports: all values that it knows of each; others have to be as usual
 */
/** @typedef {{ control: 'listening', port?: number, nowMs: number }} PeerListening   nowMs: of the clock that all processes of the host share */
/** @typedef {{ control: 'count', operations: number, undecodable: number, strangers: number }} PeerCount   so far */
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
/** @typedef {{ program: PeerProgram, hello: PeerHello, platform?: string }} Peer   with what it says of itself; platform: of its host, absent: this one */

export {};
