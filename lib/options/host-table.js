// The options that say on which hosts the roles of a launch run, and how their agents are reached.

import { shaping } from './shaping.js';

/** @type {Readonly<Record<string, import('./option-table.js').OptionEntry>>} */
export const HOST_TABLE = Object.freeze({
  ...shaping('run', {
    agents: {
      sets: 'agents',
      summary:
        'measure between hosts: the Redis where `ipc-bench agent` takes its orders, or ssh://b,ssh://c; see docs/hosts.md',
      value: 'URL,...',
      isList: true,
    },
    'agents-file': {
      sets: 'agents',
      summary: 'the same, read from a file: arguments are visible to all',
      value: 'FILE',
    },
    'secret-file': {
      sets: 'agents',
      summary: 'what agents of a Redis take orders from; or IPC_BENCH_SECRET in the environment',
      value: 'FILE',
    },
    'agents-command': {
      sets: 'agents',
      summary: 'for ssh: what starts ipc-bench there',
      value: 'COMMAND',
      shownDefault: 'ipc-bench',
    },
  }),
  ...shaping('cell', {
    'master-on': { sets: 'hosts', summary: 'with --agents: the host of the master', value: 'NAME' },
    'workers-on': {
      sets: 'hosts',
      summary: 'with --agents: the hosts of the workers, in turn',
      value: 'NAME,...',
      isList: true,
    },
    'shared-folder': {
      sets: 'hosts',
      summary:
        'with --agents: they are on one machine with a folder in common: also what ends at its host, as unix',
    },
  }),
});
