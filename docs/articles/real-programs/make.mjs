// `node make.mjs FOLDER` writes the programs of the article into a folder. Their packages are installed there:
// npm install jest@30.5.2 vitest@4.1.12 webpack@5.112.2 webpack-cli@7.3.1 terser-webpack-plugin@5.6.1 three@0.187.0 lodash-es@4.18.1
// Recorded, each in its folder, by `npx ipc-bench record --out ../NAME.json -- COMMAND`:
// jest:     node ../node_modules/jest/bin/jest.js --maxWorkers=2
// vitest:   node ../node_modules/vitest/vitest.mjs run --globals --pool=forks --maxWorkers=2, and --pool=threads
// webpack:  node ../node_modules/webpack/bin/webpack.js --config webpack.config.cjs

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [, , folder = 'real-programs'] = process.argv;
const FILES = 24;
const MODULES = 8;

/** @param {string} path @param {string} text */
function write(path, text) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** @param {number} suite */
const testText = (suite) => `describe('suite ${suite}', () => {
  for (let k = 0; k < 40; k += 1) test('case ' + k, () => {
    const all = Array.from({ length: 2000 }, (_, n) => n * k);
    console.log('case', k, 'of ${suite}', all.length);
    expect(all.reduce((a, b) => a + b, 0)).toBe((1999 * 2000 / 2) * k);
  });
});
`;

write('package.json', '{ "name": "real-programs", "private": true }\n');
write('jest/package.json', '{ "name": "with-jest" }\n');
write('jest/jest.config.js', "module.exports = { testEnvironment: 'node' };\n");
write('vitest/package.json', '{ "name": "with-vitest", "type": "module" }\n');
for (let suite = 1; suite <= FILES; suite += 1) {
  write(`jest/t${suite}.test.js`, testText(suite));
  write(`vitest/t${suite}.test.js`, `import { describe, expect, test } from 'vitest';\n${testText(suite)}`);
}

// Bundles that terser minimises in threads.
for (let bundle = 1; bundle <= MODULES; bundle += 1)
  write(
    `webpack/src/${bundle}.js`,
    `import * as three from 'three';\nimport * as lodash from 'lodash-es';\nconsole.log(${bundle}, three, lodash);\n`,
  );
write(
  'webpack/webpack.config.cjs',
  `const Terser = require('terser-webpack-plugin');
module.exports = {
  mode: 'production',
  cache: false,
  performance: { hints: false },
  entry: Object.fromEntries(Array.from({ length: ${MODULES} }, (_, n) => ['b' + (n + 1), './src/' + (n + 1) + '.js'])),
  optimization: { minimizer: [new Terser({ parallel: 2, minify: Terser.terserMinify })] },
};
`,
);
