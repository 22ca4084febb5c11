/**
 * A broker that is away for a minute, dead or frozen, under a frontier, a fetcher and a consumer: all of them say so while
 * it lasts, and are at work again soon after it.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import type { Running } from '../../lab/process/command.ts';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { planWeb } from '../../lab/web/plan.ts';
import { type RunningWeb, startWeb } from '../../lab/web/server.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { listening, scrape } from '../services/cli/listening.ts';
import { answersAtOnce, askedPaths } from './answers-at-once.ts';

const skip = (await skipReason()) ?? false;
const awayMs = 60_000;
/** Without help. */
const backMsMax = 30_000;

describe('a broker that is away for a minute', { skip, timeout: 600_000 }, () => {
  let broker: TestBroker;
  let folder: string;
  let web: RunningWeb;
  let roles: Readonly<Record<string, Running>>;

  before(async () => {
    broker = await startBroker({ own: true });
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-outage-'));
    // Enough to do for all of it.
    const plan = planWeb({ hosts: 40, pagesPerHost: 400, seed: 41 });
    web = await startWeb(plan);
    const at = ['--brokers', broker.brokers];
    const made = await runCommand(['topics', 'create', ...at, '--partitions', '3']);
    assert.equal(made.code, 0, made.stderr);
    const start = (...args: string[]) => startCommand([...args, ...at, '--http', '0'], { patienceMs: 600_000 });
    roles = {
      frontier: start('frontier', '--data', join(folder, 'frontier')),
      fetcher: start('fetcher', '--resolve', `*:${web.port}:127.0.0.1`),
      dedup: start('dedup', '--data', join(folder, 'dedup')),
    };
    const sent = await runCommand(['inject', ...plan.seeds(web.port), ...at, '--delay', '1000ms']);
    assert.equal(sent.code, 0, sent.stderr);
  });
  after(async () => {
    for (const { child } of Object.values(roles ?? {})) child.kill('SIGKILL');
    await Promise.all([broker?.stop(), web?.close()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const done: Readonly<Record<string, () => Promise<number>>> = {
    frontier: async () => sum(await scrape(await listening(roles['frontier']!)), 'crawlstream_frontier_commits_total'),
    fetcher: async () => web.requests().length,
    dedup: async () => sum(await scrape(await listening(roles['dedup']!)), 'crawlstream_consumer_records_total'),
  };
  const readyz = async (name: string) => {
    const response = await fetch(`${await listening(roles[name]!)}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  /** Everything that is asked is answered at once, by what is known and how old that is. */
  const untilReported = async (name: string, t: { diagnostic(text: string): void }) => {
    const url = await listening(roles[name]!);
    const paths = [...askedPaths, ...(name === 'frontier' ? ['/partitions'] : [])];
    t.diagnostic(`${name} answers within ${Math.round(await answersAtOnce(url, paths))} ms`);
    const series = await scrape(url);
    assert.equal(series.get('crawlstream_brokers_away'), 1);
    assert.equal(series.get('crawlstream_cut_off{what="brokers"}'), 1);
    assert.equal(series.get('crawlstream_ready'), 0);
    const reported = (metric: string) =>
      [...series].filter(([key]) => key.startsWith(`${metric}{group="crawl.${name}"`));
    assert.ok(
      reported('crawlstream_lag_records').length >= 3 && reported('crawlstream_lag_age_seconds')[0]![1] > 0,
      name,
    );
    if (name !== 'frontier') return;
    const { partitions, ageMs } = (await (await fetch(`${url}/partitions`)).json()) as {
      readonly partitions: readonly { readonly owner: string | null }[];
      readonly ageMs: number;
    };
    assert.ok(partitions.length === 3 && partitions.every(({ owner }) => owner !== null), JSON.stringify(partitions));
    assert.ok(ageMs > 0, `${ageMs}`);
  };
  const untilAtWork = async (name: string, before: number, deadline: number) => {
    for (;;) {
      const [{ status, text }, now] = [await readyz(name), await done[name]!()];
      if (status === 200 && now > before) return;
      assert.ok(Date.now() < deadline, `${name} is not at work: ${text}, ${now} done\n${roles[name]!.output()}`);
      await sleep(100);
    }
  };

  /**
   * Until the fetcher's appends reach every partition: what waited through one outage must not wait through the next as
   * well, since it is given up on after two minutes.
   */
  const untilDelivered = async () => {
    const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
    try {
      const deadline = Date.now() + 120_000;
      for (const topic of ['crawl.pages', 'crawl.results', 'crawl.discovered']) {
        for (let partition = 0; partition < 3; partition++) {
          const before = (await log.offsets(topic, partition)).end;
          while ((await log.offsets(topic, partition)).end === before) {
            assert.ok(Date.now() < deadline, `nothing is appended to ${topic}/${partition}`);
            await sleep(100);
          }
        }
      }
    } finally {
      await log.close();
    }
  };

  for (const [how, leave, comeBack] of [
    ['dead', () => broker.kill(), () => broker.restart()],
    [
      'frozen',
      async () => process.kill(broker.pids[0]!, 'SIGSTOP'),
      async () => process.kill(broker.pids[0]!, 'SIGCONT'),
    ],
  ] as const) {
    it(`${how}: every role says so, and works again soon after`, async (t) => {
      for (const name of Object.keys(roles)) await untilAtWork(name, 0, Date.now() + 120_000);
      await untilDelivered();
      const said = Object.fromEntries(Object.entries(roles).map(([name, { output }]) => [name, output().length]));
      await leave();
      const leftMs = Date.now();
      try {
        for (const name of Object.keys(roles)) {
          for (;;) {
            const { status, text } = await readyz(name);
            if (status === 503 && text.includes(broker.brokers)) break;
            assert.ok(Date.now() < leftMs + awayMs, `${name} does not say that the broker is away, but ${text}`);
            await sleep(200);
          }
          t.diagnostic(`${name} says so after ${((Date.now() - leftMs) / 1000).toFixed(1)} s`);
        }
        // As long as it lasts: what was asked of the brokers and not answered must not pile up.
        while (Date.now() < leftMs + awayMs - 5_000) {
          for (const name of Object.keys(roles)) await untilReported(name, t);
          await sleep(5_000);
        }
      } finally {
        await sleep(Math.max(0, leftMs + awayMs - Date.now()));
        await comeBack();
      }
      const backMs = Date.now();
      const before = Object.fromEntries(
        await Promise.all(Object.entries(done).map(async ([name, count]) => [name, await count()] as const)),
      );
      await Promise.all(
        Object.keys(roles).map(async (name) => {
          await untilAtWork(name, before[name]!, backMs + backMsMax);
          t.diagnostic(`${name} is at work after ${((Date.now() - backMs) / 1000).toFixed(1)} s`);
        }),
      );
      for (const [name, { output, child }] of Object.entries(roles)) {
        assert.equal(child.exitCode, null, output());
        const lines = output().slice(said[name]).trimEnd().split('\n');
        assert.equal(lines.length, 2, `${name} says in a line that it is away, and in one that it is back:\n${lines}`);
        assert.match(lines[0]!, /broker \S+ does not answer: /);
        assert.match(lines[1]!, /broker \S+ answers again, after \d+ s$/);
      }
    });
  }
});

function sum(series: ReadonlyMap<string, number>, name: string): number {
  let total = 0;
  for (const [key, value] of series) if (key === name || key.startsWith(`${name}{`)) total += value;
  return total;
}
