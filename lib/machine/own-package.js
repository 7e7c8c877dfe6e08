// This package's own package.json, read once and at the start: a bug report names the version even where no file can be
// opened any more.

import { createRequire } from 'node:module';

/** @type {{ version: string, dependencies: Record<string, string>, optionalDependencies: Record<string, string> }} */
export const OWN_PACKAGE = createRequire(import.meta.url)('../../package.json');

/** Noted in every document. @type {Readonly<{ name: 'ipc-bench', version: string }>} */
export const TOOL = Object.freeze({ name: 'ipc-bench', version: OWN_PACKAGE.version });
