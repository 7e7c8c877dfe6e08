// Entry point of every role but the master, in a process or a thread. The clock is read before the rest of this program is loaded, since
// the start time of a process excludes that.

import '../../machine/clock.js';

await import('./worker-commands.js');
