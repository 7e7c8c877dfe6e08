// How a private Redis is reached: the same choice for every transport over one.

/** @type {import('../../types.js').Setting} */
export const netSetting = Object.freeze({
  summary: 'how a private server is reached; unix: unix domain socket; tcp: loopback, with a password',
  default: process.platform === 'win32' ? 'tcp' : 'unix',
  choices: ['unix', 'tcp'],
  changesTheWay: true,
});
