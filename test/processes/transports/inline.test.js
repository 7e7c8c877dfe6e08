// Runs always.

import { describePools } from '../../fixtures/describe-builtins.js';

await describePools('inline');
