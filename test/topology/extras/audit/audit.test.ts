import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankControl, blankOutcome, blankRequest, blankResult } from '../../../../schemas/blank.ts';
import type { Control, Request, Result } from '../../../../schemas/types.ts';
import { type AuditOptions, createAudit, originOf } from '../../../../topology/extras/audit/audit.ts';
import { createOrders } from '../../../../topology/extras/audit/orders.ts';
import type { Copy } from '../../../../topology/extras/audit/robots-answers.ts';
import { readForReferee } from '../../../../topology/extras/audit/robots-referee.ts';
import { type Violation, violationText } from '../../../../topology/extras/audit/violation.ts';

const place = { topic: 't.results', partition: 3, offset: 7 };
const robotsAtMs = 1_000;

/** An audit of a crawl with a delay of a second, and what it finds. */
function auditOf(more: Partial<AuditOptions> = {}, ...events: Partial<Control>[]) {
  const found: Violation[] = [];
  const orders = createOrders(0);
  const payload = JSON.stringify({ delayMs: 1_000, delayFactor: 5, delayFactorCapMs: 30_000 });
  orders.note({ ...blankControl, kind: 'policy', version: 1, payload });
  for (const event of events) orders.note({ ...blankControl, ...event });
  const audit = createAudit({
    orders,
    skewMs: 0,
    noticeMs: 0,
    fromMs: 0,
    copyOf: () => ({ rules: null }),
    onViolation: (violation) => found.push(violation),
    ...more,
  });
  const take = (requests: readonly Partial<Request>[], result: Partial<Result> = {}) => {
    const whole = requests.map((one) => request(one));
    const of = {
      leaseId: 1,
      fetcherId: 'f',
      hostKey: 'a.test',
      grantedAtMs: 1_000,
      policyVersion: 1,
      hostSlots: 1,
      last: true,
    };
    audit.take({ ...blankResult, ...of, requests: whole, ...result }, place);
    return found.splice(0).map(({ kind }) => kind);
  };
  return { audit, take, found };
}

function request(more: Partial<Request>): Request {
  const startMs = more.startMs ?? 2_000;
  return {
    ...blankRequest,
    kind: 'page',
    url: `http://a.test/${startMs}`,
    startMs,
    endMs: startMs + 10,
    status: 200,
    robotsAtMs: more.kind === 'robots' ? 0 : robotsAtMs,
    ...more,
  };
}

