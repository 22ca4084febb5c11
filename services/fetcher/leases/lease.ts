/**
 * Runs one lease: fetches the URLs of a host politely, one after another, until all are done or the deadline is near.
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
 * file run. An outcome that an earlier lease reported too late for the frontier is reported again, and not fetched
 * (late-reports.ts).
 */

import type { Outcome, OutcomeKind, Page, Request, Task } from '../../../schemas/types.ts';
import { conditionOf } from '../../../topology/fetch/conditional.ts';
import {
  failsHost,
  isHostFailure,
  isPressure,
  isServerError,
  serverErrorsAfter,
} from '../../../topology/fetch/outcome.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import { isCrawlDelayTooLong } from '../../../topology/robots/crawl-delay-cap.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import { robotsUsage } from '../../../topology/usage/robots-usage.ts';
import { tdmStatements } from '../../../topology/usage/tdmrep.ts';
import { barredText, skipsFor, type UsesPolicy } from '../../../topology/usage/uses-policy.ts';
import type { Outside } from '../../runtime/leases/outside.ts';
import type { SpanSink } from '../../runtime/tracing/spans.ts';
import { patientHooks } from '../hooks/run-hooks.ts';
import type { HttpResponse } from '../http/client.ts';
import type { Headers } from '../http/headers.ts';
import { outcomeOf, requestRecord } from '../http/outcomes.ts';
import type { Sessions } from '../http/sessions.ts';
import { type PacedRequest, pacedRequest, type RequestPath } from '../pace/paced-request.ts';
import { costOf, holdBack, type ProcessorShare } from '../pace/processor-share.ts';
import { askHooks } from '../pages/ask-hooks.ts';
import { madeBy, readClientResult } from '../pages/client-page.ts';
import { type PageReader, readPage, wantsOf } from '../pages/report.ts';
import { usageRecord } from '../pages/usage-record.ts';
import { withholding } from '../pages/withhold.ts';
import type { Payments } from '../pay/payments.ts';
import type { LinkOrigin } from '../publish/page-links.ts';
import type { LeaseReporter, UrlReport } from '../publish/publisher.ts';
import { isUrls } from '../robots/answers-still.ts';
import { originOf, type RobotsCache, robotsFacts } from '../robots/cache.ts';
import { type RobotsAsker, robotsFetch } from '../robots/fetch.ts';
import { noTdmFile, type TdmFiles, tdmFetch, wantsTdmFile } from '../robots/tdm-files.ts';
import type { SitemapAgenda } from '../sitemaps/agenda.ts';
import { noteRound, noteSitemaps } from '../sitemaps/note.ts';
import { readSitemaps } from '../sitemaps/read.ts';
import { settled, withBill } from './bill.ts';
import { ClientTurn } from './client-turn.ts';
import { createHeldResponses } from './held-responses.ts';
import { type HostSlots, ownSlot } from './host-slots.ts';
import type { LateReports } from './late-reports.ts';
import { logIn } from './log-in.ts';
import type { NameGate } from './name-gate.ts';
import { type UrlSpans, urlSpans } from './url-spans.ts';

