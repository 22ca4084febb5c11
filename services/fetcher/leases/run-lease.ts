/**
 * Runs one lease: fetches the URLs of a host politely, one after another, until all are done or the deadline is near.
 * Each URL passes the gates (gates.ts), is requested (request-url.ts), read (read-url.ts), concluded (conclude-url.ts)
 * and reported.
 *
 * Invariants:
 * - Each URL of the task is reported exactly once.
 * - No request starts after `deadlineMs` minus the total timeout, so none is in progress at the deadline.
 * - Each page is requested only if the robots.txt of its origin allows it.
 * - URLs that were not started return as `returned`, without an attempt. After a failure of the host, a request for
 *   fewer requests, or several server errors in a row, the rest returns at once, and the frontier decides on the next
 *   contact.
 *
 * A lease for a robots hop has no URLs: its answer stays in this process, where the leases of the host with the moved
 * file run.
 */
import type { OutcomeKind, Task } from '../../../schemas/types.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import { patientHooks } from '../hooks/run-hooks.ts';
import { outcomeOf } from '../http/outcomes.ts';
import type { PageReader } from '../pages/page-reader.ts';
import type { LeaseReporter, UrlReport } from '../publish/publisher.ts';
import { noteRound } from '../sitemaps/note.ts';
import { readSitemaps } from '../sitemaps/read.ts';
import { concludeUrl } from './conclude-url.ts';
import { gates } from './gates.ts';
import { ownSlot } from './host-slots.ts';
import { Lease } from './lease.ts';
import type { LeaseRunner } from './lease-runner.ts';
import { readUrl } from './read-url.ts';
import { requestUrl } from './request-url.ts';
import type { UrlSpans } from './url-spans.ts';
import { type Next, returned, type Step, spansOf, Visit, withoutPage } from './visit.ts';

/** Runs a lease, in parallel with others of its host if that has several slots. */
export async function runLease(runner: LeaseRunner, task: Task, reporter: LeaseReporter): Promise<void> {
  const arrived = runner.outside?.begin() ?? (() => {});
  const slot = task.lanes <= 1 ? undefined : runner.hostSlots.open(task);
  try {
    await runUrls(new Lease(slot === undefined ? runner : inSlot(runner, slot), task, reporter, arrived));
  } finally {
    slot?.close();
    arrived();
  }
}

/** The runner of one lease among several of its host. */
function inSlot(runner: LeaseRunner, slot: ReturnType<LeaseRunner['hostSlots']['open']>): LeaseRunner {
  const { pacer, ownClock, signal } = runner.requestPath;
  const isBlocked = (hostKey: string) => slot.stopped || runner.requestPath.isBlocked(hostKey);
  const requestPath = { ...runner.requestPath, isBlocked, pacer: ownSlot(pacer, ownClock, signal) };
  return { ...runner, requestPath, inTrouble: slot.inTrouble };
}

async function runUrls(lease: Lease): Promise<void> {
  const { task, reporter, runner } = lease;
  let next = await begin(lease);
  let index = 0;
  for (; index < task.urls.length && next === 'on'; index++) {
    if (runner.isVoid(task)) next = 'returned';
    if (next !== 'on') break;
    const visit = new Visit(lease, index);
    const step = await fetchUrl(visit);
    next = step.next;
    if (step.report === undefined) break;
    await report(lease, step.report, visit.spans);
  }
  if (next === 'on' && index === task.urls.length) await readSitemapsOf(lease);
  const rest: OutcomeKind = next === 'on' ? 'returned' : next;
  for (; index < task.urls.length; index++)
    void report(lease, withoutPage(outcomeOf(index, task.urls[index]!.url, rest)), spansOf(lease, index));
  reporter.finish();
}

/** Waits until the host may be contacted and its name is known, and requests redirected robots.txt files. */
async function begin(lease: Lease): Promise<Next> {
  const { runner, task, latestStartMs } = lease;
  const { clock, signal } = runner.requestPath;
  const isInTime = task.notBeforeMs <= latestStartMs;
  if (isInTime && task.notBeforeMs > clock.nowMs()) {
    runner.names?.lookUp(task);
    await clock.sleepUntil(task.notBeforeMs, signal);
  }
  const named = runner.names?.pass(task, latestStartMs);
  if (named !== undefined && !(await named)) return 'returned';
  await lease.followHops();
  return isInTime ? 'on' : 'returned';
}

async function fetchUrl(visit: Visit): Promise<Step> {
  for (const gate of gates) {
    const asked = gate.ask?.(visit);
    const stopped = gate.decide(visit, asked instanceof Promise ? await asked : asked);
    if (stopped !== undefined) return stopped;
  }
  const answered = await requestUrl(visit);
  if (answered === null) return returned;
  return concludeUrl(visit, answered, await readUrl(visit, answered));
}

/** Other sites may list sitemaps on this host. From a host out of scope, only robots.txt is requested. */
async function readSitemapsOf(lease: Lease): Promise<void> {
  const { runner, task, reporter, latestStartMs } = lease;
  if (task.robotsHops.some(({ url }) => runner.outOfScope(url))) return;
  const robotsOf = (origin: string) => lease.robotsOf(origin);
  await noteRound(runner, task, reporter, robotsOf);
  await readSitemaps(
    {
      requestPath: runner.requestPath,
      processorShare: runner.processorShare,
      agenda: runner.sitemaps,
      links: patientLinks(runner.reader),
      headers: runner.sitemapHeaders,
      task,
      latestStartMs,
      source: runner.sourceOf(task.hostKey),
      reporter,
      robotsOf,
    },
    frontierLimits.sitemapsPerLeaseMax,
  );
  reporter.sitemapsRead(task.sitemaps.sinceMs, runner.sitemaps.waiting(task.hostKey));
}

/** Links that belong to no page. */
function patientLinks({ links, hooks }: PageReader): PageReader['links'] {
  return hooks === undefined ? links : { ...links, hooks: patientHooks(hooks) };
}

/** Reports a URL. A traced one has the context for its next spans in its outcome. */
function report({ reporter }: Lease, report: UrlReport, spans: UrlSpans | undefined): Promise<void> | undefined {
  if (spans === undefined) return reporter.report(report);
  const outcome = { ...report.outcome, traceparent: spans.leaseContext };
  spans.reported(outcome, report.groups.length + (report.page === null ? 0 : 1));
  return reporter.report({ ...report, outcome, spans });
}
