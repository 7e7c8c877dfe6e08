// How a server of questions is reached.

/** @type {import('../../types/transports.js').Setting} */
export const httpNet = Object.freeze({
  summary: 'unix: unix domain socket; tcp: loopback',
  default: 'tcp',
  choices: ['tcp', 'unix'],
  changesTheWay: true,
  changesTheDoor: true,
});
