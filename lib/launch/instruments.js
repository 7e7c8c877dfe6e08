// What a launch that is made to be looked into records of its processes: V8's sampling profile of their load and, where the
// time of a round trip is to be explained, readings of their event loop and CPU time, and each garbage collection. All of
// it slows down what it looks at, and no launch that counts has any.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { sharedNowMs, toSharedMs } from '../machine/clock.js';
import { schedulerNsAt, THIS_THREAD } from '../machine/process-cost.js';
import { profileFrom } from './profile.js';
import { TurnWatch } from './turn-watch.js';

/** @import { InsideReading, InsideRecord } from '../results/inside-facts.js' */
/** @import { Half } from '../types/scenarios.js' */
/** @import { Channel } from '../types/transports.js' */

export const READINGS_ENDING = '.readings.json';
const EVERY_MS = 10; // some hundred round trips, and what another program takes of the CPU falls into few of them
const SAMPLE_US = 500; // at 1x1 a process sleeps half of the time: a part of 1 µs is met some 50 times in 2 s
const NS_PER_MS = 1e6;

export class Instruments {
  /** @param {Pick<import('./assignment.js').Assignment, 'profileDir' | 'isExplained'>} assignment */
  constructor({ profileDir, isExplained = undefined }) {
    this.folder = profileDir;
    this.isExplained = isExplained === true;
    // Before anything of the launch is compiled: of functions that V8 had compiled before, a profile lacks some at
    // times, and what they do looks like their caller's work.
    this.saveProfile = this.isExplained ? profileFrom(profileDir, SAMPLE_US) : null;
    this.turns = this.isExplained ? new TurnWatch() : null;
    /** @type {InsideRecord} */
    this.record = { readings: [], collections: [] };
  }

  /** @param {Pick<Channel, 'send'>} channel   of this process; before its load begins */
  watch(channel) {
    this.turns?.watch(channel);
  }

  /** @param {Half} half   all channels that it is given are watched; before the first one */
  watchServed(half) {
    if (this.turns === null || half.serve === undefined) return;
    const serve = half.serve.bind(half);
    half.serve = (channel, peer) => {
      this.watch(channel);
      serve(channel, peer);
    };
  }

  /** @param {() => number} operations   of this process so far */
  begin(operations) {
    this.saveProfile ??= profileFrom(this.folder);
    const { turns } = this;
    if (turns === null) return;
    turns.begin();
    const { readings, collections } = this.record;
    // A launch that fails meanwhile never saves, and must not wait for this.
    this.timer = setInterval(() => readings.push(readingOf(operations, turns)), EVERY_MS).unref();
    this.observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        collections.push([toSharedMs(startTime), duration]);
    });
    this.observer.observe({ entryTypes: ['gc'] });
  }

  /** @param {string} processName */
  save(processName) {
    this.saveProfile?.(processName);
    if (!this.isExplained || this.folder === undefined) return;
    clearInterval(this.timer);
    this.observer?.disconnect();
    writeFileSync(join(this.folder, `${processName}${READINGS_ENDING}`), JSON.stringify(this.record));
  }
}

/** @param {() => number} operations @param {TurnWatch} turns @returns {InsideReading} */
function readingOf(operations, { onTheWayMs, afterMs }) {
  const own = schedulerNsAt(THIS_THREAD);
  const { user, system } = process.cpuUsage();
  return {
    atMs: sharedNowMs(),
    operations: operations(),
    activeMs: performance.eventLoopUtilization().active,
    onTheWayMs,
    afterMs,
    cpuMs: own && own.ran / NS_PER_MS,
    waitedMs: own && own.waited / NS_PER_MS,
    userUs: user,
    systemUs: system,
  };
}