export interface LeaseRunner {
  readonly requestPath: RequestPath;
  readonly hostSlots: HostSlots;
  /** Absent: names are looked up as requests are made. */
  readonly names?: NameGate | undefined;
  /**
   * Called by a lease that runs in parallel with others of its host: the host failed, or asked for fewer requests, in a
   * contact that ended at `atMs`.
   */
  readonly inTrouble?: (atMs: number) => void;
  readonly robots: RobotsCache;
  /** Used instead of `robots`. */
  readonly hop?: RobotsCache['hop'] | undefined;
  /** As in RobotsAsker. */
  readonly sharedRobots?: RobotsAsker['sharedRobots'];
  readonly tdmFiles: TdmFiles;
  /** Clients that may make requests instead of this fetcher. Absent: there are none. */
  readonly outside?: Outside | undefined;
  /** Pays for pages. Absent: nothing is paid. */
  readonly payments?: Payments | undefined;
  readonly sitemaps: SitemapAgenda;
  readonly processorShare: ProcessorShare;
  readonly reader: PageReader;
  /** Opens sessions. Absent: no rule keeps cookies. */
  readonly sessions?: Sessions | undefined;
  /** User-Agent, Accept and so on: names and values alternating. */
  readonly headers: Headers;
  readonly sitemapHeaders: Headers;
  readonly totalTimeoutMs: number;
  /** Wanted uses of pages, by the policy in force. */
  readonly usesPolicy: () => UsesPolicy;
  /** True if a URL is out of the scope of the current policy. */
  readonly outOfScope: (url: string) => boolean;
  /** Sees every page with its response. */
  readonly onPage: (page: Page, task: Task, response: HttpResponse) => void;
  /** Waits until `untilMs` for room for another page; false: there is none. */
  readonly room: (untilMs: number) => Promise<boolean> | undefined;
  readonly sourceOf: (hostKey: string) => Pick<LinkOrigin, 'source' | 'sourceKey'>;
  /** Receives spans of URLs that are traced. */
  readonly onSpan: SpanSink;
  readonly lateReports: LateReports;
  /** True if the lease is over, whatever it still does. */
  readonly isVoid: (task: Task) => boolean;
}

/** The next step after a URL: continue, or return the rest with this outcome. */
type Next = 'on' | 'returned' | 'crawlDelayTooLong' | 'blockedAddress';

/** Runs a lease, in parallel with others of its host if that has several slots. */
export async function runLease(runner: LeaseRunner, task: Task, reporter: LeaseReporter): Promise<void> {
  const arrived = runner.outside?.begin() ?? (() => {});
  try {
    await runInSlot(runner, task, reporter, arrived);
  } finally {
    arrived();
  }
}

async function runInSlot(runner: LeaseRunner, task: Task, reporter: LeaseReporter, arrived: () => void): Promise<void> {
  if (task.lanes <= 1) {
    await runUrls(runner, task, reporter, arrived);
    return;
  }
  const hostSlot = runner.hostSlots.open(task);
  const { pacer, ownClock, signal } = runner.requestPath;
  const isBlocked = (hostKey: string) => hostSlot.stopped || runner.requestPath.isBlocked(hostKey);
  const requestPath = { ...runner.requestPath, isBlocked, pacer: ownSlot(pacer, ownClock, signal) };
  try {
    await runUrls({ ...runner, requestPath, inTrouble: hostSlot.inTrouble }, task, reporter, arrived);
  } finally {
    hostSlot.close();
  }
}

async function runUrls(runner: LeaseRunner, task: Task, reporter: LeaseReporter, arrived: () => void): Promise<void> {
  const { clock, signal } = runner.requestPath;
  const latestStartMs = task.deadlineMs - runner.totalTimeoutMs;
  if (task.notBeforeMs > clock.nowMs() && task.notBeforeMs <= latestStartMs) {
    await clock.sleepUntil(task.notBeforeMs, signal);
  }
  const named = runner.names?.pass(task);
  const isNamed = named === undefined || (await named);
  let next: Next = task.notBeforeMs > latestStartMs || !isNamed ? 'returned' : 'on';
  for (const { asked, url } of isNamed ? task.robotsHops : []) {
    await (runner.hop ?? runner.robots.hop)([...asked, url], robotsFetch(runner, task, reporter));
  }
  let index = 0;
  const silent: SilentOrigins = new Map();
  const answers: Answers = { serverErrors: task.serverErrors };
  for (; index < task.urls.length && next === 'on'; index++) {
    if (runner.isVoid(task)) next = 'returned';
    if (next !== 'on') break;
    const step = await fetchOne(runner, task, index, latestStartMs, reporter, silent, answers, arrived);
    next = step.next;
    if (!step.reported) break;
  }
  // Other sites may list sitemaps on this host. From a host out of scope, only robots.txt is requested.
  const isGuest = task.robotsHops.some(({ url }) => runner.outOfScope(url));
  if (next === 'on' && index === task.urls.length && !isGuest) {
    await noteRound(runner, task, reporter);
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
        robotsOf: (origin) => runner.robots.get(origin, robotsFetch(runner, task, reporter)),
      },
      frontierLimits.sitemapsPerLeaseMax,
    );
    reporter.sitemapsRead(task.sitemaps.sinceMs, runner.sitemaps.waiting(task.hostKey));
  }
  const rest: OutcomeKind = next === 'on' ? 'returned' : next;
  for (; index < task.urls.length; index++) {
    const spans = spansOf(runner, task, index);
    void report(reporter, withoutPage(outcomeOf(index, task.urls[index]!.url, rest)), spans);
  }
  reporter.finish();
}

