/**
 * Keeps a URL from being fetched twice where this fetcher is slow: it fetched the URL on a lease that ran out before the
 * report was durable, so that the frontier has granted the URL again.
 *
 * A lease that was granted before the report of an earlier one was durable is answered by that report. While the earlier
 * one still runs past its deadline, the new one waits for it: by its end nothing of its own can have started (lease.ts),
 * so the wait is at most a request under way. Reports that were durable in time are forgotten at once, since later
 * grants know of them; of the others the newest are kept (`lateReportsMax`).
 */
import type { Outcome, Task } from '../../../schemas/types.ts';
import { finals } from '../../../topology/frontier/decide/results/finals.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface LateReports {
  /** A lease begins: a promise where it is to wait for earlier ones of its host that ran out. */
  begin(task: Task): Promise<unknown> | undefined;
  /** The lease has nothing more to report. */
  end(task: Task): void;
  reported(task: Task, outcome: Outcome): void;
  /** What a lease has reported is durable now, ms. */
  durable(task: Task, outcomes: readonly Outcome[], atMs: number): void;
  /** What an earlier lease has reported of a URL of this one, once that is durable. Undefined: it is to be fetched. */
  answerTo(task: Task, index: number): Promise<Outcome> | undefined;
}

interface Report {
  readonly leaseId: number;
  /** As it was published. */
  outcome: Outcome;
  /** Infinity: not yet. */
  durableAtMs: number;
  /** Leases that wait for that. */
  readonly waiting: ((outcome: Outcome) => void)[];
}

interface Running {
  readonly task: Task;
  readonly ended: Promise<void>;
  readonly end: () => void;
}

export function createLateReports(): LateReports {
  const reports = new Map<string, Report>();
  const byHost = new Map<string, Running[]>();

  return {
    begin(task) {
      const before = byHost.get(task.hostKey) ?? [];
      let end = () => {};
      const ended = new Promise<void>((resolve) => (end = resolve));
      byHost.set(task.hostKey, [...before, { task, ended, end }]);
      const over = before.filter((one) => one.task.deadlineMs < task.grantedAtMs);
      return over.length === 0 ? undefined : Promise.all(over.map((one) => one.ended));
    },
    end(task) {
      const all = byHost.get(task.hostKey) ?? [];
      all.find((one) => one.task === task)?.end();
      const left = all.filter((one) => one.task !== task);
      if (left.length > 0) byHost.set(task.hostKey, left);
      else byHost.delete(task.hostKey);
    },
    reported({ leaseId, urls }, outcome) {
      const url = urls[outcome.index]?.url;
      if (url === undefined || finals[outcome.kind] === undefined) return;
      const waiting = reports.get(url)?.waiting ?? [];
      reports.delete(url);
      reports.set(url, { outcome, leaseId, durableAtMs: Number.POSITIVE_INFINITY, waiting });
    },
    durable({ leaseId, urls, deadlineMs }, outcomes, atMs) {
      for (const outcome of outcomes) {
        const url = urls[outcome.index]?.url ?? '';
        const report = reports.get(url);
        if (report === undefined || report.leaseId !== leaseId) continue;
        for (const resolve of report.waiting.splice(0)) resolve(outcome);
        if (atMs <= deadlineMs) reports.delete(url);
        else Object.assign(report, { outcome, durableAtMs: atMs });
      }
      for (const [url, { durableAtMs }] of reports) {
        if (reports.size <= fetcherLimits.lateReportsMax || durableAtMs === Number.POSITIVE_INFINITY) break;
        reports.delete(url);
      }
    },
    answerTo(task, index) {
      const report = reports.get(task.urls[index]!.url);
      if (report === undefined || report.leaseId === task.leaseId || task.grantedAtMs > report.durableAtMs)
        return undefined;
      if (report.durableAtMs < Number.POSITIVE_INFINITY) return Promise.resolve(report.outcome);
      return new Promise((resolve) => report.waiting.push(resolve));
    },
  };
}
