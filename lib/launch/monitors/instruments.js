// What a launch that is made to be looked into records of its processes: V8's sampling profile of their load, or, where the
// time of a round trip is to be explained, readings of the turns of their event loop, of CPU time and of garbage collections.
// All of it slows down what it looks at, and no launch that counts has any.

import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { NS_PER_MS } from '../../format/units.js';
import { sharedNowMs, toSharedMs } from '../../machine/clock.js';
import { TurnWatch } from '../../machine/iteration-watch.js';
import { schedulerNsAt, THIS_THREAD } from '../../machine/process-cost.js';
import { noteSocketWrites } from '../../transport/sockets.js';

/** @import { InsideReading, InsideRecord } from '../../results/inside-facts.js' */
/** @import { Channel, Endpoint } from '../../types/index.js' */

export const READINGS_ENDING = '.readings.json';
const EVERY_MS = 5; // some fifty round trips, and what another program takes of the CPU falls into few of them
const SAMPLE_US = 500; // at 1x1 a process sleeps half of the time: a part of 1 µs is met some 50 times in 2 s

export class Instruments {
  /** @param {Pick<import('../launch-spec.js').LaunchSpec, 'profileDir' | 'explained'>} spec */
  constructor({ profileDir, explained = undefined }) {
    this.folder = profileDir;
    this.isExplained = explained !== undefined;
    // Before anything of the launch is compiled: of functions that V8 had compiled before, a profile lacks some at
    // times, and what they do looks like their caller's work.
    this.saveProfile = explained === 'functions' ? profileFrom(profileDir, SAMPLE_US) : null;
    this.turns = explained === 'turns' ? new TurnWatch() : null;
    /** @type {InsideRecord} */
    this.record = { readings: [], collections: [] };
  }

  /** @param {Pick<Channel, 'send'>} channel   of this process; before its load begins */
  watch(channel) {
    const { turns } = this;
    if (turns === null) return;
    const send = channel.send.bind(channel);
    channel.send = (wire) => {
      const goesOn = send(wire);
      turns.noteWrite();
      return goesOn;
    };
  }

  /** @param {Endpoint} endpoint   all channels that it is given are watched; before the first one */
  watchServed(endpoint) {
    if (this.turns === null || endpoint.serve === undefined) return;
    const serve = endpoint.serve.bind(endpoint);
    endpoint.serve = (channel, peer) => {
      this.watch(channel);
      serve(channel, peer);
    };
  }

  /** @param {() => number} operations   of this process so far */
  begin(operations) {
    if (!this.isExplained) {
      this.saveProfile = profileFrom(this.folder);
      return;
    }
    const { turns } = this;
    if (turns !== null) {
      // Transports may write later in the turn in which they are asked to send.
      noteSocketWrites(() => turns.noteWrite());
      turns.begin();
    }
    const { readings, collections } = this.record;
    // A launch that fails meanwhile never saves, and must not wait for this.
    this.timer = setInterval(() => readings.push(toReading(operations, turns)), EVERY_MS).unref();
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

/** @param {() => number} operations @param {TurnWatch | null} turns @returns {InsideReading} */
function toReading(operations, turns) {
  const own = schedulerNsAt(THIS_THREAD);
  const { user, system } = process.cpuUsage();
  return {
    atMs: sharedNowMs(),
    operations: operations(),
    activeMs: performance.eventLoopUtilization().active,
    onTheWayMs: turns?.onTheWayMs ?? 0,
    afterMs: turns?.afterMs ?? 0,
    cpuMs: own && own.ran / NS_PER_MS,
    waitedMs: own && own.waited / NS_PER_MS,
    userUs: user,
    systemUs: system,
  };
}

/** What the file of a process is called after its name. */
export const PROFILE_ENDING = '.cpuprofile';

/**
 * @param {string | undefined} folder     undefined: nobody wants a profile
 * @param {number} [everyUs]              a sample; absent: as V8 does
 * @returns {(processName: string) => void} ends and writes it
 */
function profileFrom(folder, everyUs) {
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
