// V8's sampling profiler around the load of a launch that is made for that alone: it slows down what it looks at.

import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

/** What the file of a process is called after its name. */
export const PROFILE_ENDING = '.cpuprofile';

/**
 * @param {string | undefined} folder     undefined: nobody wants a profile
 * @param {number} [everyUs]              a sample; absent: as V8 does
 * @returns {(processName: string) => void} ends and writes it
 */
export function profileFrom(folder, everyUs) {
  if (folder === undefined) return () => {};
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  if (everyUs !== undefined) session.post('Profiler.setSamplingInterval', { interval: everyUs });
  session.post('Profiler.start');
  return (processName) => {
    // A session of the own thread answers before post() returns.
    session.post('Profiler.stop', (error, result) => {
      if (error === null)
        writeFileSync(join(folder, `${processName}${PROFILE_ENDING}`), JSON.stringify(result.profile));
    });
    session.disconnect();
  };
}
