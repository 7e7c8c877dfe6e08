// What may be under way, unread, before `send` asks to wait, where nothing else bounds it: sockets would hold kilobytes, a
// broker, a port or a folder everything.

import { MIB } from '../format/units.js';

export const WINDOW_BYTES = 16 * MIB;
/** Of each message beside its own length, so that many tiny ones count for the memory that they take. */
export const MESSAGE_OVERHEAD_BYTES = 64;
