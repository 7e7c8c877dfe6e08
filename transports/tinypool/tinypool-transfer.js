import Tinypool from 'tinypool';
import { work } from '../../lib/transport/pool-worker.js';
import { workAndTransfer } from '../../lib/transport/pools.js';

const { move, transferableSymbol, valueSymbol } = Tinypool;

export default workAndTransfer(work, (result, list) =>
  move(/** @type {any} */ ({ [transferableSymbol]: list, [valueSymbol]: result })),
);
