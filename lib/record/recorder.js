// preload.cjs loads this module in a recorded program, its Node.js child processes and its threads. It writes a fact for each message over
// process.send() and between threads, without an effect on the program: wrapped functions return, throw and call back as before, nothing is
// printed, and errors of the recorder are kept for the report.

import { isMainThread, threadId } from 'node:worker_threads';
import { recordChildren, recordProcess } from './process-hooks.js';
import { endRecording, guard, own, readLabel, startedMs, writer } from './recording.js';
import { endThreads, flushThreads, recordThreads, shareMemory } from './thread-hooks.js';

// Captured now, since the program may replace setTimeout later.
const schedule = setTimeout;

const FIRST_FLUSH_MS = 200;
const FLUSH_EACH_MS = 1_000;

function flush() {
  flushThreads();
  writer.flush();
}

function end() {
  endThreads();
  endRecording();
}

let factsWritten = 0;

/** @param {number} ms */
function flushLater(ms) {
  schedule(() => {
    guard(() => {
      if (own.facts > factsWritten) writer.write({ own });
      factsWritten = own.facts;
      writer.flush();
    });
    flushLater(FLUSH_EACH_MS);
  }, ms).unref();
}

guard(() => {
  const isChild = isMainThread && typeof process.send === 'function';
  const { pid, ppid: parentPid } = process;
  writer.write({
    start: { pid, parentPid, thread: threadId, label: readLabel(), isChild, startedMs },
  });
  // If a later version of Node.js lacks one of the wrapped functions, the other hooks still work.
  for (const record of [recordChildren, () => recordProcess({ end, flush }), recordThreads, shareMemory])
    guard(record);
  writer.flush();
  flushLater(FIRST_FLUSH_MS);
});
