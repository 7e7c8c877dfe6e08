// The captions of pictures, and the command in them that measures again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveOptions } from '../../lib/options/options.js';
import { formatCommand } from '../../lib/options/written-options.js';
import captions from '../../reports/captions.js';
import { buildResults } from '../fixtures/build-results.js';

/** @param {Record<string, unknown>} argv */
const resolved = (argv, environment = {}) =>
  resolveOptions(argv, { environment, now: new Date(0), randomSeed: 7 }).options;

/** @param {string} command   without quotes @returns {Record<string, string | boolean>} as yargs gives it */
function argvOf(command) {
  const words = command.split(' ').slice(1);
  const flags = words.flatMap((word, at) =>
    word.startsWith('--') ? [{ word, next: words[at + 1] ?? '--' }] : [],
  );
  return Object.fromEntries(
    flags.map(({ word, next }) => {
      if (word.startsWith('--no-')) return [word.slice(5), false];
      return [word.slice(2), next.startsWith('--') ? true : next];
    }),
  );
}

/** @param {Parameters<typeof buildResults>[0]} recipe @param {import('../../lib/types/reports.js').ReportOptions} [options] */
async function captionsOf(recipe, options = {}) {
  const [{ content }] = await captions.render(buildResults(recipe), options);
  return String(content);
}

describe('captions', () => {
  it('has an element with the alt text and the width of each picture, its message, and once what holds for all', async () => {
    const text = await captionsOf({ series: ['pipe/json', 'unix/json'] });
    const [picture, caption, other, , measured, ...rest] = text.split('\n').filter((line) => line !== '');
    assert.deepEqual(rest, []);
    assert.match(
      picture,
      /^<img alt="Round trips per second, .* unix\/json 4\d,\d00, pipe\/json 3\d,\d00\."/,
    );
    assert.match(picture, / src="throughput-1000B\.png" width="800">$/);
    assert.match(other, / src="latency-1000B\.png" width="800">$/);
    assert.match(caption, /^\*\*Round trips per second, 1,000 B payload, 2x4\.\*\* unix\/json is fastest: /);
    assert.equal(text.match(/How: round-trip, closed loop /g)?.length, 2, 'whiskers of rates and of times');
    assert.match(measured, /Where: AMD EPYC .* 2026-01-15\. Again: `npx ipc-bench .*`\.$/);
  });

  it('states once what neighbours share, and for each picture what it has alone', async () => {
    const text = await captionsOf({ series: ['pipe/json', 'unix/json'], payloads: [100, 1_000, 10_000] });
    const [, ...pictures] = text.split('<img ');
    assert.ok(pictures.length > 5, String(pictures.length));
    const ofLatencies = pictures.filter((picture) => picture.includes('src="latency-'));
    const told = ofLatencies.filter((picture) => picture.includes('coordinated omission'));
    assert.deepEqual(told, ofLatencies.slice(-1));
    assert.match(told[0], /This picture and the 2 above – /);
    assert.equal(text.match(/How: /g)?.length, new Set(text.match(/How: [^\n]*?(?=\. |\.\n)/g)).size);
  });

  it('links pictures in a folder of any name', async () => {
    const pictureLinks = /** @type {const} */ ({ folder: '../my (new) pictures', ending: '.svg' });
    const text = await captionsOf({}, { pictureLinks });
    assert.ok(text.includes('src="../my%20%28new%29%20pictures/throughput-1000B.svg"'), text);
  });

  it('shows both themes of a picture with any alt text', async () => {
    const picture = /** @type {const} */ ({ isInBothThemes: true });
    const text = await captionsOf({ series: ['pipe/json', '"><b>/json'] }, { picture });
    const [line] = text.split('\n');
    assert.match(
      line,
      /^<picture><source media="\(prefers-color-scheme: dark\)" srcset="throughput-1000B-dark\.png"><img alt="[^"<>]+" src="throughput-1000B\.png" width="800"><\/picture>$/,
    );
    assert.ok(line.includes('&quot;&gt;&lt;b&gt;/json'));
  });

  it('escapes hostile names in captions', async () => {
    const text = await captionsOf({ series: ['pipe/json', '<b>](x);`![/json'] });
    const withoutCode = text.replace(/`` .* ``/g, '');
    assert.doesNotMatch(withoutCode, /<b>|[^\\]\]\(x\)|[^\\]`/);
    assert.match(text, /`` npx ipc-bench --transport 'pipe,<b>\]\(x\);`!\[' /);
  });
});

/** @param {import('../../lib/types/index.js').Options} options */
const commandOf = (options) => formatCommand({ options });

describe('the command that measures again', () => {
  it('resolves to the same options', () => {
    for (const argv of [
      { transport: 'unix,tcp', codec: 'json', payload: '10..1k*10', workers: '1x1,2x4', poll: 'busy' },
      { quick: true, controls: false, placement: 'split,same' },
      { preset: 'node-ipc-2016', launches: '7' },
      { transport: 'unix', rate: '1k,2k', arrivals: 'poisson' },
      {
        transport: 'unix:flush=tick',
        codec: 'json',
        measure: '2s',
        warmup: '1s',
        reference: 'unix:flush=tick/json',
      },
      { 'target-error': '3%', 'max-time': '5min', scenario: 'stream' },
    ]) {
      const options = resolved(argv);
      const again = resolved(argvOf(commandOf(options)));
      assert.deepEqual(again, options, commandOf(options));
    }
  });

  it('omits the options of a preset', () => {
    const words = commandOf(resolved({ preset: 'node-ipc-2016', launches: '7' })).split(' --');
    assert.deepEqual(words.toSorted(), ['launches 7', 'npx ipc-bench', 'preset node-ipc-2016', 'seed 7']);
  });

  it('names hosts, and has a placeholder for their URL, which is not stored', () => {
    const argv = { agents: 'redis://me@c', 'master-on': 'a', 'workers-on': 'b' };
    assert.equal(
      commandOf(resolved(argv, { IPC_BENCH_SECRET: 'x'.repeat(32) })),
      'npx --no -- ipc-bench --agents URL --master-on a --workers-on b --seed 7',
    );
  });

  it('omits options of output, and of the moment', () => {
    assert.equal(
      commandOf(resolved({ theme: 'dark', size: 'blog', png: 'p', quiet: true, lock: 'ignore' })),
      'npx ipc-bench --seed 7',
    );
  });
});
