/**
 * Was every host contacted only when it was time, by the web servers' own records?
 *
 * One excuse: a request whose process was frozen between its last check and the sending. The check said that it was time,
 * and while the process slept another one got the host. Such a request is the first of its process to that host after it
 * woke, and comes within a moment of that. It is left out, and counted if it came too early.
 */
import { checkCrawl } from '../../../lab/web/check.ts';
import type { WebPlan } from '../../../lab/web/plan.ts';
import type { RequestRecord } from '../../../lab/web/records.ts';
import type { Freeze } from './fleet.ts';

export interface Politeness {
  readonly requests: number;
  /** In words. */
  readonly findings: readonly string[];
  /** Requests that came too early with the excuse. */
  readonly excused: number;
}

/** A process that wakes sends what it had checked within this. */
const wakeMs = 2_000;

export function judge(
  plan: WebPlan,
  requests: readonly RequestRecord[],
  freezes: readonly Freeze[],
  delayMs: number,
): Politeness {
  const options = { delayMs, abortToleranceMs: 50 };
  const woken = new Map<string, number>();
  const mayBeExcused = ({ agent, host, startMs }: RequestRecord) => {
    const freeze = freezes.find(({ name, toMs }) => agent.includes(name) && startMs >= toMs && startMs < toMs + wakeMs);
    if (freeze === undefined) return false;
    const key = `${agent} ${host} ${freeze.toMs}`;
    if (woken.has(key)) return false;
    woken.set(key, startMs);
    return true;
  };
  const ordered = [...requests].sort((a, b) => a.startMs - b.startMs);
  const steady = checkCrawl(
    plan,
    ordered.filter((request) => !mayBeExcused(request)),
    options,
  );
  const all = checkCrawl(plan, ordered, options);
  const findings = [
    ...(['shortGaps', 'concurrency'] as const).map((kind) => [kind, steady[kind]] as const),
    ...(['robotsViolations', 'unexpected'] as const).map((kind) => [kind, all[kind]] as const),
  ].flatMap(([kind, { details }]) => details.map((detail) => `${kind}: ${detail}`));
  const count = ({ shortGaps, concurrency }: typeof all) => shortGaps.count + concurrency.count;
  return { requests: all.requests, findings, excused: count(all) - count(steady) };
}
