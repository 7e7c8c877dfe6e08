// What was opened before something failed is closed again: an open connection would keep the process from ending.

/**
 * @template Made
 * @param {() => unknown} undo
 * @param {() => Promise<Made> | Made} make
 */
export async function withRollback(undo, make) {
  try {
    return await make();
  } catch (error) {
    await undo();
    throw error;
  }
}
