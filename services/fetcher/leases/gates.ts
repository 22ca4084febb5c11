/**
 * The gates before a URL's request. Each lets the URL on, or ends its visit with a reason.
 *
 * A gate that needs nothing from outside decides at once, so a URL of a known host passes most of them without a wait.
 */
import type { Outcome } from '../../../schemas/types.ts';
import { isCrawlDelayTooLong } from '../../../topology/robots/crawl-delay-cap.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import { robotsUsage } from '../../../topology/usage/robots-usage.ts';
import { tdmStatements } from '../../../topology/usage/tdmrep.ts';
import { barredText, skipsFor } from '../../../topology/usage/uses-policy.ts';
import { askHooks } from '../pages/ask-hooks.ts';
import { type RobotsAnswer, robotsFacts } from '../robots/cache.ts';
import { noTdmFile, type TdmFile, tdmFetch, wantsTdmFile } from '../robots/tdm-files.ts';
import { noteSitemaps } from '../sitemaps/note.ts';
import { logIn } from './log-in.ts';
import { returned, type Step, type Visit, withoutPage } from './visit.ts';

export interface Gate<Answer = unknown> {
  readonly name: string;
  /** Asks for what the decision needs. A promise: the URL waits. Absent: nothing is asked. */
  ask?(visit: Visit): Answer | Promise<Answer>;
  /** Returns the end of the visit; undefined: the URL passes. */
  decide(visit: Visit, answer: Answer): Step | undefined;
}

/** An outcome that an earlier lease reported too late for the frontier is reported again (late-reports.ts). */
const reportedBefore: Gate<Outcome | null | undefined> = {
  name: 'reportedBefore',
  ask: ({ lease, index }) => lease.runner.lateReports.answerTo(lease.task, index),
  decide({ index }, outcome) {
    if (outcome === undefined) return undefined;
    return outcome === null ? returned : { next: 'on', report: withoutPage({ ...outcome, index }) };
  },
};

const room: Gate<boolean | undefined> = {
  name: 'room',
  ask: ({ lease }) => lease.runner.room(lease.latestStartMs),
  decide: (_, hasRoom) => (hasRoom === false ? returned : undefined),
};

const silentOrigin: Gate = {
  name: 'silentOrigin',
  decide(visit) {
    const known = visit.lease.silent.get(visit.origin);
    return known && visit.ends(known.kind, known.failure);
  },
};

const robotsTxt: Gate<RobotsAnswer | null> = {
  name: 'robotsTxt',
  ask(visit) {
    if (visit.spans !== undefined) visit.robotsAskedAtMs = visit.lease.runner.requestPath.clock.nowMs();
    return visit.lease.robotsOf(visit.origin);
  },
  decide(visit, answer) {
    visit.spans?.robots(visit.robotsAskedAtMs, answer);
    if (answer === null) return returned;
    visit.answer = answer;
    return undefined;
  },
};

/** An origin that answers with an error may be under pressure, and both schemes are one machine's. */
const otherOrigin: Gate<boolean> = {
  name: 'otherOrigin',
  ask({ lease, origin, robots }) {
    return robots.silent && !robots.blockedAddress && lease.otherOriginAnswers(origin);
  },
  decide(visit, answers) {
    if (!answers) return undefined;
    // It says nothing of the host; the Crawl-delay belongs to the other one.
    const { detail, retryAfterMs } = visit.robots;
    const failure = { detail, retryAfterMs, originOnly: true };
    visit.lease.silent.set(visit.origin, { kind: 'robotsUnreachable', failure });
    return visit.ends('robotsUnreachable', failure);
  },
};

/** Reports the facts of robots.txt, too. */
const hostInTrouble: Gate = {
  name: 'hostInTrouble',
  decide(visit) {
    const { lease, answer, origin } = visit;
    const { status, blockedAddress, throttled, detail, retryAfterMs } = visit.robots;
    lease.reporter.learnt(robotsFacts(answer));
    noteSitemaps(lease.runner, lease.task, origin, answer);
    if (status === 'unreachable')
      return blockedAddress
        ? { next: 'blockedAddress' }
        : visit.endsHost('robotsUnreachable', { detail, retryAfterMs });
    // The old copy is good for its rules, and the host asks for fewer requests all the same.
    return throttled === true ? visit.endsHost('throttled', { detail, retryAfterMs }) : undefined;
  },
};

const crawlDelay: Gate = {
  name: 'crawlDelay',
  decide: ({ crawlDelayMs, lease }) =>
    isCrawlDelayTooLong(crawlDelayMs, lease.task) ? { next: 'crawlDelayTooLong' } : undefined,
};

const robotsRules: Gate = {
  name: 'robotsRules',
  decide: (visit) => (isAllowed(visit.robots.rules, visit.item.url) ? undefined : visit.ends('robotsDenied')),
};

/** A usage preference of the site that bars a wanted use bars the request. */
const usage: Gate<TdmFile | null> = {
  name: 'usage',
  ask({ lease, origin, robots }) {
    const { runner, task, reporter, latestStartMs } = lease;
    if (!wantsTdmFile(runner.usesPolicy())) return noTdmFile;
    return runner.tdmFiles.get(origin, tdmFetch(runner, task, reporter, origin, robots, latestStartMs));
  },
  decide(visit, tdm) {
    if (tdm === null) return returned;
    const { robots, item, lease } = visit;
    const { runner } = lease;
    visit.site = [
      { said: robotsUsage(robots.usage, item.url), hash: robots.hash },
      { said: tdmStatements(tdm.rules, item.url), hash: tdm.hash },
    ];
    const barred = skipsFor(runner.usesPolicy(), visit.said, runner.requestPath.clock.nowMs());
    return barred && visit.ends('robotsDenied', { detail: barredText(barred) });
  },
};

const session: Gate = {
  name: 'session',
  ask({ lease, origin, robots }) {
    const { runner, task, reporter, latestStartMs } = lease;
    return runner.sessions && logIn(runner, task, reporter, origin, robots, latestStartMs);
  },
  decide: () => undefined,
};

const plugins: Gate<Awaited<ReturnType<typeof askHooks>> | undefined> = {
  name: 'plugins',
  ask({ lease, index }) {
    const { hooks } = lease.runner.reader;
    return hooks && askHooks(hooks, lease.runner.headers, lease.task, index);
  },
  decide(visit, asked) {
    if (asked !== undefined && 'kind' in asked) return visit.ends(asked.kind, { detail: asked.detail });
    if (asked !== undefined) visit.headers = asked.headers;
    return undefined;
  },
};

/** In this order. Blocks, budgets and paces of hosts come after them, at the request (pace/paced-request.ts). */
export const gates: readonly Gate[] = [
  reportedBefore,
  room,
  silentOrigin,
  robotsTxt,
  otherOrigin,
  hostInTrouble,
  crawlDelay,
  robotsRules,
  usage,
  session,
  plugins,
];
