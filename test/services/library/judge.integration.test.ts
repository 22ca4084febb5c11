/** The library's crawl is judged as the command's is: on the synthetic web, over real sockets, by what the web recorded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeVisitor } from '../../../lab/judge/judge-visitor.ts';
import type { ScoreCard } from '../../../lab/judge/score-card.ts';
import { crawl } from '../../../services/library/index.ts';

test('a crawl through the library keeps all fifteen rules', { timeout: 600_000 }, async () => {
  const over = new AbortController();
  let visit: Promise<unknown> | undefined;
  let pages = 0;
  const card: ScoreCard = await judgeVisitor({
    ...{ address: '127.0.0.1', port: 0, hosts: 20, pages: 5, seed: 1, addresses: false },
    ...{ delayMs: 60, crawlDelayMs: 200, quietMs: 60_000, limitMs: 200_000, signal: over.signal },
    onReady(plan, port) {
      visit = (async () => {
        const running = crawl({
          seeds: plan.seeds(port),
          userAgent: 'library/1.0 (+me@example.org)',
          policy: { delayMs: 60, retriesMs: [100, 200], scope: { kind: 'all', names: [] } },
          concurrency: 1_000,
          resolve: [`*.test:${port}:127.0.0.1`],
        });
        for await (const { url } of running) if (url !== '') pages += 1;
      })().finally(() => over.abort());
      visit.catch(() => {});
    },
  });
  await visit;
  assert.deepEqual(
    card.rows.filter(({ ok }) => ok !== true).map(({ rule, measured, details }) => [rule, measured, ...details]),
    [],
  );
  assert.equal(card.rows.length, 15);
  assert.deepEqual([card.passed, card.of, card.hosts], [15, 15, 20]);
  assert.match(card.agents.join(), /^library\/1\.0 \(\+me@example\.org\)$/);
  assert.ok(pages > 120, `${pages} pages`);
});
