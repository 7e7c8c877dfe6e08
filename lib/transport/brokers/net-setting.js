// How a private broker is reached: the same choice for every one whose server also listens on a unix socket. The URL
// of a broker that the user gives says how that one is reached: see lib/plan/skip-reasons.js.

/** @type {import('../../types/transports.js').Setting} */
export const netSetting = Object.freeze({
  summary:
    'how a private server is reached; unix: unix domain socket; tcp: loopback, with a password. One given by URL is ' +
    'reached as that says',
  default: process.platform === 'win32' ? 'tcp' : 'unix',
  choices: ['unix', 'tcp'],
  changesTheWay: true,
});
