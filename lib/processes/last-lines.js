// The last lines that some processes have printed, for whoever has to say why they failed.

import { debuglog } from 'node:util';

/** @import { Readable } from 'node:stream' */

const trace = debuglog('ipc-bench');
const LINES = 20;
const LINE_CHARACTERS = 400;

/** @returns {{ take: (stream: Readable | null) => void, lines: () => string[] }} */
export function lastLines() {
  let text = '';
  return {
    take(stream) {
      stream?.setEncoding('utf8');
      stream?.on('data', (chunk) => {
        if (trace.enabled) process.stderr.write(chunk);
        text = (text + chunk).slice(-LINES * LINE_CHARACTERS);
      });
    },
    lines: () =>
      text
        .split('\n')
        .map((line) => line.trimEnd().slice(0, LINE_CHARACTERS))
        .filter((line) => line !== '')
        .slice(-LINES),
  };
}
