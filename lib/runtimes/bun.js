// The runtime `bun`: Bun uses JavaScriptCore, and has its own implementation of Node's modules. The skip reasons were verified with Bun
// 1.4.5.

import { findPrograms, installCommand, thisMachine } from '../children/find-programs.js';

/** @import { ProcessPart, Runtime } from '../types/index.js' */

const PACKAGES = Object.freeze({
  'linux-x64': '@oven/bun-linux-x64',
  'linux-arm64': '@oven/bun-linux-aarch64',
  'linux-x64-musl': '@oven/bun-linux-x64-musl',
  'linux-arm64-musl': '@oven/bun-linux-aarch64-musl',
  'darwin-x64': '@oven/bun-darwin-x64',
  'darwin-arm64': '@oven/bun-darwin-aarch64',
  'win32-x64': '@oven/bun-windows-x64',
  'win32-arm64': '@oven/bun-windows-aarch64',
});

/** @type {Readonly<Record<string, string>>} transport → reason why Bun runs none of its roles */
const LACKS = Object.freeze({
  fifo: 'a net.Socket of Bun reads no descriptor of a named pipe',
  zeromq: 'the native add-on needs uv_poll_init_socket, without which Bun aborts',
});

/** @param {ProcessPart} part */
function skipReason({ role, transport: { name, serialises }, codec, ends }) {
  if (Object.hasOwn(LACKS, name)) return LACKS[name];
  if (name === 'stdio' && !role.listens) return 'a net.Socket of Bun reads no descriptor of its own stdin';
  const isAlone = ends.every(({ runtime }) => runtime.name === 'bun');
  if (codec === 'v8' && serialises === undefined && !isAlone)
    return 'node:v8 of Bun writes the format of JavaScriptCore, which nothing else reads';
  return null;
}

/** @type {Runtime} */
export default {
  name: 'bun',
  summary: 'Bun',
  protocol: 'modules',
  remedy: (version, machine = thisMachine()) =>
    installCommand(PACKAGES, 'https://bun.sh', (name) => (version ? `${name}@${version}` : name), machine),
  find: (searchPaths) => findPrograms(searchPaths, 'bun', ['@oven/*/bin/bun', '.bin/bun']),
  // A missing package has to be an error, but Bun would install it by default.
  args: () => ['--no-install'],
  skipReason,
};
