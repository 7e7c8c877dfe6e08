import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { redactText, redactUrl, secretsOfUrl, shownPaths } from '../../lib/format/redact.js';

const SENTINEL = 'S3ntinel-Pa55';

describe('redactUrl', () => {
  it('removes user name and password, and keeps the host', () => {
    assert.equal(redactUrl(`redis://alice:${SENTINEL}@db.example:6379/2`), 'redis://db.example:6379/2');
    assert.equal(redactUrl(`redis://:${SENTINEL}@[::1]:6379`), 'redis://[::1]:6379');
    assert.equal(redactUrl(`redis://${SENTINEL}@db.example`), 'redis://db.example');
  });

  it('masks every value of the query and drops the fragment', () => {
    assert.equal(
      redactUrl(`redis://db.example?password=${SENTINEL}&db=1#${SENTINEL}`),
      'redis://db.example?password=***&db=***',
    );
    assert.equal(redactUrl(`redis://db.example/?${SENTINEL}`), 'redis://db.example/?***');
  });

  it('keeps the path of a unix socket', () => {
    assert.equal(
      redactUrl(`redis+unix://alice:${SENTINEL}@/run/x%20y?db=1`),
      'redis+unix:///run/x%20y?db=***',
    );
    assert.equal(redactUrl(`unix://:${SENTINEL}@/run/a@b`), '<url>');
  });

  it('returns a placeholder for a URL that cannot be parsed', () => {
    const broken = [
      '',
      SENTINEL,
      `redis:alice:${SENTINEL}@db.example`,
      `redis://alice:${SENTINEL}/x@db.example`,
      `redis://alice:12/${SENTINEL}@db.example`,
      `redis://alice:1?${SENTINEL}@db.example`,
      `redis://alice:1#${SENTINEL}@db.example`,
      `//alice:${SENTINEL}@db.example`,
    ];
    for (const url of broken) assert.equal(redactUrl(url), '<url>', url);
  });
});

describe('redactText', () => {
  it('removes user-info from every URL of a message', () => {
    assert.equal(
      redactText(`cannot connect to redis://alice:${SENTINEL}@db.example:6379: refused`),
      'cannot connect to redis://db.example:6379: refused',
    );
    assert.equal(
      redactText(`tried "amqp://a:${SENTINEL}@h/v", (nats://${SENTINEL}@h:4222).`),
      'tried "amqp://h/v", (nats://h:4222).',
    );
  });

  it('masks a known secret in each spelling that libraries use', () => {
    const secret = 'p@ss"w/ö1';
    const message = `AUTH ${secret} failed, ${encodeURIComponent(secret)}, ${JSON.stringify({ secret })}`;
    const redacted = redactText(message, [secret]);
    assert.equal(redacted, 'AUTH *** failed, ***, {"secret":"***"}');
  });

  it('masks the longer of two secrets that overlap', () => {
    assert.equal(redactText('abcdef abc', ['abc', 'abcdef']), '*** ***');
  });

  it('masks parts of a secret URL that stand alone', () => {
    const url = `redis://alice:${SENTINEL}@h/0?token=t0ken`;
    assert.equal(redactText(`WRONGPASS ${SENTINEL} of alice, t0ken`, [url]), 'WRONGPASS *** of ***, ***');
    assert.equal(redactText(`no answer from ${url}`, [url]), 'no answer from redis://h/0?token=***');
    assert.equal(redactText(`no answer from ${url}%/@h`, [`${url}%/@h`]), 'no answer from <url>');
  });

  it('masks the path of a unix socket in any spelling, but no numbers', () => {
    for (const path of ['/home/bob/x y/r.sock', '/home/bob/x%20y/r.sock', '/home/./bob/x y/r.sock']) {
      const url = `unix://alice:${SENTINEL}@${path}?db=1`;
      const text = `cannot use ${url}, connect ENOENT /home/bob/x y/r.sock, after 1 of 10 s by alice`;
      const expected = 'cannot use unix://***?db=*** connect ENOENT ***, after 1 of 10 s by ***';
      assert.equal(redactText(text, [url]), expected);
    }
  });

  it('does not change a text without secrets', () => {
    const honest =
      'connect ECONNREFUSED 127.0.0.1:6379 at file:///opt/node_modules/@scope/x.js:1:2, see https://nodejs.org';
    assert.equal(redactText(honest, ['', 'absent']), honest);
  });

  it('writes the home folder as ~, since its name is the user’s', () => {
    const home = homedir();
    assert.equal(redactText(`at ${home}/project/x.js, ${home}`), 'at ~/project/x.js, ~');
    assert.equal(redactText(`/mnt${home}/x ${home}fs/y`), `/mnt${home}/x ${home}fs/y`);
  });

  it('masks a password in any surroundings', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 30 }),
        fc.string({ maxLength: 30 }),
        fc.webUrl({ withQueryParameters: true }),
        (before, after, target) => {
          const url = target.replace('://', `://alice:${SENTINEL}@`);
          assert.ok(!redactText(`${before} ${url} ${after}`).includes(SENTINEL));
          assert.ok(!redactText(`${before}${SENTINEL}${after}`, secretsOfUrl(url)).includes(SENTINEL));
        },
      ),
      { seed: 1, numRuns: 200 },
    );
  });

  it('takes linear time for a hostile line', () => {
    const startedAt = process.hrtime.bigint();
    redactText('a-'.repeat(100_000) + 'x://'.repeat(50_000));
    assert.ok(process.hrtime.bigint() - startedAt < 5_000_000_000n);
  });
});

