import { move, transferableSymbol, valueSymbol } from 'piscina';
import { workAndTransfer } from '../../lib/transport/pool-transfer.js';

export default workAndTransfer((result, list) => move({ [transferableSymbol]: list, [valueSymbol]: result }));
