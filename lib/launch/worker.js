// Entry point of a worker, a process or a thread. It reads the clock before anything else of ours is loaded: what starting a
// process takes is told without that.

import '../machine/clock.js';

await import('./worker-orders.js');
