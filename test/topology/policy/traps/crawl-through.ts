/** A crawl without a network: what the frontier does with traps, in the order it does it, host after host in turn. */

import { addTrap, type HostTraps, noTraps } from '../../../../topology/policy/traps/active-traps.ts';
import { stepSummary, type TrapEvent } from '../../../../topology/policy/traps/step.ts';
import { emptySummary, type Trap, type TrapSummary } from '../../../../topology/policy/traps/summary.ts';
import { defaultTraps, type TrapConfig } from '../../../../topology/policy/traps/trap-config.ts';
import { noticeTrap, trapOf } from '../../../../topology/policy/traps/traps.ts';
import { frontQueueOf } from '../../../../topology/url/front-queue.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';

export interface FakePage {
  readonly status?: number;
  /** Hexadecimal. Absent: like no other. */
  readonly contentHash?: string;
  readonly links: readonly string[];
}

export interface Crawled {
  readonly fetched: string[];
  readonly trapped: Map<string, Trap>;
  readonly deferred: number;
  readonly summaries: Map<string, TrapSummary>;
}

export interface CrawlThrough {
  readonly config?: TrapConfig;
  /** Fetches at most. */
  readonly most?: number;
  /** Whether events say where a link was found. */
  readonly withSource?: boolean;
}

interface Waiting {
  readonly url: string;
  readonly depth: number;
}

export function crawlThrough(
  pageAt: (url: string) => FakePage,
  seeds: readonly string[],
  { config = defaultTraps, most = 5_000, withSource = false }: CrawlThrough = {},
): Crawled {
  const queues = new Map<string, Waiting[][]>();
  const seen = new Set<string>();
  const summaries = new Map<string, TrapSummary>();
  const active = new Map<string, HostTraps>();
  const trapped = new Map<string, Trap>();
  const fetched: string[] = [];
  let deferred = 0;
  const learn = (host: string, event: TrapEvent) => {
    const summary = stepSummary(summaries.get(host) ?? emptySummary, event);
    const traps = active.get(host) ?? noTraps;
    const trap = noticeTrap(config, summary, event, traps);
    if (trap !== null) {
      active.set(host, addTrap<Trap>(traps, trap));
      trapped.set(host + trap.pattern, trap);
    }
    summaries.set(host, summary);
  };
  const arrive = (url: string, depth: number, sourceUrl: string) => {
    if (seen.has(url)) return;
    const host = hostKeyOf(url);
    if (trapOf(config, active.get(host), url) !== null) {
      deferred += 1;
      return;
    }
    seen.add(url);
    const frontQueues = queues.get(host) ?? Array.from({ length: 8 }, () => []);
    queues.set(host, frontQueues);
    frontQueues[frontQueueOf(url, depth)]!.push({ url, depth });
    learn(host, { kind: 'admitted', url, depth, ...(withSource ? { sourceUrl } : {}) });
  };
  for (const seed of seeds) arrive(seed, 0, '');
  for (let busy = true; busy && fetched.length < most; ) {
    busy = false;
    for (const [host, frontQueues] of [...queues]) {
      const next = frontQueues.find((frontQueue) => frontQueue.length > 0)?.shift();
      if (next === undefined || fetched.length >= most) continue;
      busy = true;
      const { status = 200, contentHash = fetched.length.toString(16).padStart(8, '0'), links } = pageAt(next.url);
      fetched.push(next.url);
      for (const link of links) arrive(link, next.depth + 1, next.url);
      learn(host, { kind: 'fetched', url: next.url, status, contentHash });
    }
  }
  return { fetched, trapped, deferred, summaries };
}
