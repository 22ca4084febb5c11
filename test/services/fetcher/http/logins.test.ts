/** When a login is sent: before anything of its host, and again where the host has thrown us out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { sessionLimits } from '../../../../services/fetcher/http/session-limits.ts';
import { createSessions } from '../../../../services/fetcher/http/sessions.ts';

const loginUrl = 'https://a.test/login?next=1';
const page = 'https://a.test/page';

function answer(status: number, ...headers: readonly string[]): HttpResponse {
  return { status, headers, failure: null } as unknown as HttpResponse;
}

function setUp() {
  let nowMs = 1_000;
  const sessions = createSessions(['a.test'], [loginUrl], () => nowMs);
  const needs = () => sessions.loginOf('https://a.test');
  const logIn = () => {
    needs()!.sentAtMs = nowMs;
    sessions.keep(loginUrl, answer(200, 'Set-Cookie', 's=1'));
  };
  return { sessions, needs, logIn, pass: (ms: number) => (nowMs += ms) };
}

describe('a login', () => {
  it('a login is needed by its own origin until its host has set a cookie', () => {
    const { sessions, needs, logIn } = setUp();
    assert.equal(needs()?.url, loginUrl);
    for (const origin of ['https://b.test', 'http://a.test', 'https://a.test:444'])
      assert.equal(sessions.loginOf(origin), null);
    assert.ok(!sessions.isOpen(page));
    logIn();
    assert.ok(sessions.isOpen(page));
    assert.equal(needs(), null);
  });

  it('a login without effect is sent again after a while', () => {
    const { needs, pass } = setUp();
    needs()!.sentAtMs = 1_000;
    pass(sessionLimits.loginEveryMs - 1);
    assert.equal(needs(), null);
    pass(1);
    assert.equal(needs()?.url, loginUrl);
  });

  it('all requests of its origin wait while a login is under way', () => {
    const { needs } = setUp();
    const login = needs()!;
    login.sentAtMs = 1_000;
    login.underWay = Promise.resolve();
    assert.equal(needs(), login);
  });
});

describe('a session', () => {
  const isOpenAfter = (url: string, ...answered: Parameters<typeof answer>) => {
    const { sessions, logIn } = setUp();
    logIn();
    sessions.keep(url, answer(...answered));
    return sessions.isOpen(page);
  };

  it('a session ends if the host answers 401 or redirects to its login', () => {
    assert.equal(isOpenAfter(page, 401), false);
    assert.equal(isOpenAfter(page, 302, 'location', '/login?again'), false);
    assert.equal(isOpenAfter(page, 301, 'date', 'x', 'Location', 'https://a.test/login'), false);
    assert.equal(isOpenAfter(page, 399, 'location', '/login'), false);
    assert.equal(isOpenAfter(page, 300, 'location', '/login'), false);
  });

  it('a session continues after any other response', () => {
    for (const status of [200, 299, 400, 403, 500]) assert.equal(isOpenAfter(page, status, 'location', '/login'), true);
    assert.equal(isOpenAfter(page, 302, 'location', '/other'), true);
    assert.equal(isOpenAfter(page, 302, 'location', 'https://b.test/login'), true);
    assert.equal(isOpenAfter(page, 302, 'location', 'https://['), true, 'that is no URL');
    assert.equal(isOpenAfter(page, 302), true);
  });

  it('a session does not end by the response to the login itself, nor by another host', () => {
    assert.equal(isOpenAfter(loginUrl, 401), true);
    assert.equal(isOpenAfter('https://b.test/page', 401), true);
  });

  it('a session keeps cookies from a response whose body failed', () => {
    const { sessions } = setUp();
    const failed = { ...answer(200, 'set-cookie', 's=1'), failure: { kind: 'timeout', detail: '' } } as HttpResponse;
    assert.deepEqual(sessions.keep(page, failed).headers, ['set-cookie', '[redacted]']);
    assert.ok(sessions.isOpen(page));
  });
});
