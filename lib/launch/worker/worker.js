// Entry point of a worker, a process or a thread, and of what stands between workers and master. It reads the clock before
// anything else of this program is loaded: what starting a process takes is told without that.

import '../../machine/clock.js';

await import('./worker-commands.js');
