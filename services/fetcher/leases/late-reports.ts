/**
 * Prevents double fetches, and abandoned URLs, when this fetcher is slow: a lease expired before its report was
 * durable, so the frontier has granted its URLs again.
 *
 * A task of a host is not taken while an earlier, expired lease of that host is not reported. Until the task is taken,
 * the frontier learns nothing about its URLs from an expiry (docs/design.md §4.5), and first hears that this fetcher is
 * alive. A lease that was granted before an earlier one's report was durable is answered by that report. Reports that
 * were durable in time are dropped at once, since later grants take them into account; the newest of the others are
 * kept (`lateReportsMax`).
 */
import type { Outcome, Task } from '../../../schemas/types.ts';
import { finals } from '../../../topology/frontier/decide/results/finals.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface LateReports {
  /**
   * Returns a promise if these tasks must wait for the reports of earlier, expired leases of their hosts. It resolves
   * after `waitMs` in any case, so that a hanging lease delays no others.
   */
  earlier(tasks: readonly Task[]): Promise<void> | undefined;
  /** A lease begins. */
  begin(task: Task): void;
  reported(task: Task, outcome: Outcome): void;
  /** Reports that outcomes of a lease became durable at `atMs`. `last`: all of its outcomes are. */
  durable(task: Task, outcomes: readonly Outcome[], last: boolean, atMs: number): void;
  /**
   * Returns an earlier lease's outcome of a URL of this lease, once it is durable; null: we are shutting down.
   * Undefined: fetch the URL.
   */
  answerTo(task: Task, index: number): Promise<Outcome | null> | undefined;
}

interface Report {
  readonly leaseId: number;
  /** The published outcome. */
  outcome: Outcome;
  /** Infinity: not yet. */
  durableAtMs: number;
  /** Leases that wait for it to be durable. */
  readonly waiting: ((outcome: Outcome) => void)[];
}

interface Running {
  readonly task: Task;
  readonly ended: Promise<void>;
  end(): void;
}

export function createLateReports(clock: Clock, signal: AbortSignal, waitMs: number): LateReports {
  return new KeptReports(clock, signal, waitMs);
}

class KeptReports implements LateReports {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #waitMs: number;
  readonly #reports = new Map<string, Report>();
  readonly #byHost = new Map<string, Running[]>();

  constructor(clock: Clock, signal: AbortSignal, waitMs: number) {
    this.#clock = clock;
    this.#signal = signal;
    this.#waitMs = waitMs;
  }

  #end(task: Task) {
    const all = this.#byHost.get(task.hostKey) ?? [];
    all.find((one) => one.task === task)?.end();
    const left = all.filter((one) => one.task !== task);
    if (left.length > 0) this.#byHost.set(task.hostKey, left);
    else this.#byHost.delete(task.hostKey);
  }

  async #atMost(wait: Promise<unknown>) {
    const over = new AbortController();
    const either = AbortSignal.any([over.signal, this.#signal]);
    await Promise.race([wait, this.#clock.sleepUntil(this.#clock.nowMs() + this.#waitMs, either)]);
    over.abort();
  }

  #orShutdown(wait: Promise<Outcome>): Promise<Outcome | null> {
    return new Promise((resolve) => {
      const stop = () => resolve(null);
      if (this.#signal.aborted) return stop();
      this.#signal.addEventListener('abort', stop, { once: true });
      void wait.then((outcome) => {
        this.#signal.removeEventListener('abort', stop);
        resolve(outcome);
      });
    });
  }

  earlier(tasks: readonly Task[]): Promise<void> | undefined {
    const over = tasks.flatMap(({ hostKey, grantedAtMs }) =>
      (this.#byHost.get(hostKey) ?? []).filter((one) => one.task.deadlineMs < grantedAtMs),
    );
    return over.length === 0 ? undefined : this.#atMost(Promise.all(over.map(({ ended }) => ended)));
  }

  begin(task: Task): void {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.#byHost.set(task.hostKey, [...(this.#byHost.get(task.hostKey) ?? []), { task, ended, end }]);
  }

  reported({ leaseId, urls }: Task, outcome: Outcome): void {
    const url = urls[outcome.index]?.url;
    if (url === undefined || finals[outcome.kind] === undefined) return;
    const waiting = this.#reports.get(url)?.waiting ?? [];
    this.#reports.delete(url);
    this.#reports.set(url, { outcome, leaseId, durableAtMs: Number.POSITIVE_INFINITY, waiting });
  }

  durable(task: Task, outcomes: readonly Outcome[], last: boolean, atMs: number): void {
    const { leaseId, urls, deadlineMs } = task;
    if (last) this.#end(task);
    for (const outcome of outcomes) {
      const url = urls[outcome.index]?.url ?? '';
      const report = this.#reports.get(url);
      if (report === undefined || report.leaseId !== leaseId) continue;
      for (const resolve of report.waiting.splice(0)) resolve(outcome);
      if (atMs <= deadlineMs) this.#reports.delete(url);
      else Object.assign(report, { outcome, durableAtMs: atMs });
    }
    for (const [url, { durableAtMs }] of this.#reports) {
      if (this.#reports.size <= fetcherLimits.lateReportsMax || durableAtMs === Number.POSITIVE_INFINITY) break;
      this.#reports.delete(url);
    }
  }

  answerTo(task: Task, index: number): Promise<Outcome | null> | undefined {
    const report = this.#reports.get(task.urls[index]!.url);
    if (report === undefined || report.leaseId === task.leaseId || task.grantedAtMs > report.durableAtMs)
      return undefined;
    if (report.durableAtMs < Number.POSITIVE_INFINITY) return Promise.resolve(report.outcome);
    return this.#orShutdown(new Promise((resolve) => report.waiting.push(resolve)));
  }
}
