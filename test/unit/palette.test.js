// Whether colours, fills and dashes can be distinguished, by people with any colour vision and in both themes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import canvas from '@napi-rs/canvas';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadCodecs, loadTransports } from '../../lib/plugins/plugins.js';
import { makeSeries } from '../../lib/report/charts/figures/series.js';
import { pixelFill } from '../../lib/report/charts/pictures/fills.js';
import { COLOURS, PART_COLOURS, PART_INK } from '../../lib/report/charts/style/colours.js';
import { codecLook, transportLook } from '../../lib/report/charts/style/palette.js';
import { buildResults } from '../fixtures/build-results.js';

const THEMES = /** @type {const} */ (['light', 'dark']);
const TRANSPORTS = [...(await loadTransports(builtinNames('transport'))).values()].map(
  ({ plugin }) => plugin,
);
const CODECS = [...(await loadCodecs(builtinNames('codec'))).values()].map(({ plugin }) => plugin);
const ODD_NAMES = ['my-plugin', '__proto__', 'toString', '', '日本語'];
const MIN_DIFFERENCE = 0.045; // in OKLab, where 0.02 is just noticeable

/**
 * Severe deficiencies, on linear light: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision
 * Deficiency", IEEE TVCG 15 (2009).
 * @type {Record<string, number[][]>}
 */
const VISIONS = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
// https://bottosson.github.io/posts/oklab/
const TO_LMS = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_OKLAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

/** @param {number[][]} matrix @param {number[]} vector */
const times = (matrix, [x, y, z]) => matrix.map(([a, b, c]) => a * x + b * y + c * z);

/** @param {string} hex @returns {number[]} linear light, 0 to 1 */
function linear(hex) {
  const channels = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255);
  return channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

/** @param {string} hex @param {string} vision */
function oklab(hex, vision) {
  const seen = times(VISIONS[vision], linear(hex)).map((channel) => Math.min(1, Math.max(0, channel)));
  return times(TO_OKLAB, times(TO_LMS, seen).map(Math.cbrt));
}

