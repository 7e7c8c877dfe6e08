// A module of CommonJS: messages that a process of node:cluster gets while it loads an ES module are lost, and poolifier sends its first
// one at once.

const { ClusterWorker } = require('poolifier');

const loading = import('../../lib/transport/pool-worker.js');

module.exports = new ClusterWorker(async (/** @type {any} */ task) => (await loading).work(task));
