// How ssh starts an agent: nothing has to run on its host but sshd.

import { BenchError } from '../errors.js';

/** @import { Agents } from '../types/index.js' */

// Nobody is there to be asked, and a link that is cut is noticed within 4 s.
const OPTIONS = ['BatchMode=yes', 'ServerAliveInterval=1', 'ServerAliveCountMax=3', 'ConnectTimeout=5'];

/**
 * @param {Pick<Agents, 'urls' | 'command'>} agents
 * @param {string[]} [client]   the command of ssh, with options of its own
 * @returns {(agent: string) => string[]} the words that start it; throws BenchError HOST where no URL names it
 */
export function overSsh({ urls, command = 'ipc-bench' }, client = ['ssh']) {
  const hosts = new Map(urls.map((url) => [new URL(url).hostname, new URL(url)]));
  return (agent) => {
    const url = hosts.get(agent);
    if (url === undefined) {
      const next = `those that it names: ${[...hosts.keys()].join(', ')}`;
      throw new BenchError('HOST', `host ${agent}: --agents has no ssh://${agent}; ${next}`);
    }
    const port = url.port === '' ? [] : ['-p', url.port];
    const user = url.username === '' ? [] : ['-l', decodeURIComponent(url.username)];
    const options = OPTIONS.flatMap((option) => ['-o', option]);
    return [...client, '-T', ...options, ...port, ...user, '--', agent, `${command} agent --stdio`];
  };
}
