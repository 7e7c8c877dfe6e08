// For transports, which import from the kit alone; codecs ask the same.

export { whyNotLoadable } from '../package-check.js';
