// Whose system calls strace has seen in a window.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callsPerProcess } from '../../lib/run/diagnostics/strace.js';

const THREAD = 'child_stack=0x7f, flags=CLONE_VM|CLONE_THREAD';
// 10 is the master: 11 is a thread of it, 20 and 30 are workers, 21 a thread of 20, and 22 a program that 20 started.
const LOGS = [
  [
    10,
    `1.0 clone3({${THREAD}}) = 11\n1.2 clone(child_stack=0) = 30\n1.1 vfork() = 20\n5.5 write(1, "x") = 1\n5.6 write(1, "x") = 1`,
  ],
  [11, '5.0 read(1, "x") = 1\n4.999 read(1, "x") = 1\n6.0 read(1, "x") = 1\n5.999 futex(1) = 0'],
  [20, `2.0 clone(${THREAD}) = 21\n2.1 fork() = 22\n5.1 write(1, "x") = 1`],
  [21, '5.2 epoll_wait(1) = 1\n5.3 epoll_wait(1) = 1'],
  [22, '5.4 read(1, "x") = 1'],
  [30, '5.5 write(1, "x") = 1\n--- SIGCHLD ---'],
].map(([threadId, text]) => ({ threadId: Number(threadId), text: String(text) }));
const WINDOW = { fromMs: 5_000, toMs: 6_000, operations: 2 };

describe('the system calls of a launch', () => {
  it('counts system calls of a process with its threads and children, within the window, per operation', () => {
    assert.deepEqual(callsPerProcess(LOGS, WINDOW), [
      { name: 'master', calls: { write: 1, read: 0.5, futex: 0.5 } },
      { name: 'w0', calls: { epoll_wait: 1, write: 0.5, read: 0.5 } },
      { name: 'w1', calls: { write: 0.5 } },
    ]);
  });

  it('assigns system calls to processes by their names, in the order of their start', () => {
    const names = callsPerProcess(LOGS, { ...WINDOW, names: ['relay'] }).map(({ name }) => name);
    assert.deepEqual(names, ['master', 'relay', 'w1']);
  });

  it('separates workers that are threads of the master', () => {
    const found = callsPerProcess(LOGS.slice(0, 2), { ...WINDOW, threadIds: [11] });
    assert.deepEqual(found, [
      { name: 'master', calls: { write: 1 } },
      { name: 'w0', calls: { read: 0.5, futex: 0.5 } },
    ]);
  });

  it('excludes processes that ended before the window', () => {
    const logs = LOGS.filter(({ threadId }) => threadId === 10 || threadId === 30);
    assert.deepEqual(
      callsPerProcess(logs, WINDOW).map(({ name }) => name),
      ['master', 'w0'],
    );
  });
});
