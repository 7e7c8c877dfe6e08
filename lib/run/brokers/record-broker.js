// What the results say of a private broker. One name may stand for several servers of a run, since a cell's settings can
// make a broker another one: durable, or reached another way.

/** @typedef {import('../../types/results-file.js').Environment['brokers']} Brokers */
/** @typedef {Pick<import('../../types/brokers.js').RunningBroker, 'version' | 'config'> & { name: string, deaths?: string[] }} StartedBroker */

const BETWEEN = ' / ';

/** @param {{ [name: string]: Brokers[string] }} brokers       of the environment @param {StartedBroker} started */
export function recordBroker(brokers, { name, version, config, deaths = [] }) {
  /** @type {Pick<Brokers[string], 'config' | 'deaths'>} */
  const known = Object.hasOwn(brokers, name) ? brokers[name] : { config: {} };
  const all = [...(known.deaths ?? []), ...deaths];
  const own = { version, config: joined(known.config, config), origin: /** @type {const} */ ('private') };
  brokers[name] = { ...own, ...(all.length > 0 && { deaths: all }) };
}

/**
 * @param {Record<string, string>} known
 * @param {Record<string, string>} config
 * @returns {Record<string, string>} with all values that a setting had, in an order that is not that of the launches
 */
function joined(known, config) {
  const entries = Object.entries(config).map(([key, value]) => {
    const values = Object.hasOwn(known, key) ? known[key].split(BETWEEN) : [];
    return [key, [...new Set([...values, value])].sort().join(BETWEEN)];
  });
  return { ...known, ...Object.fromEntries(entries) };
}
