/** The worker that parses large pages, PDFs and office files: one job at a time, answered with the page, or null. */
import { parentPort } from 'node:worker_threads';
import { parseWholePage, type WholePage } from './parse-page.ts';
import type { ParseJob } from './worker-slot.ts';

parentPort?.on('message', async (job: ParseJob) => {
  const endMs = performance.now() + job.timeoutMs;
  parentPort?.postMessage(await read(job, () => performance.now() > endMs));
});
parentPort?.postMessage('ready');

async function read({ kind, body, options, wishes }: ParseJob, expired: () => boolean): Promise<WholePage | null> {
  if (kind === 'html') {
    const beganMs = performance.now();
    const page = parseWholePage(body, { ...options, expired }, wishes);
    return wishes === undefined ? page : { apartMs: performance.now() - beganMs, ...page };
  }
  if (kind === 'office') {
    const { readOffice } = await import('./office/read-office.ts');
    try {
      return { parsed: readOffice(body, { ...options, expired }), rich: null };
    } catch {
      return null;
    }
  }
  // Loaded when the first one comes: pdf.js takes a second.
  const { readPdf } = await import('./pdf.ts');
  return readPdf(body, { ...options, expired }).then(
    (parsed) => ({ parsed, rich: null }),
    () => null,
  );
}
