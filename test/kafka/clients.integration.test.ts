/**
 * Clients lease from fetchers of a crawl on a real broker: each from one of two, of which one is killed. Its client goes to
 * the other, and every page is fetched, at the delay of its host.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LeaseClient } from '../../clients/typescript/lease-client.ts';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { fetcherOf } from '../services/extras/lending/fetcher-of.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

const skip = (await skipReason()) ?? false;
const delayMs = 40;
const patienceMs = 240_000;

describe('clients that lease, on Kafka', { skip, timeout: 500_000 }, () => {
  let broker: TestBroker;
  const started: Running[] = [];
  before(async () => {
    broker = await startBroker();
  });
  after(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await broker?.stop();
  });

  it('clients that lease, on Kafka, fetch every page, even if a fetcher that they lease from is killed', async (t) => {
    const small = await startSmallWeb({ preset: 'plain', hosts: 8, pagesPerHost: 20, domains: 4, seed: 11 });
    const at = ['--brokers', broker.brokers, '--crawl', `leasing-${process.pid}`];
    const start = (...args: string[]) => {
      const running = startCommand(args, { patienceMs: 480_000 });
      started.push(running);
      return running;
    };
    const done = async (...args: string[]) => {
      const ended = await runCommand(args);
      assert.equal(ended.code, 0, ended.stderr);
      return ended;
    };
    await done('topics', 'create', ...at, '--partitions', '4');
    start('frontier', ...at, '--data', join(temporaryFolder(), 'frontier'));
    const toWeb = ['--resolve', `*:${small.port}:127.0.0.1`];
    const fetchers = [0, 1].map(() => start('fetcher', ...at, ...toWeb, '--clients', 'only', '--http', '0'));
    const bases = await Promise.all(fetchers.map((fetcher) => listening(fetcher)));
    for (const base of bases) await untilReady(base);
    await done('inject', ...small.seeds, ...at, '--delay', `${delayMs}ms`);

    const over = new AbortController();
    t.after(() => over.abort());
    const fetched: string[] = [];
    const fetchUrl = fetcherOf(small.port);
    const work = async (base: string) => {
      await new LeaseClient(base, { leaseMs: 4_000 }).work(
        async (leased) => {
          fetched.push(leased.url);
          return fetchUrl(leased);
        },
        { concurrency: 4, signal: over.signal },
      );
    };
    const expected = small.plan.expected(small.port).fetch;
    const first = work(bases[0]!).catch(() => work(bases[1]!));
    const second = work(bases[1]!);
    const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
      for (const deadline = Date.now() + patienceMs; !(await holds()); await sleep(500))
        if (Date.now() > deadline) assert.fail(`waited in vain: ${what}, with ${fetched.length} of ${expected.size}`);
    };
    await until('both are at work', () => fetched.length > expected.size / 4);
    fetchers[0]!.child.kill('SIGKILL');
    await until('every page was fetched', () => new Set(fetched).size >= expected.size);
    const pages = async () => lastJson(await done('stats', ...at, '--json'))['pages'] as number;
    await until('every page counts', async () => (await pages()) >= expected.size);
    over.abort();
    await Promise.all([first, second]);

    assert.deepEqual(new Set(fetched), new Set(expected));
    const twice = fetched.length - expected.size;
    t.diagnostic(
      `${twice} of ${expected.size} were asked for twice: nothing of them was on results when their fetcher died`,
    );
    assert.equal(small.check({ delayMs }).shortGaps.count, 0);
    const { stdout: audit } = await done('audit', ...at);
    // How many die with a fetcher depends on how long its results take. None whose result was durable is fetched again.
    assert.equal(Number(/(\d+) pages/.exec(audit)?.[1]), expected.size, audit);
  });
});
