// Recordings of a diagnostic launch: a CPU profile, readings that explain the time of a round trip (event-loop iterations, CPU time,
// garbage collections), or both. They slow the processes down, so measured launches never have them.

import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { watchSocketWrites } from '../../channels/sockets.js';
import { NS_PER_MS } from '../../format/units.js';
import { sharedNowMs, toSharedMs } from '../../machine/clock.js';
import { IterationWatch } from '../../machine/iteration-watch.js';
import { schedulerNsAt, THIS_THREAD } from '../../machine/process-cost.js';

/** @import { InsideReading, InsideRecord } from '../../results/inside-facts.js' */
/** @import { Channel, Endpoint } from '../../types/index.js' */

export const READINGS_ENDING = '.readings.json';
const EVERY_MS = 5; // the time of about 50 round trips: short, so that few readings contain time of other programs
const SAMPLE_US = 500; // 4,000 samples in 2 s, so a part of 1 µs in a round trip of 80 µs gets about 50

export class Instruments {
  /** @param {Pick<import('../launch-spec.js').LaunchSpec, 'profileDir' | 'explained'>} spec */
  constructor({ profileDir, explained = undefined }) {
    this.folder = profileDir;
    this.isExplained = explained !== undefined;
    // Starts before the first message, since a profile sometimes lacks functions that V8 compiled earlier, and attributes their time to
    // their callers.
    this.saveProfile = explained === 'functions' ? profileFrom(profileDir, SAMPLE_US) : null;
    this.iterations = explained === 'iterations' ? new IterationWatch() : null;
    /** @type {InsideRecord} */
    this.record = { readings: [], collections: [] };
  }

  /** @param {Pick<Channel, 'send'>} channel   channel of this process, before its load begins */
  watch(channel) {
    const { iterations } = this;
    if (iterations === null) return;
    const send = channel.send.bind(channel);
    channel.send = (wire) => {
      const hasRoom = send(wire);
      iterations.onWrite();
      return hasRoom;
    };
  }

  /** Watches all channels that the endpoint serves later. @param {Endpoint} endpoint */
  watchServed(endpoint) {
    if (this.iterations === null || endpoint.serve === undefined) return;
    const serve = endpoint.serve.bind(endpoint);
    endpoint.serve = (channel, peer) => {
      this.watch(channel);
      serve(channel, peer);
    };
  }

  /** @param {() => number} operations   returns the number of operations of this process so far */
  begin(operations) {
    if (!this.isExplained) {
      this.saveProfile = profileFrom(this.folder);
      return;
    }
    const { iterations } = this;
    if (iterations !== null) {
      // Transports may write later in the iteration in which they send.
      watchSocketWrites(() => iterations.onWrite());
      iterations.begin();
    }
    const { readings, collections } = this.record;
    // A failed launch may not call end(), so the timer must not keep the process alive.
    this.timer = setInterval(() => readings.push(toReading(operations, iterations)), EVERY_MS).unref();
    this.observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        collections.push([toSharedMs(startTime), duration]);
    });
    this.observer.observe({ entryTypes: ['gc'] });
  }

  /** Writes the recordings. @param {string} processName */
  end(processName) {
    this.saveProfile?.(processName);
    if (!this.isExplained || this.folder === undefined) return;
    clearInterval(this.timer);
    this.observer?.disconnect();
    writeFileSync(join(this.folder, `${processName}${READINGS_ENDING}`), JSON.stringify(this.record));
  }
}

/**
 * @param {() => number} operations   returns the number so far
 * @param {IterationWatch | null} iterations   null in a launch under the CPU profiler
 * @returns {InsideReading}
 */
function toReading(operations, iterations) {
  const scheduled = schedulerNsAt(THIS_THREAD);
  const { user, system } = process.cpuUsage();
  return {
    atMs: sharedNowMs(),
    operations: operations(),
    activeMs: performance.eventLoopUtilization().active,
    onTheWayMs: iterations?.onTheWayMs ?? 0,
    afterMs: iterations?.afterMs ?? 0,
    cpuMs: scheduled && scheduled.ran / NS_PER_MS,
    waitedMs: scheduled && scheduled.waited / NS_PER_MS,
    userUs: user,
    systemUs: system,
  };
}

export const PROFILE_ENDING = '.cpuprofile';

/**
 * @param {string | undefined} folder   without it, no profile is recorded
 * @param {number} [everyUs]   interval between samples; V8's default without it
 * @returns {(processName: string) => void} ends the profile and writes it
 */
function profileFrom(folder, everyUs) {
  if (folder === undefined) return () => {};
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  if (everyUs !== undefined) session.post('Profiler.setSamplingInterval', { interval: everyUs });
  session.post('Profiler.start');
  return (processName) => {
    // A session of this thread calls back before post() returns.
    session.post('Profiler.stop', (error, result) => {
      if (error === null)
        writeFileSync(join(folder, `${processName}${PROFILE_ENDING}`), JSON.stringify(result.profile));
    });
    session.disconnect();
  };
}
