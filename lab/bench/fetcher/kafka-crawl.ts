/**
 * One measured crawl on Kafka, as deployed: the commands `frontier` and `fetcher`, each in a separate process, with a
 * broker and the synthetic web. CPU time of a service is that of its whole process, start and end included. CPU time of
 * broker and web, which continue to run, is taken from the first seed to the last page.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBroker } from '../../kafka/broker.ts';
import type { CheckReport } from '../../web/check.ts';
import { type MeasuredCommand, startMeasured } from '../process/compiled-process.ts';
import type { Usage } from '../process/fetch-usage.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { cpuMillisOf } from '../process/thread-cpu.ts';
import { startWebProcess } from '../process/web-process.ts';

export interface KafkaCrawlBench {
  readonly broker: TestBroker;
  readonly crawl: string;
  readonly partitions: number;
  readonly fetchers: number;
  /** Hosts that one fetcher has in progress at once. */
  readonly concurrency: number;
  /** Options of lab/web/main.ts. */
  readonly web: readonly string[];
  /** Folder for CPU profiles: of the frontier in `frontier/`, of the first fetcher in `fetcher/`. */
  readonly profile?: string;
}

export interface KafkaCrawl {
  readonly report: CheckReport;
  readonly frontier: Usage;
  readonly fetchers: readonly Usage[];
  /** NaN if the system does not report it, or this bench did not start the broker. */
  readonly brokerCpuMillis: number;
  readonly webCpuMillis: number;
}

const reportQuery = 'delayMs=0&sitemaps=false';
const lookMs = 100;
/** After this time without a page, the crawl counts as stuck. */
const patienceMs = 60_000;

export async function measureKafkaCrawl(bench: KafkaCrawlBench): Promise<KafkaCrawl> {
  const { broker, crawl, partitions, fetchers, concurrency, profile } = bench;
  const web = await startWebProcess(bench.web, null);
  const started: MeasuredCommand[] = [];
  try {
    return await inTemporaryFolder(async (folder) => {
      const at = ['--brokers', broker.brokers, '--crawl', crawl, '--partitions', `${partitions}`];
      const start = (args: readonly string[], profiled?: string) => {
        const command = startMeasured([...args, ...at], {
          core: null,
          node: ['--max-semi-space-size=32'],
          profile: profiled,
        });
        started.push(command);
        return command;
      };
      const into = (name: string) => (profile === undefined ? undefined : join(profile, name));
      const frontier = start(['frontier', '--data', join(folder, 'state')], into('frontier'));
      const resolve = web.resolve.flatMap((one) => ['--resolve', one]);
      const fetching = Array.from({ length: fetchers }, (_, i) =>
        start(['fetcher', ...resolve, '--concurrency', `${concurrency}`], i === 0 ? into('fetcher') : undefined),
      );
      const pids = [...broker.pids, web.pid];
      const before = pids.map((pid) => cpuMillisOf(`/proc/${pid}`).millis);
      await start(['inject', ...web.seeds, '--delay', '0']).ended;
      await untilFetched(() => web.report(reportQuery), [frontier, ...fetching]);
      const after = pids.map((pid) => cpuMillisOf(`/proc/${pid}`).millis);
      const spent = after.map((millis, i) => millis - before[i]!);
      const webCpuMillis = spent.pop()!;
      for (const { child } of [frontier, ...fetching]) child.kill('SIGTERM');
      return {
        report: await web.report(reportQuery),
        frontier: (await frontier.ended).usage,
        fetchers: await Promise.all(fetching.map(async ({ ended }) => (await ended).usage)),
        brokerCpuMillis: spent.length === 0 ? Number.NaN : spent.reduce((sum, one) => sum + one, 0),
        webCpuMillis,
      };
    });
  } finally {
    for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL');
    await web.end();
  }
}

/** Every page that can be found was answered. */
async function untilFetched(report: () => Promise<CheckReport>, services: readonly MeasuredCommand[]): Promise<void> {
  let [most, sinceMs] = [-1, 0];
  for (;;) {
    const { fetched, expected } = await report();
    if (fetched >= expected) return;
    if (fetched > most) [most, sinceMs] = [fetched, performance.now()];
    const dead = services.find(({ child }) => child.exitCode !== null || child.signalCode !== null);
    if (dead !== undefined) await dead.ended;
    if (dead !== undefined || performance.now() - sinceMs > patienceMs)
      throw new Error(`the crawl stands still at ${fetched} of ${expected} pages`);
    await sleep(lookMs);
  }
}
