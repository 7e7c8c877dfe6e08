// Yields this CPU to other waiting processes: where both ends of a ring share it, looking again is of no use before
// the other one has run. By way of koffi, since Node has no call for it.

/** @returns {Promise<() => void>} */
export async function loadCpuYielder() {
  const { default: koffi } = await import('koffi');
  return koffi.load(null).func('int sched_yield()');
}
