/** A login form is sent within a lease, once, at its host's pace, where robots.txt allows it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankTask } from '../../../../schemas/blank.ts';
import type { Request } from '../../../../schemas/types.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { createSessions } from '../../../../services/fetcher/http/sessions.ts';
import { logIn } from '../../../../services/fetcher/leases/log-in.ts';
import type { Robots } from '../../../../services/fetcher/robots/copies.ts';
import { parseRobots } from '../../../../topology/robots/rules.ts';
import { playedRequestPath } from '../played-request-path.ts';

const loginUrl = 'https://a.test/login';
const cookie = ['set-cookie', 's=1'];

function open(answer: Partial<HttpResponse>, robotsTxt = '') {
  const { requestPath, clock, urls } = playedRequestPath(() => answer);
  const said: string[] = [];
  const sessions = createSessions(
    ['a.test'],
    [loginUrl],
    () => clock.nowMs(),
    (text) => void said.push(text),
  );
  // As the client does, which keeps what an answer sets.
  const { request } = requestPath.http;
  (requestPath.http as { request: typeof request }).request = async (asked) =>
    sessions.keep(asked.url, await request(asked));
  const robots = {
    ...{ hash: 'abcd', fetchedAtMs: 5 },
    rules: parseRobots(Buffer.from(robotsTxt), 'crawlstream', 'https://a.test/robots.txt'),
  } as unknown as Robots;
  const requests: Request[] = [];
  const reporter = { requested: (made: Request) => void requests.push(made) };
  const task = { ...blankTask, hostKey: 'a.test', delayMs: 1_000, delayFactor: 0 };
  const begin = (origin = 'https://a.test', own: typeof sessions | undefined = sessions) =>
    logIn({ requestPath, headers: [], sessions: own }, task, reporter, origin, robots, clock.nowMs() + 60_000);
  return { begin, requestPath, clock, urls, said, requests, sessions };
}

describe('a login', () => {
  it('a login is sent once for all requests that wait for it, and recorded as a login', async () => {
    const { begin, urls, requests, said, sessions } = open({ headers: cookie });
    await Promise.all([begin(), begin()]);
    await begin();
    assert.deepEqual(urls, [loginUrl]);
    assert.ok(sessions.isOpen('https://a.test/page'));
    assert.deepEqual(
      requests.map(({ kind, outcomeIndex, hop, robotsHash, robotsAtMs, delayMs }) => ({
        ...{ kind, outcomeIndex, hop, robotsHash, robotsAtMs, delayMs },
      })),
      [{ kind: 'other', outcomeIndex: -1, hop: 0, robotsHash: 'abcd', robotsAtMs: 5, delayMs: 1_000 }],
    );
    assert.deepEqual(said, []);
  });

  it('no login is made if no rule keeps cookies or the site has no form', async () => {
    const { begin, urls, clock, requestPath } = open({ headers: cookie });
    await begin('https://b.test');
    await logIn(
      { requestPath, headers: [] },
      blankTask,
      { requested: () => assert.fail('nothing is sent') },
      'https://a.test',
      {} as Robots,
      clock.nowMs(),
    );
    assert.deepEqual(urls, []);
  });

  it('a login that robots.txt denies is not sent, and that is logged once', async () => {
    const { begin, urls, said } = open({ headers: cookie }, 'User-agent: *\nDisallow: /login\n');
    await begin();
    await begin();
    assert.deepEqual([urls, said], [[], [`login skipped: robots.txt disallows ${loginUrl}`]]);
  });

  it('a login without a cookie is logged with its response and not repeated at once', async () => {
    const refused = open({ status: 403 });
    await refused.begin();
    await refused.begin();
    assert.equal(refused.urls.length, 1);
    assert.deepEqual(refused.said, [
      `the login at ${loginUrl} set no cookie (status 403): pages are fetched without a login`,
    ]);
    const failed = open({ failure: { kind: 'connectionFailed', detail: 'reset' } });
    await failed.begin();
    assert.match(failed.said[0]!, /set no cookie \(reset\)/);
  });

  it('a login waits for its host like any request, by the longer delay', async () => {
    const { begin, urls, requests, requestPath, clock } = open({ headers: cookie }, 'User-agent: *\nCrawl-delay: 7\n');
    requestPath.pacer.hold('a.test', clock.nowMs() + 10_000);
    const sent = begin();
    await clock.advance(9_999);
    assert.deepEqual(urls, []);
    await clock.advance(2);
    await sent;
    assert.equal(requests[0]!.delayMs, 7_000);
  });

  it('a login without time to start is sent by the next lease', async () => {
    const { begin, urls, requestPath, clock, said } = open({ headers: cookie });
    requestPath.pacer.hold('a.test', clock.nowMs() + 60_001);
    const waiting = begin();
    await clock.advance(60_001);
    await waiting;
    assert.deepEqual([urls, said], [[], []]);
    await begin();
    assert.deepEqual(urls, [loginUrl]);
  });
});
