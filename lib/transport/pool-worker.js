// What a worker of a pool loads, where the pool calls a function of a module: the tasks of the launch.

import { inheritedTasks } from '../scenario/messages/tasks.js';

const tasks = inheritedTasks();

/** @param {{ id: number, payload: string }} task */
export function work(task) {
  return tasks.work(task);
}

export default work;
