import { move, transferableSymbol, valueSymbol } from 'piscina';
import { work } from '../../lib/transport/pool-worker.js';
import { workAndTransfer } from '../../lib/transport/pools.js';

export default workAndTransfer(work, (result, list) =>
  move({ [transferableSymbol]: list, [valueSymbol]: result }),
);
