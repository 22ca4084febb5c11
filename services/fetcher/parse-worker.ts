/** The worker that parses large pages: one job at a time, answered with the page. */
import { parentPort } from 'node:worker_threads';
import type { ParseJob } from './extract.ts';
import { parseWholePage } from './parse-page.ts';

parentPort?.on('message', ({ body, options, wishes, timeoutMs }: ParseJob) => {
  const endMs = performance.now() + timeoutMs;
  parentPort?.postMessage(parseWholePage(body, { ...options, expired: () => performance.now() > endMs }, wishes));
});
parentPort?.postMessage('ready');
