import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surplusOf, surplusText, watchSurplus } from '../../../../services/runtime/crawl/surplus-partitions.ts';

/** The topics of crawl `c` have 3 partitions each, but for those that are named. */
const logOf = (counts: Readonly<Record<string, number>>) => ({
  partitionsOf: async (topic: string) => counts[topic] ?? 3,
});

test('a running process reports added partitions of a topic once, and reports their end', async () => {
  const counts: Record<string, number> = {};
  const reported: (string | null)[] = [];
  const stopping = new AbortController();
  let [nowMs, looks] = [0, 0];
  const clock = {
    nowMs: () => nowMs,
    async sleepUntil(untilMs: number) {
      nowMs = untilMs;
      looks += 1;
      if (looks === 2) counts['c.pages'] = 5;
      if (looks === 5) delete counts['c.pages'];
      if (looks === 7) stopping.abort();
    },
  };
  const onChange = (text: string | null) => reported.push(text);
  await watchSurplus({ log: logOf(counts), crawl: 'c', partitions: 3, clock, signal: stopping.signal, onChange });
  assert.equal(reported.length, 2);
  assert.match(reported[0] ?? '', /the crawl has 3 partitions, but c\.pages has 5: the extra partitions are not read/);
  assert.equal(reported[1], null);
});

test('fewer partitions than the crawl has are no surplus', async () => {
  const surplus = await surplusOf({ log: logOf({ 'c.tasks': 2, 'c.robots': 0 }), crawl: 'c', partitions: 3 });
  assert.equal(surplusText(surplus, 3), null);
});
