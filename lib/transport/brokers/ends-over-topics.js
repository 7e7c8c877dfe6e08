// The two ends over topics of a broker, as a transport has them. They are loaded where they are needed: every process of a
// launch starts with what the file of a transport imports.

/** @import { Transport } from '../../types/index.js' */
/** @import { OpenTopics } from './over-topics.js' */

/**
 * @param {string} separator       between the parts of a topic
 * @param {() => Promise<{ openTopics: OpenTopics }>} load   the client of the broker
 * @returns {Pick<Transport, 'listen' | 'connect'>}
 */
export function endsOverTopics(separator, load) {
  const loaded = () => Promise.all([import('./over-topics.js'), load()]);
  return {
    async listen(host) {
      const [{ listenOverTopics }, { openTopics }] = await loaded();
      return listenOverTopics(host, separator, openTopics);
    },
    async connect(guest) {
      const [{ connectOverTopics }, { openTopics }] = await loaded();
      return connectOverTopics(guest, separator, openTopics);
    },
  };
}
