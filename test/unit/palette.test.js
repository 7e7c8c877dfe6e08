import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCanvas } from '@napi-rs/canvas';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { loadCodecs, loadTransports } from '../../lib/plugins/plugins.js';
import { makeSeries } from '../../lib/report/charts/figures/series.js';
import { pixelFill } from '../../lib/report/charts/scene/fills.js';
import { COLOURS, PART_COLOURS, PART_INK } from '../../lib/report/charts/style/colours.js';
import { codecLook, transportLook } from '../../lib/report/charts/style/palette.js';
import { colourDifference, contrast, labOf, VISIONS } from '../fixtures/colour-vision.js';
import { makeResults } from '../fixtures/make-results.js';

const SWATCH = { width: 32, height: 24 }; // device pixels
const THEMES = /** @type {const} */ (['light', 'dark']);
const FIRST_FIVE = ['pipe', 'unix', 'tcp', 'redis-pubsub', 'zeromq'];
// A just noticeable difference is about 1; at 10 two small marks side by side are told apart without doubt.
const LEAST_DIFFERENCE = 10;
const TRANSPORTS = [...(await loadTransports(builtinNames('transport'))).values()].map(
  ({ plugin }) => plugin,
);
const CODECS = [...(await loadCodecs(builtinNames('codec'))).values()].map(({ plugin }) => plugin);
/** @template Look @param {{ name: string, look?: Look }} plugin @returns {Look} */
const declared = ({ name, look }) => look ?? assert.fail(`${name} declares no look`);
/** @type {any} facts as they may stand in a file */
const noted = (/** @type {unknown} */ look) => ({
  transports: { mine: { look } },
  codecs: { mine: { look } },
});

describe('the measure of colours', () => {
  it('agrees with the published test data of CIEDE2000', () => {
    const difference = colourDifference([50, 2.6772, -79.7751], [50, 0, -82.7485]);
    assert.ok(Math.abs(difference - 2.0425) < 1e-4, `${difference}`);
    assert.ok(Math.abs(colourDifference([50, 2.5, 0], [73, 25, -18]) - 27.1492) < 1e-4);
    assert.ok(
      Math.abs(colourDifference([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514]) - 0.9082) < 1e-4,
    );
  });

  it('gives black on white the greatest contrast', () => {
    assert.equal(contrast('#000000', '#ffffff').toFixed(1), '21.0');
  });
});

