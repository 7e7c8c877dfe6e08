// Starts a process for each request. The process sends the request to the master, as command-line clients of a service do,
// and prints the response.

import { everywhere } from '../../lib/channels/shared-traits.js';

// Linux limits an argument to 128 KiB with its NUL (MAX_ARG_STRLEN, execve(2)), and base64 encodes 3 bytes as 4. On Windows, a command line
// is limited to 32,767 characters; elsewhere a larger limit applies to all arguments and the environment together.
const ARGUMENT_BYTES = process.platform === 'win32' ? 24_000 : Math.floor((131_071 * 3) / 4);

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'command',
  summary: 'the command line: a process for each request (execFile)',
  traits: {
    class: 'pipe',
    reach: 'host',
    direction: 'request-reply',
    order: 'free', // processes run concurrently
    guarantee: 'each request gets a response or fails',
    ...everywhere,
    isCostly: true,
    sources: [
      'https://nodejs.org/docs/latest-v20.x/api/child_process.html#child_processexecfilefile-args-options-callback',
      'https://man7.org/linux/man-pages/man2/execve.2.html',
    ],
  },
  look: { hue: 'violet', marker: 'diamond' },
  carries: ['text', 'bytes'],
  settings: {
    via: {
      summary: 'how the request is passed: stdin; argv: as an argument, in base64',
      default: 'stdin',
      choices: ['stdin', 'argv'],
      changesRoute: true,
    },
    atOnce: {
      summary: 'concurrent processes per worker; further requests wait',
      default: 8, // a process takes about 40 MB
      min: 1,
      max: 1_000,
      unit: 'processes',
    },
  },
  traitsOf: ({ via, atOnce }) => ({
    requestsAtOnce: Number(atOnce),
    ...(via === 'argv' && { greatestMessageBytes: ARGUMENT_BYTES }),
  }),
  listen: async (host) => (await import('./command-ends.js')).respondToCommands(host),
  connect: async (guest) => (await import('./command-ends.js')).requestByCommand(guest),
};
