// `ipc-bench recommend --traffic`: with simulated launches, some of which write what a recorder in them would.

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findConversations, isClosedLoop, readCostUs } from '../../lib/record/traffic-costs.js';
import { trafficText } from '../../lib/record/traffic-file.js';
import { recordedSince, WeightedHistogram } from '../../lib/record/weighted-histogram.js';
import { gainFigure } from '../../lib/report/charts/figures/gain-figure.js';
import { bestRow, checkReplay, savedInSum } from '../../lib/report/recommend/traffic-gain.js';
import { callCli, placeForEach } from '../fixtures/cli-run.js';
import { makeParts, makeTraffic } from '../fixtures/make-traffic.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const REQUESTS = 2_000;
const SEND_US = 12;

const unwrapped = (/** @type {string} */ text) => text.replaceAll(/\n {2}/g, ' ');

/** @param {number[]} values */
const histogramOf = (values) => {
  const histogram = new WeightedHistogram();
  for (const value of values) histogram.record(value);
  return histogram.save();
};

describe('the cost of a message', () => {
  it('leaves out what the process waited for the CPU', () => {
    const usual = new Array(99).fill(5);
    assert.equal(readCostUs(histogramOf(usual), 100), 5);
    assert.ok(Math.abs(readCostUs(histogramOf([...usual, 80_000]), 100) - (99 * 5 + 20) / 100) < 0.2);
    // Of a message of a mebibyte it is no waiting.
    assert.ok(readCostUs(histogramOf([...usual, 1_000]), 2 ** 20) > 14);
    assert.equal(readCostUs(histogramOf([]), 100), 0);
  });

  it('is that of both ends, with the responses', () => {
    const [{ channel, responses, share, fromShare, toShare, messageUs }] = findConversations(
      makeTraffic({ requests: REQUESTS, sendUs: SEND_US }),
    );
    assert.deepEqual([channel.from, responses?.from], ['client.js (child)', 'server.js']);
    assert.ok(Math.abs(messageUs - 2 * SEND_US) < 2, String(messageUs));
    assert.equal(share, fromShare + toShare);
    assert.ok(share > 0.1 && share < 0.4, String(share));
  });

  it('is known since an instant', () => {
    const [early, late] = [
      [1, 2, 3],
      [1, 2, 3, 2, 4],
    ].map(histogramOf);
    assert.deepEqual(recordedSince(late, early).cells, [
      [2, 1],
      [4, 1],
    ]);
  });
});

describe('a closed loop', () => {
  const of = (/** @type {number} */ pauseMs) =>
    isClosedLoop(makeTraffic({ requests: REQUESTS, sendUs: SEND_US, pauseMs }).channels[0]);

  it('always has the same number in flight, and no pauses', () => {
    assert.equal(of(0), true);
    assert.equal(of(5), false);
  });
});

describe('a replay', () => {
  it('stands for the program within 20 %, where its launches agree', () => {
    assert.equal(checkReplay(10, [11, 11.5, 11]).isAlike, true);
    assert.equal(checkReplay(10, [13, 13.1, 12.9]).isAlike, false);
    assert.equal(checkReplay(10, [7, 7.1, 6.9]).isAlike, false);
    const noisy = checkReplay(10, [5, 10, 20]);
    assert.deepEqual([noisy.isAlike, noisy.isNoisy], [false, true]);
  });
});

describe('what is gained', () => {
  const row = (/** @type {string} */ name, /** @type {number} */ saved, isCheaper = true) => ({
    name,
    share: 0.2 - saved,
    isCheaper,
    saved: { estimate: saved, low: saved - 0.01, high: saved + 0.01 },
  });
  const gain = (/** @type {boolean} */ isAlike) =>
    /** @type {any} */ ({
      conversation: { channel: { number: 1 } },
      check: { isAlike },
      rows: [
        { name: 'pipe/json', share: 0.2, saved: null, isCheaper: false },
        row('unix/json', 0.1),
        row('tcp/json', 0.08),
      ],
    });

  it('is promised only where the replay stands for the program', () => {
    assert.equal(bestRow(gain(true))?.name, 'unix/json');
    assert.equal(bestRow(gain(false)), null);
    assert.equal(savedInSum([gain(false)]), null);
    const sum = savedInSum([gain(true), gain(true), gain(false)]);
    assert.deepEqual(
      [sum?.estimate, sum?.low, sum?.high].map((value) => Number(value?.toFixed(4))),
      [0.2, 0.18, 0.22],
    );
  });

  it('is drawn with two bars for each channel', () => {
    const traffic = makeTraffic({ requests: 10, sendUs: SEND_US });
    assert.equal(gainFigure(traffic, [gain(false)]), null);
    const figure = gainFigure(traffic, [gain(true)]);
    assert.deepEqual(figure?.panels[0].configuration.data.labels, ['1: pipe/json', '1: unix/json']);
    assert.match(String(figure?.altText), /pipe\/json 20 %, .*unix\/json 10 %/);
  });
});

