/** The worker that parses large pages: one job at a time, answered with the page. */
import { parentPort } from 'node:worker_threads';
import { parsePage } from '../../topology/parse/page.ts';
import type { ParseJob } from './extract.ts';

parentPort?.on('message', ({ body, options, timeoutMs }: ParseJob) => {
  const endMs = performance.now() + timeoutMs;
  parentPort?.postMessage(parsePage(body, { ...options, expired: () => performance.now() > endMs }));
});
parentPort?.postMessage('ready');