describe('shownPaths', () => {
  it('names neither the working directory nor the home folder', () => {
    const [here, home] = [process.cwd(), homedir()];
    const [mine, other] = [join(here, 'mine.js'), join(home, 'my codecs', 'x.js')];
    const shown = `.${mine.slice(here.length)}`;
    assert.equal(shownPaths(`unix,${mine},base=@${here}`), `unix,${shown},base=@.`);
    assert.equal(shownPaths(pathToFileURL(mine).href), './mine.js');
    assert.equal(shownPaths(pathToFileURL(other).href), '~/my%20codecs/x.js');
    assert.equal(shownPaths(`--codec '${other}'`), `--codec '~${other.slice(home.length)}'`);
    assert.equal(shownPaths(`${here}-old/x ${home}fs`), `${here}-old/x ${home}fs`);
  });
});

describe('redactText', () => {
  it('hides a home folder with a blank in a URL', { skip: process.platform === 'win32' }, () => {
    const { HOME } = process.env;
    process.env.HOME = '/home/Anna Maria';
    try {
      assert.equal(redactText('--import file:///home/Anna%20Maria/hook.mjs'), '--import ~/hook.mjs');
    } finally {
      if (HOME === undefined) delete process.env.HOME;
      else process.env.HOME = HOME;
    }
  });
});

describe('secretsOfUrl', () => {
  it('returns user, password and query values, raw and decoded', () => {
    assert.deepEqual(secretsOfUrl('redis://al%40ice:p%23w@h/0?token=t%2F1').toSorted(), [
      'al%40ice',
      'al@ice',
      'p#w',
      'p%23w',
      't/1',
    ]);
  });

  it('finds the password of a URL that no parser takes', () => {
    assert.ok(secretsOfUrl(`redis://alice:a/${SENTINEL}%@h`).includes(`a/${SENTINEL}%`));
  });

  it('does not return the user name default', () => {
    assert.deepEqual(secretsOfUrl('redis://default:pw@h'), ['pw']);
  });

  it('returns nothing for a URL without secrets', () => {
    assert.deepEqual(secretsOfUrl('redis://127.0.0.1:6379/0'), []);
    assert.deepEqual(secretsOfUrl('nonsense'), []);
  });
});
