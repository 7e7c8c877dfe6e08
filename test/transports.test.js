// Every file of transports/ keeps the contract of a transport: the folder is the registry.

import { builtinNames, builtinUrl } from '../lib/plugins/builtins.js';
import { describeTransport } from './conformance/transport.js';

for (const name of builtinNames('transport')) await describeTransport(new URL(builtinUrl('transport', name)));
