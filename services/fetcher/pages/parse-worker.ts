/** The worker that parses large pages and documents: one job at a time, answered with the page, or null. */
import { parentPort } from 'node:worker_threads';
import type { DocumentModule } from './document-reader.ts';
import { parseWholePage, type WholePage } from './parse-page.ts';
import type { ParseJob } from './worker-slot.ts';

parentPort?.on('message', async (job: ParseJob) => {
  const endMs = performance.now() + job.timeoutMs;
  parentPort?.postMessage(await read(job, () => performance.now() > endMs));
});
parentPort?.postMessage('ready');

async function read({ reader, body, options, wishes }: ParseJob, expired: () => boolean): Promise<WholePage | null> {
  if (reader === undefined) {
    const beganMs = performance.now();
    const page = parseWholePage(body, { ...options, expired }, wishes);
    return wishes === undefined ? page : { apartMs: performance.now() - beganMs, ...page };
  }
  // Loaded when the first document comes: pdf.js takes a second.
  try {
    const { read: readDocument } = (await import(reader)) as DocumentModule;
    return { parsed: await readDocument(body, { ...options, expired }), rich: null };
  } catch {
    return null;
  }
}
