/** What an orchestrator and Prometheus ask is answered at once, whatever is away. */
import assert from 'node:assert/strict';

/** Prometheus gives up after ten times as long. */
const atOnceMs = 1_000;
/** An answer that waits for a broker is late every time; one that waits for a processor is not. */
const tries = 10;

/** The longest that the quickest answer of each path took, ms. */
export async function answersAtOnce(url: string, paths: readonly string[]): Promise<number> {
  let longest = 0;
  for (const path of paths) {
    let quickest = Number.POSITIVE_INFINITY;
    for (let one = 0; one < tries && quickest > atOnceMs; one++) {
      const startMs = performance.now();
      await (await fetch(`${url}${path}`)).arrayBuffer();
      quickest = Math.min(quickest, performance.now() - startMs);
    }
    assert.ok(quickest <= atOnceMs, `${url}${path} is answered after ${Math.round(quickest)} ms`);
    longest = Math.max(longest, quickest);
  }
  return longest;
}

/** Of every service. */
export const askedPaths = ['/livez', '/readyz', '/startupz', '/metrics'];