/** The host's recent answers. `serverErrors`: consecutive ones, counting first tries. */
interface Answers {
  serverErrors: number;
}

/** True if this outcome completes enough server errors in a row to count against the host. */
function isFailing(task: Task, answers: Answers, outcome: Outcome): boolean {
  const isFirstTry = task.urls[outcome.index]!.attempt === 0;
  answers.serverErrors = serverErrorsAfter(answers.serverErrors, outcome, isFirstTry);
  return task.serverErrorsMax > 0 && isServerError(outcome) && answers.serverErrors >= task.serverErrorsMax;
}

/** Origins that did not answer this lease although another origin of their host does, with their failures. */
type SilentOrigins = Map<string, { readonly kind: OutcomeKind; readonly failure: Partial<Outcome> }>;

/**
 * True if the host answers under its other scheme: then only one of its origins is silent, not the host. The other
 * origin is requested only if this lease has URLs of it.
 */
async function otherOriginAnswers(
  runner: LeaseRunner,
  task: Task,
  origin: string,
  reporter: LeaseReporter,
): Promise<boolean> {
  const other = task.urls.map(({ url }) => originOf(url)).find((one) => one !== origin);
  if (other === undefined) return runner.robots.has(otherScheme(origin));
  const answer = await runner.robots.get(other, robotsFetch(runner, task, reporter));
  return answer !== null && answer.robots.status !== 'unreachable';
}

function otherScheme(origin: string): string {
  return origin.startsWith('https:') ? `http${origin.slice(5)}` : `https${origin.slice(4)}`;
}

interface Step {
  readonly next: Next;
  /** True if the URL itself was reported. If not, it returns with the rest. */
  readonly reported: boolean;
}

