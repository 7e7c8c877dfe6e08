// Modules → one script: each becomes a function that is called once, after those that it imports. It reads the imports and
// exports that this house writes, and refuses what it does not know, so that no bundler is needed where a report is made.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Of whole lines: what stands within one stays.
const COMMENT = /^[ \t]*(?:\/\/.*|\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\n/gm;
const IMPORT = /^import \{([^}]*)\} from '([^']+)';$/gm;
const EXPORT = /^export (?=(?:async )?function |const |class )/gm;
const EXPORTED_NAME = /^export (?:async )?(?:function|const|class) (\w+)/gm;

/** @param {URL} entry @returns {string} a script that runs it */
export function linkedModules(entry) {
  /** @type {Map<string, string>} */
  const linked = new Map();
  link(entry);
  return `'use strict';\nconst modules = {};\n${[...linked.values()].join('\n')}`;

  /** @param {URL} url */
  function link(url) {
    if (linked.has(url.href)) return;
    const source = readFileSync(url, 'utf8').replaceAll(COMMENT, '');
    const body = source
      .replaceAll(IMPORT, (_, names, from) => {
        if (!from.startsWith('.')) throw new TypeError(`${url} imports ${from}, which no page has`);
        const target = new URL(from, url);
        link(target);
        return `const {${names.replaceAll(' as ', ': ')}} = modules['${moduleName(target)}'];`;
      })
      .replaceAll(EXPORT, '');
    if (/^(?:import|export)\b/m.test(body))
      throw new TypeError(`${url} imports or exports in a way that cannot be linked`);
    const exported = [...source.matchAll(EXPORTED_NAME)].map(([, name]) => name);
    const code = `modules['${moduleName(url)}'] = (() => {\n${body}return { ${exported.join(', ')} };\n})();`;
    // A closing tag would end the script, and its opening comment hide the rest.
    if (/<\/script|<!--/i.test(code)) throw new TypeError(`${url} has a tag that no script may contain`);
    linked.set(url.href, code);
  }
}

/** @param {URL} url @returns {string} no path of this machine */
function moduleName(url) {
  return fileURLToPath(url).split(/[/\\]/).slice(-2).join('/');
}
