/**
 * Sends a site's login form if a session is needed and there is none. It is a request of the lease like any other, at
 * its host's pace, if robots.txt allows it. If the site sets no cookie, its pages are requested without a session, and
 * the log reports that.
 */
import type { Task } from '../../../schemas/types.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import type { Headers } from '../http/headers.ts';
import { requestRecord } from '../http/outcomes.ts';
import type { Login, Sessions } from '../http/sessions.ts';
import { keepPause, pacedRequest, type RequestPath } from '../pace/paced-request.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import type { Robots } from '../robots/copies.ts';

export interface LoginAsker {
  readonly requestPath: RequestPath;
  /** Absent: no rule keeps cookies. */
  readonly sessions?: Sessions | undefined;
  readonly headers: Headers;
}

/** Resolves when the session is open, or cannot be opened now. */
export async function logIn(
  asker: LoginAsker,
  task: Task,
  reporter: Pick<LeaseReporter, 'requested'>,
  origin: string,
  robots: Robots,
  latestStartMs: number,
): Promise<void> {
  const { sessions } = asker;
  const login = sessions?.loginOf(origin) ?? null;
  if (sessions === undefined || login === null) return;
  login.underWay ??= send(asker, sessions, login, task, reporter, robots, latestStartMs).finally(
    () => (login.underWay = null),
  );
  await login.underWay;
}

async function send(
  { requestPath, headers }: LoginAsker,
  sessions: Sessions,
  login: Login,
  { hostKey, delayMs: ordered, delayFactor }: Task,
  reporter: Pick<LeaseReporter, 'requested'>,
  robots: Robots,
  latestStartMs: number,
): Promise<void> {
  const { url } = login;
  if (!isAllowed(robots.rules, url)) {
    login.sentAtMs = requestPath.clock.nowMs();
    return sessions.say(`login skipped: robots.txt disallows ${url}`);
  }
  const crawlDelayMs = robots.rules.crawlDelayMs ?? 0;
  const delayMs = Math.max(ordered, crawlDelayMs);
  const { hash: robotsHash, fetchedAtMs: robotsAtMs } = robots;
  const purpose = { kind: 'other', outcomeIndex: -1, hop: 0, robotsHash, robotsAtMs } as const;
  const response = await pacedRequest(requestPath, {
    url,
    headers,
    hostKey,
    delayMs,
    delayFactor,
    crawlDelayMs,
    latestStartMs,
    record: (made, addressDelayMs) => reporter.requested(requestRecord(url, purpose, delayMs, made, addressDelayMs)),
  });
  // It did not start: the next lease tries again.
  if (response === null) return;
  login.sentAtMs = requestPath.clock.nowMs();
  keepPause(requestPath, hostKey, response);
  if (!sessions.isOpen(url)) {
    const why = response.failure === null ? `status ${response.status}` : response.failure.detail;
    sessions.say(`the login at ${url} set no cookie (${why}): pages are fetched without a login`);
  }
}
