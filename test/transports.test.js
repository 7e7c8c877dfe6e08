// Every file of transports/ keeps the contract of a transport: the folder is the registry.

import { readdirSync } from 'node:fs';
import { describeTransport } from './conformance/transport.js';

const folder = new URL('../transports/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.js'));

for (const file of files) await describeTransport(new URL(file, folder));
