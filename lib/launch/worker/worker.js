// Entry point of every role but the master, in a process or a thread. The clock is read before the rest of this program is loaded, since
// the start time of a process does not include loading.

import '../../machine/clock.js';

await import('./worker-commands.js');
