// What a connection costs: each loop makes one, asks a single question, and hangs up. Who talks to a service once, or
// starts a process for each job, pays this every time.

/** @type {import('../lib/types/scenarios.js').Scenario} */
export default {
  name: 'connect',
  summary: 'each loop connects, waits for one verified answer, hangs up, and connects again',
  operation: { one: 'connection', many: 'connections', done: 'made' },
  times: { timeToConnect: 'connect', timeToFirstAnswer: 'first answer' },
  loads: ['closed'],
  whyNot: ({ reconnects }) =>
    reconnects ? null : 'its workers connect once, when they are started: there is nothing to connect again',
  half: (role, kit) => (role === 'master' ? kit.answering() : kit.connecting()),
};
