import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { checkedSettings } from '../../lib/cell/settings.js';
import { GROUP_NAMES, TRANSPORT_CLASSES } from '../../lib/cell/traits.js';
import { refuseStrangeBrokers, USUAL_SCHEMES } from '../../lib/options/broker-urls.js';
import { refuseListedWords, withoutGroups } from '../../lib/plan/transport-choices.js';
import { builtinNames, builtinUrl, isForeign } from '../../lib/plugins/builtins.js';
import { callPlugin, hasAbandonedPlugins, runningPlugins } from '../../lib/plugins/plugin-call.js';
import { faultsIn } from '../../lib/plugins/plugin-faults.js';
import {
  availabilityProblem,
  loadCodecs,
  loadScenarios,
  loadTransports,
  otherNames,
} from '../../lib/plugins/plugins.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { resolved } from '../fixtures/resolved.js';

const folder = ownFolder('plugins-test-');

const KINDS = /** @type {const} */ (['transport', 'codec', 'scenario', 'report', 'runtime']);
const WRITES = "summary: 'mine', produces: 'text', encode: JSON.stringify";
const CODEC = `export default { name: 'own', ${WRITES}, decode: JSON.parse };`;

/**
 * @param {string} path
 * @param {string} content
 */
function file(path, content) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
  return join(folder, path);
}

