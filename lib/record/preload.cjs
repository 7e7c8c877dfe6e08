// `ipc-bench record` adds this file to NODE_OPTIONS of the program, so that its Node.js processes and threads load it first. If loading the
// recorder fails, the program continues; with --import in NODE_OPTIONS, Node.js would exit. A version that is too old is reported.

const { emitWarning } = process;
try {
  const folder = new URLSearchParams(process.env.RECORDED_BY_IPC_BENCH || '').get('to');
  if (folder !== null && process.features.require_module === true) {
    // Some versions print a warning for require() of an ES module.
    process.emitWarning = () => {};
    require('./recorder.js');
  } else if (folder !== null) {
    const { writeFileSync } = require('node:fs');
    const { join } = require('node:path');
    const label = require('./program-label.cjs').scriptLabel(process.execArgv, process.argv[1]);
    const notRecorded = `Node.js ${process.versions.node} cannot load the recorder, as 20.19, 22.12 and later ones can`;
    const text = JSON.stringify({ pid: process.pid, thread: 0, label, notRecorded });
    writeFileSync(join(folder, `${process.pid}-0-old.json`), text, { mode: 0o600 });
  }
} catch {
  // A failure of the recorder must not affect the program.
} finally {
  process.emitWarning = emitWarning;
}
