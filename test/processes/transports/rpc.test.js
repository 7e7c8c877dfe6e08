import { describeBuiltins } from '../../fixtures/describe-builtins.js';

await describeBuiltins('rpc');
