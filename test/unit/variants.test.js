import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseVariants } from '../../lib/options/compare-options.js';

/** @param {string} written   behind the equal sign */
const variantOf = (written) => parseVariants([`A=${written}`, 'B='])[0];

describe('a variant', () => {
  it('is a row as the table has it, or options, from here or another folder', () => {
    const [one, other] = parseVariants([
      'A=unix:flush=tick/json',
      'new=@../tree --transport=tcp --codec "json,string"',
    ]);
    const argv = { transport: 'unix:flush=tick', codec: 'json' };
    assert.deepEqual(one, { name: 'A', written: 'unix:flush=tick/json', tree: null, argv });
    assert.equal(other.tree, '../tree');
    assert.deepEqual(other.argv, { transport: 'tcp', codec: 'json,string' });
    assert.deepEqual(parseVariants(['A=', 'B=@.'])[1].argv, {});
  });

  for (const [written, argv] of /** @type {[string, Record<string, unknown>][]} */ ([
    ['unix', { transport: 'unix' }],
    ['unix/json/more', { transport: 'unix', codec: 'json' }],
    ['@../tree tcp/v8 --payload 10', { transport: 'tcp', codec: 'v8', payload: '10' }],
    ['--payload 10 --codec=json', { payload: '10', codec: 'json' }],
    ['  --payload   10\n--codec json ', { payload: '10', codec: 'json' }],
    [`--transport 'a b'"c d"e`, { transport: 'a bc de' }],
    [`--transport="it's"`, { transport: "it's" }],
    ['--transport=', { transport: '' }],
    ['--transport unix:a=b', { transport: 'unix:a=b' }],
    ['--transport=unix:a=b', { transport: 'unix:a=b' }],
    ['--transport unix --transport tcp', { transport: 'tcp' }],
    ['-t unix -c json', { transport: 'unix', codec: 'json' }],
    ['@../tree -w 1x1 -p 10', { workers: '1x1', payload: '10' }],
    ['--no-catchup', { catchup: false }],
    ['--catchup --codec v8', { catchup: true, codec: 'v8' }],
  ])) {
    it(`has the options ${JSON.stringify(argv)}: ${JSON.stringify(written)}`, () => {
      assert.deepEqual(variantOf(written).argv, argv);
    });
  }

  it('keeps what was written of it, its folder included and blanks around it apart', () => {
    const { written, tree } = variantOf('  @../tree tcp/json ');
    assert.deepEqual([written, tree], ['@../tree tcp/json', '../tree']);
  });

  it('has a name of at most 40 characters that differs from the other by more than its case', () => {
    const longest = 'x'.repeat(40);
    assert.equal(parseVariants([`${longest}=unix`, '0.a_b-c=tcp'])[0].name, longest);
    assert.throws(() => parseVariants([`${longest}x=unix`, 'B=tcp']), /no name for a variant/);
    assert.throws(() => parseVariants(['.a=unix', 'B=tcp']), /no name for a variant/);
  });

  for (const [texts, message] of /** @type {[string[], RegExp][]} */ ([
    [['A=unix'], /needs two variants, not 1/],
    [['A=unix', 'B=tcp', 'C=pipe'], /needs two variants, not 3/],
    [['A=unix', 'a=tcp'], /both variants are called "a"/],
    [['unix', 'B=tcp'], /"unix" has no name/],
    [['=unix', 'B=tcp'], /"=unix" has no name/],
    [['A/..=unix', 'B=tcp'], /no name for a variant/],
    [['A=unix', 'B=--transprt tcp'], /B: --transprt is no option.*--transport/],
    [['A=unix', 'B=--transprt=tcp'], /B: --transprt is no option/],
    [['A=unix', 'B=--launches 3'], /B: --launches holds for both variants/],
    [['A=unix', 'B=--no-controls'], /B: --no-controls holds for both variants/],
    [['A=unix', 'B=--out x'], /B: --out holds for both variants/],
    [['A=unix', 'B=--reference tcp/json'], /B: --reference holds for both variants/],
    [['A=unix', 'B=--sweep'], /B: --sweep holds for both variants/],
    [['A=unix', 'B=--'], /B: -- is no option/],
    [['A=unix', 'B=-undefined 2'], /B: -undefined is no option/],
    [['A=unix', 'B=--transport'], /B: --transport needs a value/],
    [['A=unix', 'B=--no-codec json'], /B: --no-codec is no option: --codec takes a value/],
    [['A=./mine.js', 'B=tcp'], /write A="--transport \.\/mine\.js"/],
    [['A=/mine.js', 'B=tcp'], /write A="--transport \/mine\.js"/],
    [['A=unix tcp', 'B=tcp'], /A: "tcp" is no TRANSPORT\/CODEC/],
    [['A=--transport unix tcp', 'B=tcp'], /A: "tcp" is no TRANSPORT\/CODEC/],
    [['A=@', 'B=tcp'], /no folder after the @/],
  ])) {
    it(`is refused: ${texts.join(' ')}`, () => {
      assert.throws(() => parseVariants(texts), { code: 'BAD_ARGUMENT', message });
    });
  }
});
