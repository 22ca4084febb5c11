/**
 * A process that asks for a page each half second and prints how long each answer took, ms, and how long of that the thread
 * that answers was ready and waited for a core: it serves nothing itself, so that what it tells is of the crawl, neither of
 * the web beside it nor of what else the machine does.
 *
 *   node --import tsx test/hostile/prober.ts http://127.0.0.1:9464/livez 4711
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const [url, pid] = process.argv.slice(2) as [url: string, pid: string];

/** Since it began, by the kernel's scheduler, ms; 0 where it does not say. */
function waitedMs(): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

// Its parent is gone.
process.stdin.on('end', () => process.exit()).resume();
for (;;) {
  const [beganMs, waited] = [performance.now(), waitedMs()];
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  console.log((performance.now() - beganMs).toFixed(1), Math.max(0, waitedMs() - waited).toFixed(1));
  await sleep(500);
}
