// To which part of a round trip a function of a CPU profile belongs, by the file in which it stands.

const OWN_FOLDER = new URL('../', import.meta.url).href;
const IO_CALLS = /^(write(v|Buffer|(Utf8|Latin1|Ascii|Ucs2)?String)|send|shutdown|postMessage)$/;
// What computes, and waits for nobody: it works for who calls it.
const PURE =
  /^node:(internal\/)?(assert|buffer|crypto|errors|perf|querystring|string_decoder|url|util|v8|validators|zlib)/;
/** Of the channel of fork, which serialises by itself. */
const OWN_SERIALISATION = 'node:internal/child_process/serialization';
const FOLDERS = /** @type {const} */ ([
  ['codec', ['codecs', 'codec-kit']],
  ['harness', ['scenario-kit', 'launch', 'statistics', 'machine']],
]);

/**
 * @param {object} urls   of files
 * @param {string | null} urls.codecUrl   null: the channel serialises by itself
 * @param {string} urls.scenarioUrl
 * @returns {(frame: { functionName: string, url: string }, ofCaller: string) => string} 'codec', 'transport', 'harness'; 'loop': of Node.js; '': of nobody
 */
export function partOfFunction({ codecUrl, scenarioUrl }) {
  return ({ functionName, url }, ofCaller) => {
    if (url === '') {
      // '(program)', '(idle)', '(garbage collector)': none of them is a function.
      if (functionName.startsWith('(') && functionName !== '(anonymous)') return '';
      return IO_CALLS.test(functionName) ? 'loop' : ofCaller;
    }
    if (url === OWN_SERIALISATION && codecUrl === null) return 'codec';
    if (url.startsWith('node:')) return PURE.test(url) && ofCaller !== '' ? ofCaller : 'loop';
    if (url === codecUrl) return 'codec';
    if (url === scenarioUrl) return 'harness';
    for (const [part, folders] of FOLDERS) {
      if (folders.some((folder) => url.startsWith(`${OWN_FOLDER}${folder}/`))) return part;
    }
    // The transport's own file, what it shares with others, and packages, of which codecs are made too.
    return ofCaller === 'codec' ? 'codec' : 'transport';
  };
}
