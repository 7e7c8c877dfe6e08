// The runtime `deno`: Deno uses V8, and has its own implementation of Node's modules. The skip reasons were verified with Deno 2.9.6.

import { findPrograms, installCommand, thisMachine } from '../children/find-programs.js';

/** @import { ProcessPart, Runtime } from '../types/index.js' */

const PACKAGES = Object.freeze({
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64',
  'win32-x64': '@deno/win32-x64',
  'win32-arm64': '@deno/win32-arm64',
});

/** @param {ProcessPart} part @returns {string | null} */
function skipReason({ role, transport: { name } }) {
  if (name === 'fifo') return 'a net.Socket of Deno takes no descriptor of a named pipe';
  if (name === 'shared-memory' && role.listens)
    return 'node:fs of Deno takes only descriptors that Deno opened, and a native add-on opens the memory';
  if (name === 'zeromq' && role.listens)
    return 'Deno receives only some of the messages of its native add-on, so workers cannot join';
  if (name === 'zeromq')
    return 'its native add-on crashes Deno when its sockets close, in about one launch of three';
  return null;
}

/** @type {Runtime} */
export default {
  name: 'deno',
  summary: 'Deno',
  protocol: 'modules',
  remedy: (version, machine = thisMachine()) =>
    installCommand(PACKAGES, 'https://deno.com', (name) => (version ? `${name}@${version}` : name), machine),
  find: (searchPaths) => findPrograms(searchPaths, 'deno', ['@deno/*/deno', '.bin/deno']),
  args: () => ['run', '-A', '--quiet', '--no-prompt', '--no-lock'],
  skipReason,
};
