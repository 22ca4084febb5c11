/**
 * A process that asks for a page each half second and prints how long each answer took, ms: it serves nothing itself, so
 * that what it tells is of the crawl and not of the web beside it.
 *
 *   node --import tsx test/hostile/prober.ts http://127.0.0.1:9464/livez
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const url = process.argv[2]!;
// Its parent is gone.
process.stdin.on('end', () => process.exit()).resume();
for (;;) {
  const beganMs = performance.now();
  const answer = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  console.log((performance.now() - beganMs).toFixed(1));
  await sleep(500);
}
