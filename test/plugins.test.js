import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  builtinNames,
  isForeign,
  loadCodecs,
  loadScenarios,
  loadTransports,
  whyUnavailable,
} from '../lib/plugins.js';

const folder = mkdtempSync(join(tmpdir(), 'plugins-test-'));
after(() => rmSync(folder, { recursive: true }));

const CODEC = "export default { name: 'own', summary: 'mine', produces: 'text', encode() {}, decode() {} };";

/**
 * @param {string} path
 * @param {string} content
 */
function file(path, content) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
  return join(folder, path);
}

describe('builtinNames', () => {
  it('are the files of the folder', () => {
    assert.deepEqual(builtinNames('codec'), ['binary', 'json', 'msgpack', 'string', 'v8']);
    assert.deepEqual(builtinNames('scenario'), ['round-trip']);
    for (const name of ['pipe', 'unix', 'tcp', 'redis-pubsub', 'zeromq']) {
      assert.ok(builtinNames('transport').includes(name), name);
    }
  });
});

describe('loading', () => {
  it('finds what is built in by its name, under the name of its file', async () => {
    const loaded = await loadTransports(['unix', 'pipe']);
    assert.deepEqual([...loaded.keys()], ['unix', 'pipe']);
    const unix = loaded.get('unix');
    assert.ok(unix?.url.endsWith('/transports/unix.js') && !isForeign(unix));
  });

  it('finds a file by a path from the working directory', async () => {
    const path = file('codecs/own.js', CODEC);
    const loaded = (await loadCodecs(['./codecs/own.js'], folder)).get('own');
    assert.equal(loaded?.url, pathToFileURL(path).href);
    assert.ok(loaded && isForeign(loaded));
  });

  it('finds a package of the working directory, also one for import only', async () => {
    const manifest = {
      name: 'bench-codec',
      version: '1.0.0',
      type: 'module',
      exports: { import: './codec.js' },
    };
    file('node_modules/bench-codec/package.json', JSON.stringify(manifest));
    const path = file('node_modules/bench-codec/codec.js', CODEC);
    assert.equal((await loadCodecs(['bench-codec'], folder)).get('own')?.url, pathToFileURL(path).href);
  });

  it('loads no package that was not named', async () => {
    file('node_modules/ipc-bench-codec-rogue/package.json', '{ "main": "index.js" }');
    file('node_modules/ipc-bench-codec-rogue/index.js', 'globalThis.rogueWasLoaded = true;');
    await loadCodecs(['json'], folder);
    assert.equal('rogueWasLoaded' in globalThis, false);
  });

  it('takes the same file under two names for one plug-in', async () => {
    file('codecs/own.js', CODEC);
    const loaded = await loadCodecs(['./codecs/own.js', './codecs/../codecs/own.js'], folder);
    assert.deepEqual(
      [...loaded.values()].map(({ askedAs }) => askedAs.length),
      [2],
    );
  });

  it('refuses two plug-ins of one name, since their rows could not be told apart', async () => {
    file('codecs/one.js', CODEC);
    file('codecs/two.js', CODEC);
    await assert.rejects(loadCodecs(['./codecs/one.js', './codecs/two.js'], folder), {
      code: 'BAD_PLUGIN',
      message: /two codecs call themselves "own"/,
    });
  });

  it('suggests the built-in name that was meant', async () => {
    const refused = { code: 'BAD_ARGUMENT', message: /no transport "unx".*Built in: .*Did you mean unix\?/ };
    await assert.rejects(loadTransports(['unx'], folder), refused);
    await assert.rejects(loadScenarios(['roundtrip'], folder), /Did you mean round-trip/);
  });

  it('does not take parts of Node, flags or files that are not there for plug-ins', async () => {
    for (const name of ['fs', 'node:fs', '--eval', 'a b', './nowhere.js', '/nowhere.js', '']) {
      await assert.rejects(loadCodecs([name], folder), { code: 'BAD_ARGUMENT' }, name);
    }
  });

  it('says what fails when a plug-in cannot be loaded', async () => {
    file('broken.js', "throw new Error('no luck today');");
    await assert.rejects(loadCodecs(['./broken.js'], folder), {
      code: 'BAD_PLUGIN',
      message: /no luck today/,
    });
  });

  it('names everything that is missing in one message', async () => {
    file(
      'half.js',
      "export default { name: 'a/b', summary: 'x', traits: { class: 'tube' }, carries: ['soup'] };",
    );
    await assert.rejects(loadTransports(['./half.js'], folder), (/** @type {any} */ error) => {
      assert.equal(error.code, 'BAD_PLUGIN');
      const faults = error.message.match(/(?<=- )[\w.]+ (is missing|does not fit)/g);
      assert.deepEqual(faults, [
        'name does not fit',
        'carries does not fit',
        'listen is missing',
        'connect is missing',
        'traits.class does not fit',
        ...['reach', 'direction', 'guarantee', 'greatestMessageBytes', 'platforms', 'broker', 'sources'].map(
          (trait) => `traits.${trait} is missing`,
        ),
      ]);
      return true;
    });
  });

  for (const content of [
    'export {};',
    'export default null;',
    'export default [];',
    'export default () => {};',
  ]) {
    it(`refuses a module without a plug-in: ${content}`, async () => {
      const path = file(`none-${content.length}.js`, content);
      await assert.rejects(loadCodecs([path], folder), { code: 'BAD_PLUGIN', message: /default export/ });
    });
  }
});

describe('whyUnavailable', () => {
  const traits = { platforms: [process.platform] };
  const broker = { name: 'redis', whyUnavailable: async () => 'no server: install one' };

  /** @param {object} transport */
  const why = (transport, redisUrl = /** @type {string | null} */ (null)) =>
    whyUnavailable(/** @type {any} */ ({ name: 't', traits, ...transport }), redisUrl);

  it('asks for the platform, then the transport, then its broker', async () => {
    assert.equal(await why({}), null);
    assert.match(String(await why({ traits: { platforms: ['plan9'] } })), /t exists on plan9 only/);
    assert.equal(await why({ whyUnavailable: async () => 'no module', broker }), 'no module');
    assert.equal(await why({ whyUnavailable: async () => undefined, broker }), 'no server: install one');
  });

  it('asks for no server of its own when the user has one', async () => {
    assert.equal(await why({ broker }, 'redis://h'), null);
    assert.match(String(await why({ broker: { ...broker, name: 'nats' } }, 'redis://h')), /no server/);
  });
});
