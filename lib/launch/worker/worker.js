// Entry point of every role but the master, in a process or a thread. clock.js is loaded first: the start time of the process ends when it
// is loaded, so that this time does not include loading the rest of the program.

import '../../machine/clock.js';

await import('./worker-commands.js');