describe('what is built in', () => {
  for (const kind of KINDS)
    it(`has the shape of a ${kind}`, async () => {
      for (const name of builtinNames(kind)) {
        const { default: plugin } = await import(builtinUrl(kind, name));
        assert.deepEqual(faultsIn(kind, plugin, name), [], name);
      }
    });

  it('refuses a built-in plug-in under another name than that of its file', () => {
    const codec = { name: 'other', summary: 's', produces: 'text', encode() {}, decode() {} };
    assert.deepEqual(faultsIn('codec', codec, 'mine'), ['name is "other", but the file is mine.js']);
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

  it('says what is wrong with a codec that does not give back what it was given', async () => {
    const wrong = {
      'decode: (wire) => ({ ...JSON.parse(wire), id: 7 })':
        /decode\(encode\(message\)\) gives {"id":7,"payload":.*} for {"id":1234567890,/,
      'decode: () => null': /gives null for/,
      "decode() { throw new RangeError('too long') }": /it throws for {.*}: too long/,
      "decode: JSON.parse, produces: 'bytes'": /encode gives {"id".*, but produces is 'bytes'/,
    };
    for (const [index, [decode, message]] of Object.entries(wrong).entries()) {
      const path = file(
        `codecs/wrong-${index}.js`,
        `export default { name: 'wrong', ${WRITES}, ${decode} };`,
      );
      await assert.rejects(loadCodecs([path], folder), { code: 'BAD_PLUGIN', message });
    }
  });

  it('does not ask a codec for want of whose package nothing can be asked', async () => {
    const ways = [
      "whyUnavailable: async () => 'install it'",
      "async prepare() { throw new Error('not there') }",
    ];
    for (const [index, way] of ways.entries()) {
      const throwing = "decode() { throw new Error('unprepared') }";
      const path = file(
        `codecs/without-${index}.js`,
        `export default { name: 'own', ${WRITES}, ${throwing}, ${way} };`,
      );
      assert.ok((await loadCodecs([path], folder)).has('own'));
    }
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
      [...loaded.values()].map(({ writtenAs }) => writtenAs.length),
      [2],
    );
  });

  it('refuses two plug-ins of one name, since their rows could not be told apart', async () => {
    file('codecs/one.js', CODEC);
    file('codecs/two.js', CODEC);
    await assert.rejects(loadCodecs(['./codecs/one.js', './codecs/two.js'], folder), {
      code: 'BAD_PLUGIN',
      message: /two codecs have the name "own"/,
    });
  });

  it('suggests the built-in name that was meant', async () => {
    const refused = { code: 'BAD_ARGUMENT', message: /no transport "unx".*Did you mean unix\? Built in: / };
    await assert.rejects(loadTransports(['unx'], folder), refused);
    await assert.rejects(loadScenarios(['roundtrip'], folder), /Did you mean round-trip/);
  });

  it('suggests the built-in name for what people call the same elsewhere', async () => {
    const meant = { uds: 'unix', ipc: 'pipe or unix', worker_threads: 'threads-message or threads-shared' };
    Object.assign(meant, { child_process: 'pipe', ws: 'websocket', zmq: 'zeromq', amqp: 'rabbitmq' });
    Object.assign(meant, { redis: 'redis-list, redis-pubsub or redis-streams' });
    for (const [name, hint] of Object.entries(meant)) {
      const message = new RegExp(`no transport "${name}".* Did you mean ${hint}\\? `);
      await assert.rejects(loadTransports([name], folder), { code: 'BAD_ARGUMENT', message });
    }
    await assert.rejects(loadCodecs(['messagepack'], folder), / Did you mean msgpack\? /);
    await assert.rejects(loadCodecs(['advanced'], folder), / Did you mean v8\? /);
    await assert.rejects(loadScenarios(['streaming'], folder), / Did you mean stream\? /);
  });

  it('names the built-in part where a package of another name is installed', async () => {
    await assert.rejects(loadTransports(['ws'], process.cwd()), {
      code: 'BAD_PLUGIN',
      message: /^transport ws \(.*\) is not usable:.* Did you mean websocket\?$/s,
    });
  });

  it('knows other names only for what is built in', () => {
    for (const kind of /** @type {const} */ (['transport', 'codec', 'scenario'])) {
      const names = Object.values(otherNames(kind)).flat();
      assert.ok(names.length > 0);
      assert.deepEqual(
        names.filter((name) => !builtinNames(kind).includes(name)),
        [],
      );
    }
  });

  it('does not take parts of Node, flags or files that are not there for plug-ins', async () => {
    for (const name of ['fs', 'node:fs', '--eval', 'a b', './nowhere.js', '/nowhere.js', '']) {
      await assert.rejects(loadCodecs([name], folder), { code: 'BAD_ARGUMENT' }, name);
    }
  });

  it('says on which line a plug-in cannot be loaded, and in which file where that is another one', async () => {
    file('inner.js', 'export {};\nnull.foo;');
    file('inner-syntax.js', 'export {};\n\nfoo bar');
    const places = {
      'syntax.js': [
        'export default {\n  name: 1,\n  foo bar\n}',
        /Unexpected identifier 'bar' \(line 3\); .*extending\.md/,
      ],
      'throws.js': ['\nnull.foo;', /reading 'foo'\) \(line 2, column 6\); .*extending\.md/],
      'export.js': [
        "import { nothing } from 'node:fs';",
        /export named 'nothing' \(line 1\); .*extending\.md/,
      ],
      'deep.js': ["import './inner.js';", /\(line 2, column 6 of .*inner\.js\); .*extending\.md/],
      'deep-syntax.js': [
        "import './inner-syntax.js';",
        /'bar' \(line 3 of .*inner-syntax\.js\); .*extending\.md/,
      ],
    };
    for (const [name, [content, message]] of Object.entries(places)) {
      const path = file(name, /** @type {string} */ (content));
      await assert.rejects(loadCodecs([path]), { code: 'BAD_PLUGIN', message }, name);
    }
  });

  it('says how to install a package that a plug-in imports and that is missing', async () => {
    const own = file('own.mjs', "import 'ipc-bench/transport';");
    await assert.rejects(loadTransports([own]), /Cannot find package .* npm install "(?:\/|[A-Z]:\\).*"\.$/);
    const other = file('other.mjs', "import '@scope/nowhere';");
    await assert.rejects(loadTransports([other]), /Cannot find package .* npm install @scope\/nowhere\.$/);
  });

  it('says how to write a file of the working directory that is named without ./', async () => {
    file('mine.js', CODEC);
    await assert.rejects(loadCodecs(['mine.js'], folder), {
      code: 'BAD_ARGUMENT',
      message: '--codec: no codec "mine.js" is built in, but there is a file of that name; write ./mine.js',
    });
  });

  it('names everything that is missing in one message', async () => {
    file(
      'half.js',
      "export default { name: 'a/b', summary: 'x', traits: { class: 'tube' }, carries: ['soup'] };",
    );
    await assert.rejects(loadTransports(['./half.js'], folder), (/** @type {any} */ error) => {
      assert.equal(error.code, 'BAD_PLUGIN');
      const faults = error.message.match(/(?<=- )[\w.[\]]+ (is missing|does not fit)/g);
      assert.deepEqual(faults, [
        'name does not fit',
        'traits.class does not fit',
        ...['reach', 'direction', 'guarantee', 'greatestMessageBytes', 'platforms', 'broker', 'sources'].map(
          (trait) => `traits.${trait} is missing`,
        ),
        'carries[0] does not fit',
        'listen is missing',
        'connect is missing',
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

describe('the traits of a transport', () => {
  /** @param {string} parts   that are added to what is usable, or replace it */
  async function faultsOf(parts) {
    const path = file(
      'traits.js',
      `const usable = { class: 'broker', reach: 'host', direction: 'duplex', guarantee: 'g', greatestMessageBytes: 1,
         platforms: [], broker: null, sources: [] };
       const base = { name: 't', summary: 's', traits: usable, carries: ['text'], listen() {}, connect() {} };
       export default { ...base, ${parts} };`,
    );
    const copy = join(folder, `traits-${Math.random()}.js`); // Node loads a path once
    writeFileSync(copy, readFileSync(path));
    const error = await loadTransports([copy]).catch((/** @type {any} */ caught) => caught);
    return error instanceof Map ? [] : [...error.message.matchAll(/\n {2}- (.*)/g)].map(([, fault]) => fault);
  }

  it('accepts traits for order, loss, durability and spinning in known words only', async () => {
    const words = "durability: 'disk', order: 'free', loss: 'possible', isSpinning: true, isCostly: true";
    assert.deepEqual(
      await faultsOf(`traits: { ...usable, direction: 'request-reply', packages: ['x'], ${words} }`),
      [],
    );
    assert.deepEqual(
      await faultsOf(
        "traits: { ...usable, durability: 'ssd', order: 'kept', loss: 'no', isSpinning: false }",
      ),
      [
        'traits.durability does not fit: memory or disk, or absent',
        'traits.order does not fit: free, or absent',
        'traits.loss does not fit: possible, or absent',
        'traits.isSpinning does not fit: true, or absent',
      ],
    );
  });

  it('accepts traits that depend on settings, and checks them with the defaults', async () => {
    const settings = "settings: { guarantee: { summary: 's', default: 'none' } }";
    const disk = "traitsOf: ({ guarantee }) => (guarantee === 'none' ? { durability: 'disk' } : {})";
    assert.deepEqual(await faultsOf(`${settings}, ${disk}`), []);
    assert.deepEqual(await faultsOf('traitsOf: 5'), ['traitsOf does not fit: a function, or absent']);
    assert.deepEqual(await faultsOf('traitsOf: () => 5'), [
      'traitsOf gives no object: what differs from traits, or {}',
    ]);
    assert.deepEqual(await faultsOf("traitsOf: () => ({ loss: 'much' })"), [
      'traitsOf().loss does not fit: possible, or absent',
    ]);
    const window = (/** @type {string} */ text) =>
      faultsOf(`traitsOf: () => ({ acknowledgementWindow: ${text} })`);
    assert.deepEqual(await window("{ setting: 'inflight', messages: 1 }"), []);
    for (const [text, fault] of Object.entries({
      5: ' does not fit',
      "{ setting: 'inflight', messages: 0 }": '.messages does not fit',
      '{ messages: 1 }': '.setting is missing',
    })) {
      const [found] = await window(text);
      const wanted = 'the name of a setting and a number of messages above 0';
      assert.ok(found.startsWith(`traitsOf().acknowledgementWindow${fault}: ${wanted}`), found);
    }
    assert.deepEqual(await faultsOf("traitsOf: () => { throw new Error('oops'); }"), [
      'traitsOf fails with the defaults: oops',
    ]);
  });

  it('accepts scenarios that measure parts, or cold processes', () => {
    const facts = { title: 't', unit: 'µs', better: 'lower', kind: 'value', read: () => 1 };
    const measures = [
      { ...facts, name: 'whole' },
      { ...facts, name: 'part', partOf: 'whole' },
    ];
    const scenario = { name: 's', summary: 's', endpoint() {}, measures, isCold: true, leastWindowMs: 10 };
    assert.deepEqual(faultsIn('scenario', scenario, null), []);
    const wrong = { ...scenario, measures: measures.slice(1), isCold: 'yes', leastWindowMs: 0 };
    const faults = faultsIn('scenario', wrong, null);
    assert.deepEqual(
      faults.map((fault) => fault.split(' ')[0]),
      ['measures', 'isCold', 'leastWindowMs'],
    );
    assert.match(faults[0], /beside and partOf names of others/);
  });

  it('requires each part of a measure of a scenario', () => {
    const measure = { name: 'a1', title: 't', unit: 'µs', better: 'lower', kind: 'value', read: () => 1 };
    const scenario = { name: 's', summary: 's', endpoint() {} };
    const faultsWith = (/** @type {object} */ differences) =>
      faultsIn('scenario', { ...scenario, measures: [{ ...measure, ...differences }] }, null).length;
    assert.equal(faultsWith({}), 0);
    assert.equal(faultsWith({ name: `a${'b'.repeat(79)}` }), 0);
    const wrong = [
      ...[
        { name: 'A' },
        { name: '1a' },
        { name: 'a-b' },
        { name: `a${'b'.repeat(80)}` },
        { name: undefined },
      ],
      ...[{ title: '' }, { title: 5 }, { unit: 'parsec' }, { better: 'more' }, { kind: 'text' }, { read: 5 }],
    ];
    for (const differences of wrong) assert.equal(faultsWith(differences), 1, JSON.stringify(differences));
  });

  it('accepts only the looks that charts have', async () => {
    assert.deepEqual(await faultsOf("look: { hue: 'grey', marker: 'star' }"), []);
    for (const [look, message] of /** @type {[string, RegExp][]} */ ([
      ["{ hue: 'beige', marker: 'star' }", /^look\.hue does not fit: one of blue, .*, grey$/],
      ["{ hue: 'grey' }", /^look\.marker is missing: one of star, /],
      ['5', /^look does not fit: \{ hue, marker \} of blue, .* and star, .*, or absent$/],
      ['null', /^look does not fit: /],
    ])) {
      const [fault] = await faultsOf(`look: ${look}`);
      assert.match(fault, message);
    }
    const codec = { name: 'c', summary: 's', produces: 'text', encode() {}, decode() {} };
    for (const dash of [[1], [20, 14]])
      assert.deepEqual(faultsIn('codec', { ...codec, look: { fill: 'dots', dash } }, null), []);
    const [fault] = faultsIn('codec', { ...codec, look: { fill: 'dots', dash: [20, 15] } }, null);
    assert.match(fault, /^look\.dash does not fit: \{ fill, dash \} of solid, .* and at most 34 pixels$/);
  });

  it('requires the broker of a transport under its own name, which is no group', async () => {
    const broker = "broker: { name: 'b', whyUnavailable() {}, start() {}, urlSchemes: ['x'] }";
    assert.deepEqual(await faultsOf(broker), ['traits.broker is not "b", the name of its broker']);
    assert.deepEqual(await faultsOf(`${broker}, traits: { ...usable, broker: 'b' }`), []);
    assert.deepEqual(await faultsOf(broker.replace("['x']", '5')), [
      'broker.urlSchemes does not fit: a list of schemes of URLs, or absent',
    ]);
    const packaged = broker.replace('urlSchemes', 'packages: { apt: 5 }, urlSchemes');
    assert.match(
      String(await faultsOf(packaged)),
      /^broker\.packages\.apt does not fit: names by the program/,
    );
    for (const group of GROUP_NAMES) {
      assert.deepEqual(await faultsOf(`name: '${group}'`), [
        `name is "${group}", which is the name of a group of transports; choose another`,
      ]);
    }
  });
});

describe('groups of transports', () => {
  /** @param {string} text */
  const chosen = async (text) => {
    const { options } = resolved({ transport: text });
    return (await withoutGroups(options)).transports;
  };
  const builtin = async () => [...(await loadTransports(builtinNames('transport'))).values()];

  it('divides all built-in transports into groups by their class', async () => {
    const all = await chosen('all');
    const plugins = (await builtin()).map(({ plugin }) => plugin);
    // A pool has no channels: in most scenarios it could not be measured.
    const others = plugins.filter(({ traits }) => !traits.startsWorkers).map(({ name }) => name);
    assert.deepEqual(all.map(({ name }) => name).sort(), others.sort());
    for (const { name, group } of TRANSPORT_CLASSES) {
      const members = plugins.filter(({ traits }) => traits.class === name).map((plugin) => plugin.name);
      if (members.length === 0) continue;
      assert.deepEqual(
        await chosen(group),
        members.map((member) => ({ name: member, settings: {} })),
      );
    }
  });

  it('orders groups of transports by class', async () => {
    const plugins = new Map((await builtin()).map(({ plugin }) => [plugin.name, plugin.traits.class]));
    const classes = (await chosen('all')).map(({ name }) => plugins.get(name));
    const order = TRANSPORT_CLASSES.map(({ name }) => name).filter((name) => classes.includes(name));
    assert.deepEqual([...new Set(classes)], order);
    assert.deepEqual(
      classes.toSorted(
        (left, right) => order.indexOf(/** @type {any} */ (left)) - order.indexOf(/** @type {any} */ (right)),
      ),
      classes,
    );
  });

  it('mixes groups with names, and lists nothing twice', async () => {
    const choices = await chosen('unix,unix:flush=tick,sockets,./mine.js');
    const names = choices.map(({ name }) => name);
    assert.deepEqual(choices.slice(0, 2), [
      { name: 'unix', settings: {} },
      { name: 'unix', settings: { flush: 'tick' } },
    ]);
    assert.equal(names.filter((name) => name === 'unix').length, 2);
    assert.ok(names.includes('tcp'));
    assert.equal(names.at(-1), './mine.js');
  });

  it('suggests a group for a misspelt one', async () => {
    await assert.rejects(
      loadTransports(['brokrs'], folder),
      /Did you mean brokers\?.* groups: all, pipes, /s,
    );
  });
});

describe('values of a setting that are words', () => {
  const refusal = (/** @type {Record<string, string>} */ argv) => refuseListedWords(resolved(argv).options);

  it('refuses the value of a setting that stands alone after a comma', async () => {
    for (const [transport, next] of Object.entries({
      'tcp:flush=tick,lead':
        'lead" is no transport, but a value of flush of tcp; .* write tcp:flush=tick,tcp:flush=lead$',
      'pipe,tcp:noDelay=true,false': '"false" .* write tcp:noDelay=true,tcp:noDelay=false$',
      'tcp:noDelay=false,flush=tick,lead': 'write tcp:noDelay=false,flush=tick,tcp:noDelay=false,flush=lead$',
    })) {
      await assert.rejects(refusal({ transport }), { code: 'BAD_ARGUMENT', message: new RegExp(next) });
    }
    await assert.rejects(refusal({ scenario: 'stream:direction=both,to-worker' }), {
      message: /^--scenario: "to-worker" .* write stream:direction=both,stream:direction=to-worker$/,
    });
  });

  it('refuses groups where one transport is expected', async () => {
    await refusal({ transport: 'tcp:flush=tick,unix,./lead,pipes,mine', scenario: 'stream,round-trip' });
  });
});

describe('URLs of brokers', () => {
  const transport = (/** @type {object} */ broker) => ({ plugin: /** @type {any} */ ({ broker }) });
  const mine = transport({ name: 'mine', urlSchemes: ['mine', 'mines'] });

  it('accepts URLs for brokers of built-in and loaded transports, by their schemes', async () => {
    await refuseStrangeBrokers({ redis: 'rediss://localhost', mine: 'mines://localhost' }, [mine]);
    await refuseStrangeBrokers({}, []);
  });

  it('refuses a URL for an unknown broker, with the known names', async () => {
    await assert.rejects(refuseStrangeBrokers({ reddis: 'redis://localhost' }, [mine]), {
      code: 'BAD_ARGUMENT',
      message: /there is no broker "reddis"; those of the transports are mine.*redis.*Did you mean redis\?/,
    });
    await assert.rejects(refuseStrangeBrokers({ mine: 'mine://localhost' }, []), /there is no broker "mine"/);
  });

  it('has an example for every built-in broker', async () => {
    const loaded = await loadTransports(builtinNames('transport'));
    const brokers = [...loaded.values()].flatMap(({ plugin }) => plugin.broker ?? []);
    assert.deepEqual(
      USUAL_SCHEMES,
      Object.fromEntries(
        brokers.flatMap(({ name, urlSchemes = [] }) =>
          urlSchemes.length === 0 ? [] : [[name, urlSchemes[0]]],
        ),
      ),
    );
  });

  it('refuses a URL with another scheme, or for a broker without URLs, and never quotes it', async () => {
    await assert.rejects(refuseStrangeBrokers({ redis: 'http://alice:S3cret@localhost' }, []), {
      code: 'BAD_ARGUMENT',
      message:
        '--broker-url redis: redis is reached by redis:// or rediss:// or unix:// or redis+unix://, not by "http://"; write redis://host:port',
    });
    await assert.rejects(refuseStrangeBrokers({ own: 'x://S3cret' }, [transport({ name: 'own' })]), {
      message: '--broker-url own: own takes no URL; leave it out',
    });
  });

  it('refuses a URL that its broker refuses, as Redis does with databases', async () => {
    const bad = ['redis://h/x', 'redis://h/-1', 'redis://h/?db=x', 'redis://:S3cret@h/1/2', 'unix:///r?db=x'];
    for (const redis of bad) {
      await assert.rejects(refuseStrangeBrokers({ redis }, []), {
        code: 'BAD_ARGUMENT',
        message:
          /^--broker-url redis: its database is not a number; write redis:\/\/host:port\/1, unix:(?!.*S3cret)/,
      });
    }
    for (const redis of [
      'redis://h',
      'rediss://h:1/',
      'redis://h/15',
      'redis://h?db=2',
      'unix:///r.sock?db=3',
    ]) {
      await refuseStrangeBrokers({ redis }, []);
    }
  });

  it('refuses the URL of a Unix socket for a server that listens on none', async () => {
    for (const scheme of ['unix', 'nats+unix']) {
      await assert.rejects(refuseStrangeBrokers({ nats: `${scheme}://:S3cret@/run/x` }, []), {
        code: 'BAD_ARGUMENT',
        message: '--broker-url nats: a server of nats listens on no unix socket; write nats://host:port',
      });
    }
    await assert.rejects(refuseStrangeBrokers({ rabbitmq: 'unix:///run/x' }, []), {
      message: /a server of rabbitmq listens on no unix socket; write amqp:\/\/host:port/,
    });
    await assert.rejects(refuseStrangeBrokers({ mqtt: 'redis+unix:///run/x' }, []), {
      message: /mqtt is reached by .*mqtt\+unix:\/\/, not by "redis\+unix:\/\/"/,
    });
  });

  it('requires the Unix socket of a URL only if a transport of the run uses it', async () => {
    const urls = { redis: 'unix:///nonexistent/redis.sock' };
    await refuseStrangeBrokers(urls, [mine]);
    await refuseStrangeBrokers(urls, []);
    // An iterator, as that of a map: it gives its values once.
    const loaded = [transport({ name: 'redis', urlSchemes: ['unix'] })].values();
    await assert.rejects(refuseStrangeBrokers(urls, loaded), {
      code: 'BAD_ARGUMENT',
      message: /^--broker-url redis: there is no socket at unix:.*\(ENOENT\)/,
    });
  });
});

describe('availabilityProblem', () => {
  const traits = { platforms: [process.platform] };
  const broker = { name: 'redis', whyUnavailable: async () => 'no server: install one' };

  /** @param {object} transport */
  const why = (transport, brokerUrls = /** @type {Record<string, string>} */ ({})) =>
    availabilityProblem(/** @type {any} */ ({ name: 't', traits, ...transport }), brokerUrls);

  it('checks the platform, then the transport, then its broker', async () => {
    assert.equal(await why({}), null);
    assert.match(String(await why({ traits: { platforms: ['plan9'] } })), /t exists on plan9 only/);
    assert.equal(await why({ whyUnavailable: async () => 'no module', broker }), 'no module');
    assert.equal(await why({ whyUnavailable: async () => undefined, broker }), 'no server: install one');
  });

  it('requires no private server if the user names one', async () => {
    const urls = { redis: 'redis://h' };
    assert.equal(await why({ broker }, urls), null);
    for (const name of ['nats', 'constructor']) {
      assert.match(String(await why({ broker: { ...broker, name } }, urls)), /no server/);
    }
  });
});

describe('a setting that is a list', () => {
  it('applies the settings of a scenario to its measures and its window', async () => {
    const plugin = (await loadScenarios(['first-answer:idle=5+600'])).values().next().value?.plugin;
    assert.deepEqual(
      plugin?.measures?.slice(-3).map(({ title }) => title),
      ['time after 5 ms', 'time after 600 ms', 'without a pause'],
    );
    assert.equal(plugin?.leastWindowMs, 2 * 605 + 2 * 45);
  });

  it('checks each number of a setting of a scenario', async () => {
    await assert.rejects(loadScenarios(['first-answer:idle=5+x']), /first-answer:idle: "x" is not a time/);
    await assert.rejects(
      loadScenarios(['first-answer:idle=5+90000']),
      /"90000" is out of range; it goes from 1 to 10,000 ms/,
    );
  });
});

describe('the settings of what is built in', () => {
  it('accepts defaults, limits and each choice of all built-in settings, and nothing beyond', async () => {
    const plugins = [
      ...(await loadTransports(builtinNames('transport'))).values(),
      ...(await loadScenarios(builtinNames('scenario'))).values(),
    ].map(({ plugin }) => plugin);
    let limits = 0;
    for (const plugin of plugins) {
      for (const [key, setting] of Object.entries(plugin.settings ?? {})) {
        const taken = (/** @type {unknown} */ value) => checkedSettings(plugin, { [key]: String(value) });
        const { default: usual, choices = [], min, max, isList } = setting;
        assert.ok([usual, undefined].includes(taken(usual)[key]), `${plugin.name}:${key}=${usual}`);
        for (const value of [...choices, ...[min, max].filter((limit) => limit !== undefined)])
          assert.ok(taken(value), `${plugin.name}:${key}=${value}`);
        for (const inherited of typeof usual === 'string' ? [] : ['constructor', '__proto__'])
          assert.throws(
            () => taken(inherited),
            { code: 'BAD_ARGUMENT' },
            `${plugin.name}:${key}=${inherited}`,
          );
        const beyond = [min === undefined ? [] : min - 1, max === undefined ? [] : max + 1].flat();
        for (const value of isList ? [] : beyond) {
          limits += 1;
          assert.throws(() => taken(value), { code: 'BAD_ARGUMENT' }, `${plugin.name}:${key}=${value}`);
        }
      }
    }
    assert.ok(limits > 20, `${limits} limits`);
  });
});

describe('callPlugin', () => {
  it('gives up a plug-in after its deadline, although the event loop is kept alive', async () => {
    const abort = new AbortController();
    const alive = delay(60_000, null, { signal: abort.signal }).catch(() => {});
    await assert.rejects(
      callPlugin('transport ./mine.js', 'rendered', () => new Promise(() => {}), 10),
      {
        code: 'BAD_PLUGIN',
        message: /^transport \.\/mine\.js cannot be rendered: it took longer than 0\.01 s\./,
      },
    );
    abort.abort();
    await alive;
    assert.deepEqual([runningPlugins(), hasAbandonedPlugins()], [null, true]);
  });
});