describe('ipc-bench recommend --traffic', () => {
  const place = placeForEach();
  const save = (/** @type {Parameters<typeof makeTraffic>[0]} */ how) =>
    writeFileSync(join(place.folder, 'traffic.json'), trafficText(makeTraffic(how)));
  const noLaunch = async () => assert.fail('nothing has to be measured');

  /** @param {number} sendUs   that the recorder hears in the replay */
  const launcher = (sendUs) => {
    const simulated = simulatedLauncher();
    const seen = { heard: 0, measured: 0 };
    /** @type {typeof simulated} */
    const launch = async (spec, settings) => {
      const url = /--import=(\S+)/.exec(settings.tells?.NODE_OPTIONS ?? '')?.[1];
      const folder = url === undefined ? undefined : String(new URL(url).searchParams.get('to'));
      seen[folder === undefined ? 'measured' : 'heard'] += 1;
      if (folder !== undefined) {
        const parts = makeParts({ labels: ['worker.js', 'master.js'], requests: REQUESTS, sendUs });
        for (const part of parts) writeFileSync(join(folder, `${part.pid}.json`), JSON.stringify(part));
      }
      return simulated(spec, settings);
    };
    return { launch, seen };
  };

  it('says at once that there is nothing to gain', async () => {
    save({ requests: REQUESTS, sendUs: 1, pauseMs: 20 });
    const { code, stdout, stderr } = await callCli('recommend --traffic traffic.json', place, {
      launch: noLaunch,
    });
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^Nothing to gain: IPC takes < 0\.1 % of a core \(node server\.js, recorded for .*\)\.\n$/,
    );
    assert.ok(!existsSync(join(place.folder, 'ipc-bench-results')));
  });

  it('does not judge a channel by few messages', async () => {
    save({ requests: 300, sendUs: SEND_US });
    const { code, stdout } = await callCli('recommend --traffic traffic.json', place, { launch: noLaunch });
    assert.equal(code, 0);
    assert.match(
      unwrapped(stdout),
      /Not replayed: 300 messages cannot show what they cost .* record the program for longer\./,
    );
  });

  it('promises what is saved once the replay is like the program', async () => {
    save({ requests: REQUESTS, sendUs: SEND_US });
    const { launch, seen } = launcher(SEND_US + 1);
    const asked = 'recommend --traffic traffic.json --codec json --lock ignore --json gain.json';
    const { code, stdout, stderr } = await callCli(asked, place, { launch });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Replaying channel 1: at most about /);
    assert.match(
      stdout,
      /^To gain: [\d.]+ % \([\d.]+–[\d.]+\) of a core, with \S+ for channel 1\. IPC takes/,
    );
    assert.match(unwrapped(stdout), /Replayed: sending and deserialising take [\d.]+ µs a message, 1\.0\d× /);
    assert.match(stdout, /\npipe\/json, now +\d/);
    assert.match(stdout, /\nunix\/json .* another mechanism\n/);
    assert.ok(stdout.split('\n').every((line) => line.length <= 100));
    assert.equal(seen.heard, 5);
    assert.ok(seen.measured > 0);
    assert.match(unwrapped(stderr), /channel-1-rows\.json, channel-1-recorded\.json, gain\.png/);
  });

  it('promises nothing where the replay is not like the program, and says that first', async () => {
    save({ requests: REQUESTS, sendUs: SEND_US });
    const { launch, seen } = launcher(2 * SEND_US);
    const { code, stdout } = await callCli('recommend --traffic traffic.json --lock ignore --json -', place, {
      launch,
    });
    assert.equal(code, 0);
    const { saved, channels } = JSON.parse(stdout);
    assert.equal(saved, null);
    assert.equal(channels[0].check.isAlike, false);
    assert.ok(channels[0].check.ratio.estimate > 1.7);
    assert.equal(seen.measured, 0);
    const text = await callCli('recommend --traffic traffic.json --lock ignore', place, { launch });
    assert.match(
      text.stdout,
      /^The replay of channel 1 does not stand for the program, so no gain is promised\. /,
    );
  });

  it('refuses what contradicts a recording, a line each', async () => {
    save({ requests: 10, sendUs: SEND_US });
    const cases = /** @type {[string, RegExp][]} */ ([
      [
        'recommend --traffic traffic.json --rate 5k',
        /--rate: goes without --traffic, which says how the program/,
      ],
      [
        'recommend --traffic traffic.json --channel 9',
        /--channel: .*has channels 1 to 2; npx ipc-bench report shows/,
      ],
      ['recommend --channel 1', /--channel: is a channel of recorded traffic; give its file as well/],
      ['recommend --traffic nowhere.json', /nowhere\.json cannot be read as recorded traffic: ENOENT/],
    ]);
    for (const [args, pattern] of cases) {
      const { code, stderr } = await callCli(args, place, { launch: noLaunch });
      assert.equal(code, 2, args);
      assert.match(stderr, pattern);
      assert.equal(stderr.trim().split('\n').length, 1);
    }
  });
});