describe('the palette', () => {
  for (const theme of THEMES) {
    const { background, ink, mutedInk, hues } = COLOURS[theme];

    it(`writes text with a contrast of 4.5 or more in the ${theme} theme`, () => {
      for (const colour of [ink, mutedInk]) assert.ok(contrast(colour, background) >= 4.5, colour);
    });

    it(`draws marks with a contrast of 3 or more in the ${theme} theme`, () => {
      for (const [name, colour] of Object.entries(hues)) assert.ok(contrast(colour, background) >= 3, name);
    });

    it(`keeps every pair of hues apart for all colour visions in the ${theme} theme`, () => {
      const names = Object.entries(hues);
      for (const vision of Object.keys(VISIONS)) {
        for (const [index, [left, leftColour]] of names.entries()) {
          for (const [right, rightColour] of names.slice(index + 1)) {
            const difference = colourDifference(labOf(leftColour, vision), labOf(rightColour, vision));
            assert.ok(
              difference >= LEAST_DIFFERENCE,
              `${vision}: ${left} and ${right}, ${difference.toFixed(1)}`,
            );
          }
        }
      }
    });
  }

  it('gives the first five transports five hues and five markers', () => {
    const looks = TRANSPORTS.filter(({ name }) => FIRST_FIVE.includes(name)).map(declared);
    assert.equal(new Set(looks.map(({ hue }) => hue)).size, 5);
    assert.equal(new Set(looks.map(({ marker }) => marker)).size, 5);
    assert.ok(looks.every(({ ownsHue }) => ownsHue));
  });

  it('is asked for no hue and marker by two built-in transports, and for each hue by one owner', () => {
    const looks = TRANSPORTS.map(declared);
    assert.equal(new Set(looks.map(({ hue, marker }) => `${hue} ${marker}`)).size, TRANSPORTS.length);
    const owned = looks.filter(({ ownsHue }) => ownsHue).map(({ hue }) => hue);
    assert.deepEqual(owned.sort(), Object.keys(COLOURS.light.hues).sort());
  });

  it('draws what a file notes, whoever the plug-in is of, unless this version has no such look', () => {
    const transport = { hue: 'grey', marker: 'star' };
    const codec = { fill: 'bricks', dash: [1, 2] };
    assert.deepEqual(transportLook(noted(transport), 'mine'), transport);
    assert.deepEqual(codecLook(noted(codec), 'mine'), codec);
    for (const look of [undefined, { hue: 'beige', marker: 'star' }, { hue: 'grey', marker: 'heart' }]) {
      assert.deepEqual(transportLook(noted(look), 'mine'), transportLook({}, 'mine'));
    }
    for (const look of [
      { fill: 'fur', dash: [] },
      { ...codec, dash: [30, 30] },
      { ...codec, dash: [0] },
    ]) {
      assert.deepEqual(codecLook(noted(look), 'mine'), codecLook({}, 'mine'));
    }
  });

  it('gives a strange name the same valid look every time, whatever it is called', () => {
    for (const name of ['my-transport', '__proto__', 'toString', '', '日本語']) {
      const look = transportLook({}, name);
      assert.deepEqual(look, transportLook({ transports: {} }, name));
      assert.equal(look.ownsHue, undefined);
      assert.match(COLOURS.light.hues[look.hue], /^#[0-9a-f]{6}$/);
    }
  });

  it('tells the codecs apart by fill and by dash', () => {
    const looks = CODECS.map(declared);
    assert.equal(new Set(looks.map(({ fill }) => fill)).size, CODECS.length);
    assert.equal(new Set(looks.map(({ dash }) => dash.join())).size, CODECS.length);
    const periods = looks.map(({ dash }) => dash.reduce((sum, length) => sum + length, 0));
    assert.ok(Math.max(...periods) <= 34, 'a legend shows the whole of each');
  });

  it('gives a strange codec the same valid look every time, whatever it is called', () => {
    for (const name of ['my-codec', '__proto__', 'toString', '', '日本語']) {
      const look = codecLook({}, name);
      assert.deepEqual(look, codecLook({ codecs: {} }, name));
      assert.ok(look.fill !== undefined && Array.isArray(look.dash), name);
    }
  });

  for (const theme of THEMES) {
    it(`draws fills that can be told apart in the swatch of a legend in the ${theme} theme`, () => {
      const { background, hues } = COLOURS[theme];
      const swatches = CODECS.map((codec) => {
        const context = createCanvas(SWATCH.width, SWATCH.height).getContext('2d');
        // As the legend does it at two device pixels for each of its own.
        context.scale(2, 2);
        const { fill } = declared(codec);
        context.fillStyle = /** @type {string} */ (
          pixelFill({ colour: hues.blue, fill }, { background, density: 2, createCanvas })
        );
        context.fillRect(0, 0, SWATCH.width, SWATCH.height);
        return { name: codec.name, pixels: context.getImageData(0, 0, SWATCH.width, SWATCH.height).data };
      });
      for (const [index, left] of swatches.entries()) {
        for (const right of swatches.slice(index + 1)) {
          const differing = left.pixels.filter((value, at) => Math.abs(value - right.pixels[at]) > 60).length;
          const share = differing / left.pixels.length;
          assert.ok(share > 0.1, `${left.name} and ${right.name}: ${share.toFixed(2)} of the pixels`);
        }
      }
    });
  }
});

describe('a transport with settings', () => {
  const looksOf = (/** @type {string[]} */ series) => {
    const results = makeResults({ series });
    return makeSeries(results, results.outcomes).map(({ look }) => look);
  };

  it('differs in fill, dash and marker from the one without, and from one with another setting', () => {
    const ways = ['unix', 'unix:flush=tick', 'unix:flush=lead'];
    const looks = looksOf(ways.flatMap((way) => [`${way}/json`, `${way}/string`]));
    assert.equal(new Set(looks.map(({ colour }) => colour)).size, 1);
    for (const key of /** @type {const} */ (['fill', 'dash']))
      assert.equal(new Set(looks.map((look) => String(look[key]))).size, 6, key);
    assert.equal(new Set(looks.map(({ marker }) => marker)).size, 3);
  });

  it('has the fill of another transport with the same setting and codec', () => {
    const [, tick, , other] = looksOf([
      'unix/json',
      'unix:flush=tick/json',
      'pipe/json',
      'pipe:flush=tick/json',
    ]);
    assert.equal(tick.fill, other.fill);
  });

  it('has a fill in any case: without one a row is not ranked', () => {
    const many = Array.from({ length: 30 }, (_, index) => `unix:flush=${index}/json`);
    assert.ok(looksOf(many).every(({ fill }) => fill !== 'empty'));
    assert.equal(codecLook(noted({ fill: 'empty', dash: [2, 6] }), 'mine').fill, 'bricks');
  });
});

describe('the colours of parts', () => {
  it('are told apart by all colour visions, and carry letters in both themes', () => {
    const colours = Object.entries(PART_COLOURS);
    for (const vision of Object.keys(VISIONS)) {
      for (const [index, [left, colour]] of colours.entries()) {
        for (const [right, other] of colours.slice(index + 1, index + 2)) {
          const difference = colourDifference(labOf(colour, vision), labOf(other, vision));
          assert.ok(
            difference >= LEAST_DIFFERENCE,
            `${vision}: ${left} and ${right}, ${difference.toFixed(1)}`,
          );
        }
      }
    }
    for (const [name, colour] of colours) assert.ok(contrast(PART_INK, colour) >= 4.5, name);
  });
});
