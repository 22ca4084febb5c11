import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayNotes } from '../../../../services/hosting/roles/say-notes.ts';
import type { Clock } from '../../../../services/runtime/clock.ts';

const lack = 'no fetcher: nothing is granted';

/** What is said of notes that stand for so many seconds each. */
async function said(...stood: readonly (readonly [note: string | null | undefined, seconds: number])[]) {
  let nowMs = 0;
  const stopping = new AbortController();
  const endMs = stood.reduce((sum, [, seconds]) => sum + 1000 * seconds, 0);
  const clock: Clock = {
    nowMs: () => nowMs,
    async sleepUntil(untilMs) {
      nowMs = untilMs;
      if (nowMs >= endMs) stopping.abort();
      await new Promise(setImmediate);
    },
  };
  const note = () => {
    let left = nowMs;
    for (const [text, seconds] of stood) if ((left -= 1000 * seconds) < 0) return text;
    return null;
  };
  const lines: string[] = [];
  const { signal } = stopping;
  sayNotes({ note, clock, signal, say: (text, level) => lines.push(`${nowMs / 1000} s, ${level}: ${text}`) });
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)));
  return lines;
}

test('a lasting condition has a line once it has lasted, and one when it ends', async () => {
  assert.deepEqual(await said([null, 3], [lack, 34], [null, 5]), [
    `13 s, warn: ${lack}`,
    '37 s, info: resolved after 34 s: no fetcher',
  ]);
});

test('a short condition has no line', async () => {
  assert.deepEqual(await said([lack, 9], [null, 1], [lack, 9], [null, 20]), []);
});

test('nothing begins or ends while the condition is unknown', async () => {
  assert.deepEqual(await said([lack, 5], [undefined, 60], [lack, 5], [null, 20]), []);
  assert.deepEqual(await said([lack, 20], [undefined, 60], [lack, 20], [null, 5]), [
    `10 s, warn: ${lack}`,
    '100 s, info: resolved after 100 s: no fetcher',
  ]);
});
