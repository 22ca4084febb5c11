/**
 * A year of virtual time over one real FrontierPartition that keeps visiting its pages: counts must not drift, no host
 * may be contacted too early, and no page be lost. The bench throws if one of these fails.
 *
 *   npm run bench -- recrawl-year [--pages N] [--hosts N] [--days D] [--every DAYS] [--json]
 *
 * Everything stays in memory: other benches measure the checkpoint. `--every`: average days between two visits of a
 * page.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import type { Outcome, Task } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { lostUrls } from '../../../topology/frontier/changes/counters.ts';
import { FrontierPartition } from '../../../topology/frontier/partition.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { Hand } from '../../model/hand.ts';
import { controlOf } from '../../model/model-script.ts';
import { numbers } from '../../web/random.ts';

const dayMs = 86_400_000;
/** Leases of one turn end before the next, and their results are decided before any of them expires. */
const turnMs = 40_000;
const delayMs = 1_000;
const fetchMs = 100;

export async function run(args: readonly string[]): Promise<void> {
  const { pages, hosts, days, every, json } = options(args);
  const crawl = new Year(pages, hosts, every);
  const beforeCpu = process.cpuUsage();
  for (let day = 1; day <= days; day++) {
    crawl.day();
    if (day % 30 === 0) process.stderr.write(`day ${day}: ${crawl.text}\n`);
  }
  const { user, system } = process.cpuUsage(beforeCpu);
  const figures = { pages, hosts, days, ...crawl.check(), cpuSeconds: (user + system) / 1e6 };
  process.stdout.write(`${days} days of ${pages} pages on ${hosts} hosts: ${crawl.text}\n`);
  process.stdout.write(`no count drifted, no host was contacted early: ${JSON.stringify(figures)}\n`);
  if (json) process.stdout.write(`${JSON.stringify(figures)}\n`);
}

class Year {
  readonly #state = new FrontierState({ hi: 1, lo: 2 });
  readonly #core = new FrontierPartition({ crawl: 'year', partition: 0, partitions: 1 }, this.#state);
  readonly #next = numbers(1);
  readonly #pages: number;
  /** By host: end of its last request. */
  readonly #contactedMs = new Map<string, number>();
  #offsets = { control: 0, discovered: 0, results: 0 };
  #out: readonly Task[] = [];
  #nowMs = 1_700_000_000_000;
  #visits = 0;
  #waitMsMin = Number.POSITIVE_INFINITY;

  constructor(pages: number, hosts: number, everyDays: number) {
    replay(this.#state, 0, { kind: 'claim', nonce: 'bench', nowMs: this.#nowMs, endsLeases: false });
    this.#pages = pages;
    const recrawl = { ...defaultRecrawl, intervalMs: everyDays * dayMs, maxMs: 3 * everyDays * dayMs };
    const policy = { ...defaultPolicy(), delayMs, delayFactor: 0, recrawl };
    const payload = JSON.stringify(policy);
    this.#core.offer({
      topic: 'control',
      offset: this.#offsets.control++,
      record: controlOf({ kind: 'policy', version: 1, payload }),
    });
    const hand = new Hand();
    for (let host = 0; host < hosts; host++) {
      const count = Math.floor(pages / hosts) + (host < pages % hosts ? 1 : 0);
      for (let from = 0; from < count; from += 200) {
        const urls = Array.from({ length: Math.min(200, count - from) }, (_, n) => `https://h${host}.test/${from + n}`);
        const record = hand.linksRecord(urls);
        this.#core.offer({ topic: 'discovered', offset: this.#offsets.discovered++, record });
      }
      this.#steps(0);
    }
  }

  get text(): string {
    const { scheduled, revisits, changesFound, page } = this.#state.counters;
    return `${page} pages, ${scheduled} scheduled, ${this.#visits} visits, ${revisits} again, ${changesFound} found a change`;
  }

  day(): void {
    for (const untilMs = this.#nowMs + dayMs; this.#nowMs < untilMs; ) {
      // Nothing is due until then: the clock is advanced, as an idle owner waits.
      const wakeMs = this.#out.length > 0 ? 0 : (this.#core.wakeAtMs(1) ?? untilMs);
      this.#nowMs = Math.min(untilMs, Math.max(this.#nowMs + turnMs, wakeMs));
      for (const task of this.#out) this.#finish(task);
      this.#out = [];
      this.#out = this.#steps(100_000);
    }
  }

  check() {
    const { counters, recrawl } = this.#state;
    for (const task of this.#out) this.#finish(task);
    this.#out = [];
    this.#steps(0);
    assert.equal(lostUrls(counters), 0, 'every URL is in one place');
    assert.deepEqual([counters.admitted, counters.page, counters.leased], [this.#pages, this.#pages, 0]);
    assert.deepEqual([recrawl.table.size, counters.scheduled], [this.#pages, this.#pages], 'every page is scheduled');
    assert.equal(counters.revisits, this.#visits - this.#pages, 'every visit but the first counts as a revisit');
    return { visits: this.#visits, changesFound: counters.changesFound, waitMsMin: this.#waitMsMin };
  }

  #steps(demand: number): Task[] {
    const tasks: Task[] = [];
    for (;;) {
      const step = this.#core.step(this.#nowMs, demand - tasks.length);
      if (step === null) return tasks;
      for (const task of step.tasks) {
        const waitMs = this.#nowMs - (this.#contactedMs.get(task.hostKey) ?? 0);
        assert.ok(waitMs >= delayMs, `${task.hostKey} was contacted after ${waitMs} ms`);
        this.#waitMsMin = Math.min(this.#waitMsMin, waitMs);
        tasks.push(task);
      }
    }
  }

  #finish(task: Task): void {
    const completedAtMs = task.grantedAtMs + task.urls.length * (delayMs + fetchMs) - delayMs;
    this.#contactedMs.set(task.hostKey, completedAtMs);
    this.#visits += task.urls.length;
    const record = Hand.resultAt(task, completedAtMs, fetchMs, (index) => this.#found(task.urls[index]!.url));
    this.#core.offer({ topic: 'results', offset: this.#offsets.results++, record });
  }

  /** One page in three changes between most visits, the others now and then. */
  #found(url: string): Partial<Outcome> {
    const often = url.endsWith('0') || url.endsWith('3') || url.endsWith('6');
    const changed = this.#next() % 100 < (often ? 70 : 5);
    return { contentHash: changed ? `${this.#next()}` : 'same' };
  }
}

function options(args: readonly string[]) {
  const one = { type: 'string' } as const;
  const { values } = parse(args, { pages: one, hosts: one, days: one, every: one, json: { type: 'boolean' } as const });
  const number = (name: 'pages' | 'hosts' | 'days' | 'every', byDefault: number) => {
    const value = Number(values[name] ?? byDefault);
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give a whole number above 0`);
  };
  const pages = number('pages', 1_000_000);
  const hosts = Math.min(pages, number('hosts', 2_000));
  return { pages, hosts, days: number('days', 365), every: number('every', 60), json: values.json === true };
}

function parse<T extends Parameters<typeof parseArgs>[0] & object>(
  args: readonly string[],
  wanted: NonNullable<T['options']>,
) {
  try {
    return parseArgs({ args: [...args], options: wanted }) as { values: Record<string, string | boolean | undefined> };
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', (error as Error).message);
  }
}
