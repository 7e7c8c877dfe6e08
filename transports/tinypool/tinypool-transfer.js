import Tinypool from 'tinypool';
import { work } from '../../lib/channels/pool-worker.js';
import { workAndTransfer } from '../../lib/channels/pools.js';

const { move, transferableSymbol, valueSymbol } = Tinypool;

export default workAndTransfer(work, (result, list) =>
  move(/** @type {any} */ ({ [transferableSymbol]: list, [valueSymbol]: result })),
);