async function fetchOne(
  runner: LeaseRunner,
  task: Task,
  index: number,
  latestStartMs: number,
  reporter: LeaseReporter,
  silent: SilentOrigins,
  answers: Answers,
  arrived: () => void,
): Promise<Step> {
  const { url, depth, hop, attempt, etag, lastModified } = task.urls[index]!;
  const spans = spansOf(runner, task, index);
  const reported = runner.lateReports.answerTo(task, index);
  if (reported !== undefined) {
    const outcome = await reported;
    if (outcome === null) return { next: 'returned', reported: false };
    await report(reporter, withoutPage({ ...outcome, index }), spans);
    return { next: 'on', reported: true };
  }
  const room = runner.room(latestStartMs);
  if (room !== undefined && !(await room)) return { next: 'returned', reported: false };
  const origin = originOf(url);
  const known = silent.get(origin);
  if (known !== undefined) {
    await report(reporter, withoutPage(outcomeOf(index, url, known.kind, known.failure)), spans);
    return { next: 'on', reported: true };
  }
  const askedAtMs = spans === undefined ? 0 : runner.requestPath.clock.nowMs();
  const answer = await runner.robots.get(origin, robotsFetch(runner, task, reporter));
  spans?.robots(askedAtMs, answer);
  if (answer === null) return { next: 'returned', reported: false };
  const { robots } = answer;
  // One that answers with an error may be under pressure, and both schemes are one machine's.
  if (robots.silent && !robots.blockedAddress && (await otherOriginAnswers(runner, task, origin, reporter))) {
    // The answer says nothing about the host; the Crawl-delay belongs to the other one.
    const failure = { detail: robots.detail, retryAfterMs: robots.retryAfterMs, originOnly: true };
    silent.set(origin, { kind: 'robotsUnreachable', failure });
    await report(reporter, withoutPage(outcomeOf(index, url, 'robotsUnreachable', failure)), spans);
    return { next: 'on', reported: true };
  }
  reporter.learnt(robotsFacts(answer));
  noteSitemaps(runner, task, origin, answer);
  if (robots.status === 'unreachable') {
    if (robots.blockedAddress) return { next: 'blockedAddress', reported: false };
    const { detail, retryAfterMs } = robots;
    runner.inTrouble?.(runner.requestPath.clock.nowMs());
    await report(reporter, withoutPage(outcomeOf(index, url, 'robotsUnreachable', { detail, retryAfterMs })), spans);
    return { next: 'returned', reported: true };
  }
  if (robots.throttled === true) {
    // The old copy is good for its rules, and the host asks for fewer requests all the same.
    const { detail, retryAfterMs } = robots;
    runner.inTrouble?.(runner.requestPath.clock.nowMs());
    await report(reporter, withoutPage(outcomeOf(index, url, 'throttled', { detail, retryAfterMs })), spans);
    return { next: 'returned', reported: true };
  }
  const crawlDelayMs = robots.rules.crawlDelayMs ?? 0;
  if (isCrawlDelayTooLong(crawlDelayMs, task)) {
    return { next: 'crawlDelayTooLong', reported: false };
  }
  if (!isAllowed(robots.rules, url)) {
    await report(reporter, withoutPage(outcomeOf(index, url, 'robotsDenied')), spans);
    return { next: 'on', reported: true };
  }
  const policy = runner.usesPolicy();
  const tdm = wantsTdmFile(policy)
    ? await runner.tdmFiles.get(origin, tdmFetch(runner, task, reporter, origin, robots, latestStartMs))
    : noTdmFile;
  if (tdm === null) return { next: 'returned', reported: false };
  const site = [
    { said: robotsUsage(robots.usage, url), hash: robots.hash },
    { said: tdmStatements(tdm.rules, url), hash: tdm.hash },
  ];
  const saidBefore = site.flatMap(({ said }) => said);
  const barred = skipsFor(policy, saidBefore, runner.requestPath.clock.nowMs());
  if (barred !== undefined) {
    await report(reporter, withoutPage(outcomeOf(index, url, 'robotsDenied', { detail: barredText(barred) })), spans);
    return { next: 'on', reported: true };
  }
  if (runner.sessions !== undefined) await logIn(runner, task, reporter, origin, robots, latestStartMs);
  const delayMs = Math.max(task.delayMs, crawlDelayMs);
  const { hooks } = runner.reader;
  const asked = hooks === undefined ? undefined : await askHooks(hooks, runner.headers, task, index);
  if (asked !== undefined && 'kind' in asked) {
    await report(reporter, withoutPage(outcomeOf(index, url, asked.kind, { detail: asked.detail })), spans);
    return { next: 'on', reported: true };
  }
  const headers = [...(asked?.headers ?? runner.headers)];
  headers.push(...conditionOf({ etag, lastModified }));
  const { hash: robotsHash, fetchedAtMs: robotsAtMs } = robots;
  const purpose = { kind: 'page', outcomeIndex: index, hop, robotsHash, robotsAtMs } as const;
  const requests: Request[] = [];
  const held = createHeldResponses(runner.requestPath);
  const clientUrl =
    runner.outside &&
    new ClientTurn(runner.outside, runner.requestPath, task, { index, delayMs, latestStartMs, arrived });
  const request: PacedRequest = {
    url,
    headers,
    wants: wantsOf(runner.reader),
    hostKey: task.hostKey,
    delayMs,
    delayFactor: task.delayFactor,
    crawlDelayMs,
    connections: task.lanes,
    latestStartMs,
    kind: 'page',
    isBegun: index > 0 || answer.fresh,
    isRetry: attempt > 0,
    failing: task.serverErrorsMax === 0 ? undefined : { isFirstTry: attempt === 0, most: task.serverErrorsMax },
    depth,
    holdsResponse: held?.take,
    by: clientUrl,
    record: (made, addressDelayMs) => {
      const record = requestRecord(url, purpose, delayMs, made, addressDelayMs);
      requests.push(...(clientUrl?.clientResult === undefined ? [record] : madeBy(clientUrl.clientResult, record)));
      spans?.fetched(made);
    },
  };
  const first = await pacedRequest(runner.requestPath, request);
  if (first === null) {
    // A request without time for its repetition was still made.
    for (const made of requests) reporter.requested({ ...made, outcomeIndex: -1 });
    return { next: 'returned', reported: false };
  }
  const bill =
    first.status === 402 && first.failure === null && clientUrl?.clientResult === undefined
      ? await settled(runner, task.hostKey, request, first, saidBefore)
      : undefined;
  const response = bill?.response ?? first;
  const readAtMs = spans === undefined ? 0 : runner.requestPath.clock.nowMs();
  const source = runner.sourceOf(task.hostKey);
  const whole =
    clientUrl?.clientResult === undefined
      ? await readPage(runner.reader, task, index, response, source, spans?.fetchContext, site)
      : await readClientResult(
          runner.reader,
          task,
          index,
          clientUrl.clientResult,
          response,
          source,
          spans?.fetchContext,
          site,
        );
  const read = withholding(runner.usesPolicy(), whole, response.endMs);
  held?.release(read === whole, read.page?.usage ?? usageRecord(site, response.headers, runner.reader.productToken));
  const { page, groups, pending } = read;
  let { outcome } = read;
  if (bill !== undefined) outcome = withBill(outcome, bill);
  if (page !== null || outcome.kind === 'parseFailed') spans?.parsed(readAtMs, outcome);
  const links = groups.reduce((sum, group) => sum + group.links.length, 0);
  holdBack(runner.requestPath, runner.processorShare, task.hostKey, costOf(response, read.readMs, links, read.richMs));
  if (page !== null) runner.onPage(page, task, read.response ?? response);
  const { kind } = outcome;
  // A certificate that has expired since is one origin's. A connection refused may be a machine that is under pressure.
  if (kind === 'tlsFailed' && (await otherOriginAnswers(runner, task, origin, reporter))) {
    outcome = { ...outcome, originOnly: true };
    silent.set(origin, { kind, failure: { detail: outcome.detail, originOnly: true } });
  } else if (isHostFailure(kind) && (await isUrls(runner, { ...task, delayMs }, origin, response, reporter))) {
    outcome = { ...outcome, originOnly: true };
  }
  const asksToWait = outcome.retryAfterMs > 0;
  const isTrouble = failsHost(outcome) || isPressure(kind) || asksToWait || isFailing(task, answers, outcome);
  if (isTrouble) runner.inTrouble?.(response.endMs);
  const withdrawn = read.withdrawn === true;
  await report(reporter, { outcome, requests, page, groups, pending, ...(withdrawn && { withdrawn }) }, spans);
  return { next: isTrouble || kind === 'returned' ? 'returned' : 'on', reported: true };
}

/** Links that belong to no page. */
function patientLinks({ links, hooks }: PageReader): PageReader['links'] {
  return hooks === undefined ? links : { ...links, hooks: patientHooks(hooks) };
}

function spansOf({ onSpan, requestPath }: LeaseRunner, task: Task, index: number): UrlSpans | undefined {
  return urlSpans(onSpan, requestPath.clock, task, index);
}

/** The outcome of a URL; for a traced one, with the context for its next spans. */
function report(reporter: LeaseReporter, report: UrlReport, spans: UrlSpans | undefined): Promise<void> | undefined {
  if (spans === undefined) return reporter.report(report);
  const outcome = { ...report.outcome, traceparent: spans.leaseContext };
  spans.reported(outcome, report.groups.length + (report.page === null ? 0 : 1));
  return reporter.report({ ...report, outcome, spans });
}

function withoutPage(outcome: ReturnType<typeof outcomeOf>): UrlReport {
  return { outcome, requests: [], page: null, groups: [], pending: [] };
}
