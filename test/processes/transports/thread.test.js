// Runs always.

import { describeBuiltins } from '../../fixtures/describe-builtins.js';

await describeBuiltins('thread');
