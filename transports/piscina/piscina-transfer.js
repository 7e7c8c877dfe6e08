import { move, transferableSymbol, valueSymbol } from 'piscina';
import { work } from '../../lib/channels/pool-worker.js';
import { workAndTransfer } from '../../lib/channels/pools.js';

export default workAndTransfer(work, (result, list) =>
  move({ [transferableSymbol]: list, [valueSymbol]: result }),
);
