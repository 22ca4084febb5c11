/** A synthetic web for tests of the command: served by the test's own process, crawled by a child. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type CommandOptions, runCommand } from '../../../lab/process/command.ts';
import { type CheckOptions, type CheckReport, checkCrawl } from '../../../lab/web/check.ts';
import { planWeb, type WebPlan } from '../../../lab/web/plan.ts';
import { type RunningWeb, startWeb } from '../../../lab/web/server.ts';

export interface SmallWeb {
  readonly plan: WebPlan;
  readonly web: RunningWeb;
  readonly port: number;
  readonly seeds: readonly string[];
  /** `crawl`, the seeds, and how to find the hosts. */
  readonly crawlArguments: readonly string[];
  check(options: Omit<CheckOptions, 'dropped'>): CheckReport;
}

export async function startSmallWeb(options: Parameters<typeof planWeb>[0]): Promise<SmallWeb> {
  const plan = planWeb(options);
  const web = await startWeb(plan);
  after(() => web.close());
  const seeds = plan.seeds(web.port);
  return {
    plan,
    web,
    port: web.port,
    seeds,
    crawlArguments: ['crawl', ...seeds, '--resolve', `*.test:${web.port}:127.0.0.1`],
    check: (options) => checkCrawl(plan, web.requests(), { ...options, dropped: web.dropped }),
  };
}

/** Nothing wrong at all; otherwise the failure shows the first of each kind. */
export function assertFlawless(report: CheckReport): void {
  const { shortGaps, concurrency, robotsViolations, duplicates, missing, unexpected } = report;
  const wrong = { shortGaps, concurrency, robotsViolations, duplicates, missing, unexpected };
  for (const [kind, { count, details }] of Object.entries(wrong))
    assert.equal(count, 0, `${kind}: ${details.join('; ')}`);
  assert.ok(report.ok);
  assert.equal(report.fetched, report.expected);
  assert.ok(report.fetched > 0);
}

/** URLs that `crawlstream pages` prints, sorted. */
export async function printedPages(data: string, options: CommandOptions = {}): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand(['pages', '--data', data], options);
  assert.equal(code, 0, stderr);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { url: string }).url)
    .sort();
}
