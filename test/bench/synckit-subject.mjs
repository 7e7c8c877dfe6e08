import { readFile } from 'node:fs/promises';
import { runAsWorker } from 'synckit';

runAsWorker((path) => readFile(path, 'utf8'));
