// `ipc-bench agent`: takes part in runs that are started on other hosts, until it is stopped. lib/hosts handles their commands.

import { BenchError } from '../errors.js';
import { redactUrl } from '../format/redact.js';
import { addressToBind, resolveSharedFolder, tryToBind } from '../hosts/agent-resources.js';
import { Agent } from '../hosts/handle-command.js';
import { checkName, isRedis, readSecret } from '../options/host-options.js';
import { splitList } from '../options/quantities.js';
import { loadCodecs, loadScenarios, loadTransports } from '../plugins/plugins.js';
import { stopSignal } from './process-io.js';

/** @import { InstalledPlugin } from '../hosts/installation.js' */
/** @import { Host } from './main.js' */

const LOADERS = { transport: loadTransports, codec: loadCodecs, scenario: loadScenarios };
const SECRETS = ['IPC_BENCH_SECRET', 'IPC_BENCH_AGENTS'];
const WAITING = 'Start that Redis again, and the agent continues, or end the agent with Ctrl-C.';

/** @param {string} flag */
const sourceOf = (flag) => ({ label: `--${flag}`, code: /** @type {const} */ ('BAD_ARGUMENT') });

/** @param {Record<string, any>} argv @param {Host} host */
export async function agent(argv, host) {
  const { environment } = host;
  const url = argv.redis === undefined ? environment.IPC_BENCH_AGENTS : String(argv.redis);
  const secrets = { secret: readSecret(environment), url };
  // The processes of launches must not inherit the secrets.
  for (const name of SECRETS) delete process.env[name];
  const bindAddress = addressToBind(argv.bind, environment);
  await tryToBind(bindAddress);
  const agent = new Agent(bindAddress, {
    sharedFolder: resolveSharedFolder(argv['shared-folder']),
    plugins: await loadNamedPlugins(argv),
  });
  return serve(agent, argv, secrets, host);
}

/** @param {Record<string, any>} argv @returns {Promise<InstalledPlugin[]>} the named plug-ins; runs can use only these and built-in ones */
async function loadNamedPlugins(argv) {
  const given = Object.entries(LOADERS).filter(([kind]) => argv[kind] !== undefined);
  const parts = given.map(async ([kind, load]) => {
    const names = splitList([argv[kind]].flat().map(String), sourceOf(kind));
    const loaded = await load(names);
    return [...loaded].map(([name, { url }]) => ({
      kind: /** @type {InstalledPlugin['kind']} */ (kind),
      name,
      url,
    }));
  });
  return (await Promise.all(parts)).flat();
}

/**
 * @param {Agent} agent
 * @param {Record<string, any>} argv
 * @param {{ secret: string | undefined, url: string | undefined }} secrets
 * @param {Host} host
 */
async function serve(agent, argv, { secret, url }, host) {
  if (url === undefined)
    throw new BenchError('BAD_ARGUMENT', 'agent needs --redis URL, which carries its commands');
  if (!isRedis(url))
    throw new BenchError('BAD_ARGUMENT', '--redis: this is no URL of a Redis; write redis://host:port');
  const name = nameGiven(argv);
  if (secret === undefined) {
    throw new BenchError(
      'BAD_ARGUMENT',
      'agent needs the secret of its runs: set IPC_BENCH_SECRET in the environment',
    );
  }
  const { CommandReceiver } = await import('../hosts/command-receiver.js');
  const stop = stopSignal({ exitNow: host.exitNow, stderr: /** @type {any} */ ({ write() {} }) });
  /** @type {Promise<undefined>} */
  const stopped = new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve(undefined)));
  const opening = CommandReceiver.open(url, { name, secret, handle: agent.handle });
  const receiver = await Promise.race([opening, stopped]);
  // Without a receiver, the agent was stopped while the connection was being opened, which may take long if Redis does not respond.
  if (receiver !== undefined) {
    const server = redactUrl(url);
    host.stderr.write(
      `Agent ${name} takes commands from ${server}, and binds to ${agent.bindAddress}. Ctrl-C ends it.\n`,
    );
    receiver.warn = (what) => host.stderr.write(`Agent ${name} ${what}.\n`);
    receiver.onGone = () => host.stderr.write(`Agent ${name} has lost the Redis at ${server}. ${WAITING}\n`);
    try {
      await Promise.race([stopped, receiver.lost]);
    } finally {
      await receiver.close();
      await agent.close();
      stop.release();
    }
  }
  const code = Number(stop.exitCode());
  // Without its Redis, BullMQ has timers of 5 s, which its `close` does not clear and which would delay the exit.
  host.exitNow(code);
  return code;
}

/** @param {Record<string, any>} argv */
function nameGiven({ name }) {
  if (name === undefined)
    throw new BenchError('BAD_ARGUMENT', 'agent needs --name NAME, under which runs find it');
  return checkName(String(name), sourceOf('name'));
}
