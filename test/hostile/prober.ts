/**
 * A process that asks for a page each half second and prints how long each answer took, ms, and how long of that the thread
 * that answers was ready and waited for a core: it serves nothing itself, so that what it tells is of the crawl, neither of
 * the web beside it nor of what else the machine does.
 *
 *   node --import tsx test/hostile/prober.ts http://127.0.0.1:9464/livez 4711
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { coreTimeOf } from './core-time.ts';

const [url, pid] = process.argv.slice(2) as [url: string, pid: string];

/** Since it began; 0 where nobody says. */
const waitedMs = () => coreTimeOf(pid)?.waitedMs ?? 0;

// Its parent is gone.
process.stdin.on('end', () => process.exit()).resume();
for (;;) {
  const [beganMs, waited] = [performance.now(), waitedMs()];
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  console.log((performance.now() - beganMs).toFixed(1), Math.max(0, waitedMs() - waited).toFixed(1));
  await sleep(500);
}