describe('an audit', () => {
  it('an audit compares the requests of a host over leases and fetchers', () => {
    const { take } = auditOf();
    assert.deepEqual(take([{ startMs: 2_000 }, { startMs: 3_010 }]), []);
    assert.deepEqual(take([{ startMs: 4_019 }], { leaseId: 2, fetcherId: 'g' }), ['gapTooShort']);
    assert.deepEqual(take([{ startMs: 4_020, url: 'http://b.test/' }]), []);
  });

  it('an audit compares hosts of a domain if the policy says that they share a delay', () => {
    const payload = JSON.stringify({ delayMs: 1_000, politenessKey: 'domain' });
    const { take } = auditOf(
      { domainOf: (host) => host.split('.').slice(-2).join('.') },
      { kind: 'policy', version: 2, payload },
    );
    const [a, b] = ['http://a.one.test/', 'http://b.one.test/'];
    const shared = { policyVersion: 2 };
    assert.deepEqual(take([{ startMs: 2_000, url: a }], { ...shared, leaseId: 1 }), []);
    assert.deepEqual(take([{ startMs: 3_009, url: b }], { ...shared, leaseId: 2 }), ['gapTooShort']);
    assert.deepEqual(take([{ startMs: 3_010, url: 'http://c.two.test/' }], { ...shared, leaseId: 3 }), []);
    assert.deepEqual(take([{ startMs: 4_020, url: a, endMs: 9_000 }], { ...shared, leaseId: 4 }), []);
    assert.deepEqual(take([{ startMs: 5_000, url: b }], { ...shared, leaseId: 5 }), ['concurrency']);
    const { take: apart } = auditOf({ domainOf: () => 'one.test' });
    assert.deepEqual(apart([{ startMs: 2_000, url: a }], { leaseId: 1 }), []);
    assert.deepEqual(apart([{ startMs: 2_500, url: b }], { leaseId: 2 }), []);
  });

  it('an audit needs no robots.txt of a host that an overlay exempts, and counts that', () => {
    const overlays = [
      { name: 'ours', match: { domains: ['a.test'] }, set: { robotsNotAsked: 'our own' } },
      { name: 'not there', match: { surts: ['(test,a,www,)/'] }, set: { robotsNotAsked: null } },
    ];
    const { take, audit } = auditOf({}, { kind: 'policy', version: 2, payload: JSON.stringify({ overlays }) });
    const unasked = (url: string, startMs: number) => take([{ url, startMs, robotsAtMs: 0 }], { policyVersion: 2 });
    assert.deepEqual(unasked('http://a.test/', 2_000), []);
    assert.deepEqual(unasked('http://x.a.test/', 3_000), []);
    assert.deepEqual(unasked('http://www.a.test/', 4_000), ['robotsUnread']);
    assert.deepEqual(unasked('http://b.test/', 5_000), ['robotsUnread']);
    assert.deepEqual(audit.counts().exempt, { requests: 2, hosts: 2, reasons: ['our own'] });
  });

  it('an audit lists twenty of the names that were sent, in order', () => {
    const { take, audit } = auditOf();
    for (let n = 0; n < 22; n++) take([], { userAgent: n === 1 ? '' : `Bot/${n}` });
    const names = Array.from({ length: 22 }, (_, n) => `Bot/${n}`).filter((name) => name !== 'Bot/1');
    assert.deepEqual(audit.counts().names, names.slice(0, 20));
  });

  it('an audit names place, URL and amount', () => {
    const { audit, found } = auditOf();
    const requests = [request({ startMs: 2_000 }), request({ startMs: 2_500 })];
    audit.take(
      { ...blankResult, leaseId: 1, fetcherId: 'f', hostKey: 'a.test', grantedAtMs: 1, policyVersion: 1, requests },
      place,
    );
    assert.deepEqual(found, [
      {
        ...place,
        kind: 'gapTooShort',
        host: 'a.test',
        url: 'http://a.test/2500',
        atMs: 2_500,
        measuredMs: 490,
        boundMs: 1_000,
        source: 'policy 1',
      },
    ]);
  });

  it('an audit identifies hosts by their requested URLs, however they are spelt', () => {
    const { take } = auditOf();
    assert.deepEqual(take([{ url: 'http://a.test/1' }, { url: 'https://a.test/2', startMs: 2_011 }]), ['gapTooShort']);
    assert.deepEqual(take([{ url: 'http://A.test.:80/3', startMs: 2_600 }]), ['gapTooShort']);
    assert.deepEqual(take([{ url: 'http://a.test:8080/4', startMs: 2_700 }]), []);
  });

  it('an audit judges a lease’s requests in the order of their starts', () => {
    const answered = { kind: 'robots', url: 'http://a.test/robots.txt', startMs: 2_000, status: 503 } as const;
    const page = { url: 'http://a.test/x', startMs: 4_000, robotsAtMs: 2_010 };
    assert.deepEqual(auditOf().take([page, answered]), ['robotsUnreachable']);
  });

  it('an audit checks a request against the copy of its origin’s robots.txt, and its Crawl-delay', () => {
    const copies: Record<string, Copy> = {
      'http://a.test aa': { rules: readForReferee(Buffer.from('User-agent: *\nDisallow: /no\nCrawl-delay: 5'), 'c') },
      'http://a.test bb': { rules: 'damaged' },
    };
    const { take } = auditOf({ copyOf: (origin, hash) => copies[`${origin} ${hash}`] });
    const by = (robotsHash: string, startMs: number, path = `/${startMs}`) => ({
      robotsHash,
      startMs,
      url: `http://a.test${path}`,
    });
    assert.deepEqual(take([by('aa', 2_000)]), []);
    assert.deepEqual(take([by('aa', 7_009)]), ['crawlDelay']);
    assert.deepEqual(take([by('aa', 12_019)]), []);
    assert.deepEqual(take([by('aa', 20_000, '/no')]), ['disallowed']);
    assert.deepEqual(take([by('bb', 30_000)]), ['robotsCopy']);
    assert.deepEqual(take([by('cc', 40_000)]), ['robotsUnread']);
  });

  it('an audit does not check a robots.txt request against robots.txt, and remembers its content', () => {
    const { take } = auditOf();
    const robots = (startMs: number, status: number) =>
      ({ kind: 'robots', url: 'http://a.test/robots.txt', startMs, status }) as const;
    assert.deepEqual(take([robots(2_000, 503)]), []);
    assert.deepEqual(take([{ startMs: 4_000, robotsAtMs: 2_010 }]), ['robotsUnreachable']);
    // Of another origin, though of the same host.
    assert.deepEqual(take([{ startMs: 6_000, robotsAtMs: 2_010, url: 'https://a.test/' }]), []);
  });

  it('an audit counts what older releases did not record, and does not judge it', () => {
    const { audit, take } = auditOf();
    assert.deepEqual(take([{ startMs: 2_000, robotsAtMs: 0 }], { grantedAtMs: 0 }), []);
    assert.equal(audit.counts().unproven, 1);
    assert.deepEqual(take([{ startMs: 4_000, robotsAtMs: 0 }]), ['robotsUnread']);
    // What a browser loads has no lease, and so no grant; its robots.txt is judged.
    assert.deepEqual(take([{ startMs: 6_000, robotsAtMs: 0 }], { grantedAtMs: 0, leaseId: 0 }), ['robotsUnread']);
    assert.equal(audit.counts().unproven, 1);
  });

  it('an audit compares a browser’s loads only with its own requests, by the delay without a factor', () => {
    const { take } = auditOf();
    assert.deepEqual(take([{ startMs: 2_000, endMs: 2_400 }], { leaseId: 0, fetcherId: 'r' }), []);
    assert.deepEqual(take([{ startMs: 2_500 }]), []);
    // Five times its 400 ms would end at 4,400.
    assert.deepEqual(take([{ startMs: 3_400 }], { leaseId: 0, fetcherId: 'r' }), []);
    assert.deepEqual(take([{ startMs: 4_409 }], { leaseId: 0, fetcherId: 'r' }), ['gapTooShort']);
  });

  it('an audit applies the lease’s factor of the last duration', () => {
    const { take } = auditOf();
    assert.deepEqual(take([{ startMs: 2_000, endMs: 2_400 }, { startMs: 4_399 }]), ['gapTooShort']);
    const kept = auditOf();
    assert.deepEqual(kept.take([{ startMs: 2_000, endMs: 2_400 }, { startMs: 4_400 }]), []);
  });

  it('an audit reads a Retry-After from the request or from its outcome', () => {
    const first = { startMs: 2_000, status: 429, outcomeIndex: 4 };
    const outcomes = [{ ...blankOutcome, index: 4, retryAfterMs: 8_000 }];
    assert.deepEqual(auditOf().take([first, { startMs: 4_000 }], { outcomes }), ['retryAfter']);
    assert.deepEqual(auditOf().take([{ ...first, retryAfterMs: 8_000 }, { startMs: 4_000 }]), ['retryAfter']);
    assert.deepEqual(auditOf().take([{ ...first, retryAfterMs: 1_500 }, { startMs: 4_000 }], { outcomes }), []);
    assert.deepEqual(auditOf().take([{ ...first, outcomeIndex: 3 }, { startMs: 4_000 }], { outcomes }), []);
  });

  it('an audit keeps one fetcher’s starts on one address apart, whatever the hosts', () => {
    const { take } = auditOf();
    const on = (host: string, startMs: number, address = '10.0.0.1', addressDelayMs = 100) => ({
      url: `http://${host}.test/`,
      startMs,
      address,
      addressDelayMs,
    });
    assert.deepEqual(take([on('a', 2_000), on('b', 2_050)]), ['addressGap']);
    assert.deepEqual(take([on('c', 2_051)], { fetcherId: 'g' }), []);
    assert.deepEqual(take([on('d', 2_051, '10.0.0.2')]), []);
    assert.deepEqual(take([on('e', 2_052, '')]), []);
    assert.deepEqual(take([on('f', 2_053, '10.0.0.1', 0)]), []);
    assert.deepEqual(take([on('g', 2_151)]), []);
  });

  it('an audit objects to a request to a host that an operator had blocked and still blocks', () => {
    const events = [
      { kind: 'blockHost', hostKey: 'a.test', atMs: 5_000 },
      { kind: 'releaseHost', hostKey: 'a.test', atMs: 9_000 },
    ] as const;
    const { take, found, audit } = auditOf({ noticeMs: 1_000 }, ...events);
    assert.deepEqual(take([{ startMs: 5_999 }]), []);
    assert.deepEqual(take([{ startMs: 9_000 }]), []);
    audit.take(
      { ...blankResult, leaseId: 1, grantedAtMs: 1, policyVersion: 1, requests: [request({ startMs: 7_500 })] },
      place,
    );
    assert.deepEqual(
      found.map(({ kind, measuredMs, boundMs }) => [kind, measuredMs, boundMs]),
      [['blockedHost', 2_500, 0]],
    );
  });

  it('an audit skips requests before its start time, and counts the rest once', () => {
    const { audit, take } = auditOf({ fromMs: 3_000 });
    const page = { startMs: 3_000, address: '10.0.0.1' };
    take([{ startMs: 2_999 }, page]);
    take([page], { leaseId: 9 });
    take([{ kind: 'robots', url: 'http://b.test/robots.txt', startMs: 8_000, address: '10.0.0.2', unverified: true }]);
    take([{ kind: 'sitemap', url: 'http://b.test/s.xml', startMs: 9_500, endMs: 9_900, address: '10.0.0.2' }]);
    assert.deepEqual(audit.counts(), {
      fetches: 3,
      byKind: { page: 1, robots: 1, sitemap: 1, other: 0 },
      unproven: 0,
      unverified: 1,
      hosts: 2,
      addresses: 2,
      cutOff: 0,
      firstMs: 3_000,
      lastMs: 9_900,
    });
  });

  it('an audit counts leases without a reported end, by partition', () => {
    const { audit, take } = auditOf();
    take([], { leaseId: 1, partition: 0, last: false });
    take([], { leaseId: 1, partition: 1, last: false });
    take([], { leaseId: 2, partition: 0, last: false });
    take([], { leaseId: 0, last: false });
    take([], { leaseId: 1, partition: 0, last: true });
    assert.equal(audit.counts().cutOff, 2);
  });

  it('an audit reports each request that it judged', () => {
    const heard: unknown[] = [];
    const { take } = auditOf({
      onContact: ({ host, client, leaseId }, { kind }) => heard.push([host, client, leaseId, kind]),
    });
    take([{ startMs: 2_000 }]);
    take([{ startMs: 2_000 }]);
    take([{ startMs: 9_000, kind: 'other' }], { leaseId: 0, fetcherId: 'r' });
    assert.deepEqual(heard, [
      ['a.test', 'leases', 1, 'page'],
      ['a.test', 'r', 0, 'other'],
    ]);
  });
});

