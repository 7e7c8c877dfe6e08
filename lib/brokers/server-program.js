// A broker that is one program of this machine: it can be started where the program is found.

import { BenchError } from '../errors.js';

/** @import { Broker, BrokerPlace, RunningBroker } from '../types/index.js' */

/**
 * @param {object} program
 * @param {() => string | undefined} program.find    its absolute path
 * @param {string} program.missing                   reason and remedy where it is not found
 * @param {(command: string, place: BrokerPlace) => Promise<RunningBroker>} program.start
 * @returns {Pick<Broker, 'whyUnavailable' | 'start'>}
 */
export function serverProgram({ find, missing, start }) {
  return {
    whyUnavailable: async () => (find() === undefined ? missing : undefined),
    async start(place) {
      const command = find();
      if (command === undefined) throw new BenchError('BROKER', missing);
      return start(command, place);
    },
  };
}