/** @param {string} left @param {string} right @returns {number} the WCAG 2.2 contrast ratio */
function contrast(left, right) {
  const [dark, light] = [left, right]
    .map((hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0])
    .sort((one, other) => one - other);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {[name: string, colour: string][]} colours @param {number} [neighbours]   that are compared with each */
function assertDistinct(colours, neighbours = Infinity) {
  for (const vision of Object.keys(VISIONS)) {
    for (const [index, [name, colour]] of colours.entries()) {
      for (const [otherName, other] of colours.slice(index + 1, index + 1 + neighbours)) {
        const [one, two] = [colour, other].map((hex) => oklab(hex, vision));
        const difference = Math.hypot(...one.map((value, axis) => value - two[axis]));
        assert.ok(
          difference >= MIN_DIFFERENCE,
          `${vision}: ${name} and ${otherName}, ${difference.toFixed(3)}`,
        );
      }
    }
  }
}

/** @template Look @param {{ name: string, look?: Look }} plugin @returns {Look} */
const declared = ({ name, look }) => look ?? assert.fail(`${name} declares no look`);

/** @type {any} facts as they may stand in a file */
const noted = (/** @type {unknown} */ look) => ({
  transports: { mine: { look } },
  codecs: { mine: { look } },
});

describe('the palette', () => {
  it('has text of contrast 4.5, and hues of contrast 3 that all colour visions distinguish', () => {
    for (const theme of THEMES) {
      const { background, ink, mutedInk, hues } = COLOURS[theme];
      for (const colour of [ink, mutedInk]) assert.ok(contrast(colour, background) >= 4.5, colour);
      for (const [name, colour] of Object.entries(hues)) assert.ok(contrast(colour, background) >= 3, name);
      assertDistinct(Object.entries(hues));
    }
  });

  it('has parts of bars that differ from their neighbours and carry letters', () => {
    assertDistinct(Object.entries(PART_COLOURS), 1);
    for (const [name, colour] of Object.entries(PART_COLOURS))
      assert.ok(contrast(PART_INK, colour) >= 4.5, name);
  });

  it('gives each built-in transport its hue and marker, and each hue one owner', () => {
    const looks = TRANSPORTS.map(declared);
    assert.equal(new Set(looks.map(({ hue, marker }) => `${hue} ${marker}`)).size, TRANSPORTS.length);
    const owned = looks.filter(({ ownsHue }) => ownsHue).map(({ hue }) => hue);
    assert.deepEqual(owned.sort(), Object.keys(COLOURS.light.hues).sort());
  });

  it('gives each built-in codec a fill and a dash that a legend shows whole', () => {
    const looks = CODECS.map(declared);
    assert.equal(new Set(looks.map(({ fill }) => fill)).size, CODECS.length);
    assert.equal(new Set(looks.map(({ dash }) => dash.join())).size, CODECS.length);
    for (const { dash } of looks) assert.ok(dash.reduce((sum, length) => sum + length, 0) <= 34);
  });

  it('draws the look that a file notes, unless this version does not know it', () => {
    const transport = { hue: 'grey', marker: 'star' };
    const codec = { fill: 'bricks', dash: [1, 2] };
    assert.deepEqual(transportLook(noted(transport), 'mine'), transport);
    assert.deepEqual(codecLook(noted(codec), 'mine'), codec);
    assert.equal(
      codecLook(noted({ fill: 'empty', dash: [2, 6] }), 'mine').fill,
      'bricks',
      'empty: not ranked',
    );
    for (const look of [undefined, { hue: 'beige', marker: 'star' }, { hue: 'grey', marker: 'heart' }])
      assert.deepEqual(transportLook(noted(look), 'mine'), transportLook({}, 'mine'));
    for (const look of [
      { fill: 'fur', dash: [] },
      { ...codec, dash: [30, 30] },
      { ...codec, dash: [0] },
    ])
      assert.deepEqual(codecLook(noted(look), 'mine'), codecLook({}, 'mine'));
  });

  it('gives any other name the same valid look every time', () => {
    for (const name of ODD_NAMES) {
      const { hue } = transportLook({}, name);
      assert.match(COLOURS.light.hues[hue], /^#[0-9a-f]{6}$/);
      assert.deepEqual(transportLook({ transports: {} }, name), transportLook({}, name));
      assert.ok(Array.isArray(codecLook({}, name).dash), name);
      assert.deepEqual(codecLook({ codecs: {} }, name), codecLook({}, name));
    }
  });

  it('draws fills that can be distinguished in the swatch of a legend', () => {
    const [width, height, density] = [32, 24, 2];
    for (const theme of THEMES) {
      const { background, hues } = COLOURS[theme];
      const swatches = CODECS.map((codec) => {
        const context = canvas.createCanvas(width, height).getContext('2d');
        context.scale(density, density);
        const choice = { colour: hues.blue, fill: declared(codec).fill };
        context.fillStyle = /** @type {string} */ (pixelFill(choice, { background, density, canvas }));
        context.fillRect(0, 0, width, height);
        return { name: codec.name, pixels: context.getImageData(0, 0, width, height).data };
      });
      for (const [index, left] of swatches.entries()) {
        for (const right of swatches.slice(index + 1)) {
          const differing = left.pixels.filter((value, at) => Math.abs(value - right.pixels[at]) > 60).length;
          assert.ok(differing > 0.1 * left.pixels.length, `${left.name} and ${right.name}, ${theme}`);
        }
      }
    }
  });

  it('gives rows with settings another fill, dash and marker, and the same fill for the same settings', () => {
    const looksOf = (/** @type {string[]} */ series) => {
      const results = buildResults({ series });
      return makeSeries(results, results.outcomes).map(({ look }) => look);
    };
    const ways = ['unix', 'unix:flush=tick', 'unix:flush=lead'];
    const looks = looksOf(ways.flatMap((way) => [`${way}/json`, `${way}/string`]));
    assert.equal(new Set(looks.map(({ colour }) => colour)).size, 1);
    for (const key of /** @type {const} */ (['fill', 'dash']))
      assert.equal(new Set(looks.map((look) => String(look[key]))).size, 6, key);
    assert.equal(new Set(looks.map(({ marker }) => marker)).size, 3);
    const [, tick, , other] = looksOf(
      ['unix', 'unix:flush=tick', 'pipe', 'pipe:flush=tick'].map((way) => `${way}/json`),
    );
    assert.equal(tick.fill, other.fill);
    const many = looksOf(Array.from({ length: 30 }, (_, index) => `unix:flush=${index}/json`));
    assert.ok(many.every(({ fill }) => fill !== 'empty'));
  });
});
