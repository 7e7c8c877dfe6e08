import Tinypool from 'tinypool';
import { workAndTransfer } from '../../lib/transport/pool-transfer.js';

const { move, transferableSymbol, valueSymbol } = Tinypool;

export default workAndTransfer((result, list) =>
  move(/** @type {any} */ ({ [transferableSymbol]: list, [valueSymbol]: result })),
);
