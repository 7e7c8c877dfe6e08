// Creates the folders of a launch whose messages are files, and connects a worker and the master. The first file contains the token,
// although only this user has access to the scratch folder.

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSameToken, joiningMs } from '../../lib/channels/admission.js';
import { withRollback } from '../../lib/channels/with-rollback.js';
import { BenchError } from '../../lib/errors.js';
import { FileChannel } from './file-channel.js';

/** @import { GuestContext, HostContext, Listener } from '../../lib/types/index.js' */
/** @import { FileBox } from './file-channel.js' */

const WELCOME = 'welcome';
const REMOVE_RETRIES = 3; // a killed worker may have written a file a moment ago

/** @param {string} folder @param {string} workerId @returns {{ toMaster: FileBox, toWorker: FileBox }} */
function listBoxes(folder, workerId) {
  /** @param {string} way */
  const box = (way) => ({
    drafts: join(folder, workerId, way, 'drafts'),
    post: join(folder, workerId, way, 'post'),
  });
  return { toMaster: box('to-master'), toWorker: box('to-worker') };
}

/** @param {HostContext} host @returns {Promise<Listener>} */
export async function receiveByFiles(host) {
  const address = host.scratchDir;
  const workerIds = Array.from({ length: host.workers }, (_, index) => `w${index}`);
  /** @type {Map<string, FileChannel>} */
  const channels = new Map();
  const close = async () => {
    for (const channel of channels.values()) channel.finish();
    await Promise.all([...channels.values()].map((channel) => channel.settled()));
    for (const workerId of workerIds) {
      await rm(join(address, workerId), { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
    }
  };
  await withRollback(close, async () => {
    for (const workerId of workerIds) {
      const { toMaster, toWorker } = listBoxes(address, workerId);
      for (const folder of [toMaster, toWorker].flatMap(Object.values))
        await mkdir(folder, { recursive: true });
      channels.set(workerId, openFor(host, workerId, { inbox: toMaster, outbox: toWorker }));
    }
  });
  return {
    address,
    adopt(line, workerId) {
      // A folder does not show that its worker has died, but the fork channel does.
      line.onDisconnect = () => channels.get(workerId)?.finish();
    },
    close,
  };
}

/** @param {HostContext} host @param {string} workerId @param {{ inbox: FileBox, outbox: FileBox }} boxes */
function openFor(host, workerId, boxes) {
  return new FileChannel(host, boxes, (channel, greeting) => {
    if (!isSameToken(greeting, host.token)) {
      host.onRejected('sent no valid token');
      return false;
    }
    host.onChannel(channel, workerId);
    channel.put(WELCOME);
    return true;
  });
}

/** @param {GuestContext} guest @returns {Promise<FileChannel>} */
export async function joinByFiles(guest) {
  const { toMaster, toWorker } = listBoxes(guest.address, guest.workerId);
  /** @type {NodeJS.Timeout | undefined} */
  let deadline;
  /** @type {FileChannel | undefined} */
  let channel;
  const deadlineMs = joiningMs(guest);
  try {
    return await new Promise((resolve, reject) => {
      const opened = new FileChannel(guest, { inbox: toWorker, outbox: toMaster }, () => {
        resolve(opened);
        return true;
      });
      channel = opened;
      opened.onClose = (reason) =>
        reject(reason ?? new BenchError('TRANSPORT', `${guest.workerId} lost the master before its welcome`));
      guest.line.onDisconnect = () => opened.finish();
      const late = `the master did not accept ${guest.workerId} within ${deadlineMs} ms`;
      deadline = setTimeout(() => reject(new BenchError('DEADLINE', late)), deadlineMs);
      opened.put(guest.token);
    });
  } catch (error) {
    channel?.finish();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}
