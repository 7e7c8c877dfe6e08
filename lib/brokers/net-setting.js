// How a private broker is reached: the same choice for every one whose server also listens on a unix socket. Of one that the
// user gives, its URL says it: see lib/plan/broker-net.js.

/** @type {import('../types/transports.js').Setting} */
export const netSetting = Object.freeze({
  summary:
    'how a private server is reached; unix: unix domain socket; tcp: loopback, with a password. One given by URL is ' +
    'reached as that says',
  default: process.platform === 'win32' ? 'tcp' : 'unix',
  choices: ['unix', 'tcp'],
  changesTheWay: true,
});