it('an origin has one spelling', () => {
  for (const [url, origin] of [
    ['HTTP://A.Test:80/x', 'http://a.test'],
    ['https://u:p@a.test.:443/', 'https://a.test'],
    ['https://a.test:80/', 'https://a.test:80'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
  ] as const)
    assert.equal(originOf(url), origin);
});

it('every kind of violation has its measured value, if there is one', () => {
  const text = (kind: Violation['kind']) =>
    violationText({ ...place, kind, host: 'a', url: 'u', atMs: 0, measuredMs: 7, boundMs: 9, source: 'who' });
  assert.match(text('gapTooShort'), /7 ms after the previous request ended, the minimum is 9 ms: who/);
  assert.match(text('crawlDelay'), /7 ms after the previous request ended, the minimum is 9 ms: who/);
  assert.match(text('concurrency'), /7 ms before the previous request ended: who/);
  assert.match(text('retryAfter'), /7 ms after a response with Retry-After 9 ms: who/);
  assert.match(text('addressGap'), /7 ms after another request to the same address, the minimum is 9 ms: who/);
  assert.match(text('robotsStale'), /7 ms old, the maximum is 9 ms: who/);
  assert.match(text('blockedHost'), /7 ms after an operator blocked the host: who/);
  assert.equal(text('disallowed'), 'who');
});
