/** The spans that a fetcher tells of one traced URL. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome, blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { type UrlSpans, urlSpans } from '../../../../services/fetcher/leases/url-spans.ts';
import type { RobotsAnswer } from '../../../../services/fetcher/robots/cache.ts';
import type { Clock } from '../../../../services/runtime/clock.ts';
import type { Span } from '../../../../services/runtime/tracing/spans.ts';
import { leaseSpan } from '../../../../topology/trace/journey.ts';
import { childOf, formatTraceparent } from '../../../../topology/trace/trace-context.ts';

const queue = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const lease = leaseSpan(queue);
const url = 'https://a.test/x';
const task = { ...blankTask, partition: 3, leaseId: 7, hostKey: 'a.test', grantedAtMs: 500 };

function traced(of = url) {
  const reported: Span[] = [];
  const clock = { nowMs: () => 2_000 } as Clock;
  const urls = [blankTaskUrl, { ...blankTaskUrl, url: of, traceparent: formatTraceparent(queue) }];
  const spans = urlSpans((span) => reported.push(span), clock, { ...task, urls }, 1)!;
  return { reported, spans };
}

function reportedBy(act: (spans: UrlSpans) => void, of?: string): Span[] {
  const { reported, spans } = traced(of);
  act(spans);
  return reported;
}

const response = (own: Partial<HttpResponse> = {}) =>
  ({
    ...{ status: 0, failure: null, startMs: 1_000, endMs: 1_200, address: '', body: Buffer.from('abc') },
    ...{ connectMs: 4, firstByteMs: 5, ...own },
  }) as HttpResponse;

const within = (name: string) => ({ name, span: childOf(lease, name), parent: lease, links: [] });

describe('a URL', () => {
  it('a URL that is not sampled, or has an unreadable trace context, has no spans', () => {
    for (const traceparent of ['', 'nonsense'])
      assert.equal(
        urlSpans(() => {}, {} as Clock, { ...task, urls: [{ ...blankTaskUrl, url, traceparent }] }, 0),
        undefined,
      );
  });

  it('a sampled URL passes its trace context to the next step', () => {
    const { spans } = traced();
    assert.deepEqual(
      [spans.leaseContext, spans.fetchContext, spans.publishContext],
      [lease, childOf(lease, 'fetch'), childOf(lease, 'publish')].map(formatTraceparent),
    );
  });
});

describe('a span', () => {
  const robots = { robots: { status: 'rules' }, fresh: true } as RobotsAnswer;
  it('a span of robots.txt holds its verdict, or says that it did not arrive in time', () => {
    assert.deepEqual(
      reportedBy((spans) => spans.robots(1_000, robots)),
      [
        {
          ...within('robots'),
          ...{ kind: 'internal', startMs: 1_000, endMs: 2_000, error: '' },
          attributes: { 'crawlstream.robots.status': 'rules', 'crawlstream.robots.fresh': true },
        },
      ],
    );
    const [{ error, attributes }] = reportedBy((spans) => spans.robots(1_000, null)) as [Span];
    assert.deepEqual(
      [error, attributes],
      ['not in time', { 'crawlstream.robots.status': 'unknown', 'crawlstream.robots.fresh': false }],
    );
  });

  const asked = {
    ...{ 'http.request.method': 'GET', 'url.full': url, 'server.address': 'a.test', 'server.port': 443 },
    ...{ 'crawlstream.body_bytes': 3, 'crawlstream.connect_ms': 4, 'crawlstream.first_byte_ms': 5 },
  };
  it('a span of a request holds the request and its outcome', () => {
    assert.deepEqual(
      reportedBy((spans) => spans.fetched(response({ status: 200, address: '192.0.2.1' }))),
      [
        {
          ...within('fetch'),
          ...{ kind: 'client', startMs: 1_000, endMs: 1_200, error: '' },
          attributes: { ...asked, 'http.response.status_code': 200, 'network.peer.address': '192.0.2.1' },
        },
      ],
    );
    const ports = ['http://a.test/', 'http://a.test:8080/'].map(
      (of) => reportedBy((spans) => spans.fetched(response()), of)[0]!.attributes['server.port'],
    );
    assert.deepEqual(ports, [80, 8080]);
  });

  it('a span of a request says why it failed', () => {
    const errorOf = (own: Partial<HttpResponse>) => reportedBy((spans) => spans.fetched(response(own)))[0]!.error;
    const failure = { kind: 'timeout', detail: 'no answer' } as NonNullable<HttpResponse['failure']>;
    assert.deepEqual(
      [errorOf({ failure, status: 500 }), errorOf({ status: 399 }), errorOf({ status: 400 })],
      ['timeout: no answer', '', 'status 400'],
    );
  });

  it('a repeated request has another span, and later spans refer to that one', () => {
    const { reported, spans } = traced();
    for (let i = 0; i < 3; i++) spans.fetched(response());
    assert.deepEqual(
      reported.map(({ span, attributes }) => [span, attributes['http.request.resend_count']]),
      [
        [childOf(lease, 'fetch'), undefined],
        [childOf(lease, 'fetch 2'), 1],
        [childOf(lease, 'fetch 3'), 2],
      ],
    );
    assert.deepEqual(reported[0]!.attributes, asked);
    assert.equal(spans.fetchContext, formatTraceparent(childOf(lease, 'fetch 3')));
  });

  it('a span of parsing counts links and says why it failed', () => {
    const outcome = { ...blankOutcome, links: 3, linksDropped: 2, detail: 'too deep' };
    const parsed = (kind: 'fetched' | 'parseFailed') =>
      reportedBy((spans) => spans.parsed(1_500, { ...outcome, kind }));
    assert.deepEqual(parsed('parseFailed'), [
      {
        ...within('parse'),
        ...{ kind: 'internal', startMs: 1_500, endMs: 2_000, error: 'too deep' },
        attributes: { 'crawlstream.links': 3, 'crawlstream.links_dropped': 2 },
      },
    ]);
    assert.equal(parsed('fetched')[0]!.error, '');
  });

  it('a span of the lease is no error if the page was fetched, whatever a plugin did with it', () => {
    const detail = 'not published: plugin mine drops it';
    for (const kind of ['fetched', 'notModified'] as const) {
      const [lease] = reportedBy((spans) => {
        spans.reported({ ...blankOutcome, kind, detail }, 0);
        spans.acked();
      });
      assert.equal(lease!.error, '', kind);
    }
  });

  it('a span of the lease ends last, after that of publishing', () => {
    const reported = (records: number, own = {}) =>
      reportedBy((spans) => {
        spans.reported({ ...blankOutcome, kind: 'gone', detail: 'so', ...own }, records);
        spans.acked();
      });
    const attributes = {
      ...{ 'messaging.destination.name': 'tasks', 'url.full': url, 'crawlstream.host': 'a.test' },
      ...{ 'crawlstream.partition': 3, 'crawlstream.lease': 7, 'crawlstream.outcome': 'gone' },
    };
    const whole = {
      ...{ name: 'lease', span: lease, parent: queue, links: [], kind: 'consumer', startMs: 500, endMs: 2_000 },
      ...{ attributes, error: 'so' },
    };
    const published = {
      ...within('publish'),
      ...{ kind: 'producer', startMs: 2_000, endMs: 2_000, error: '', attributes: { 'crawlstream.records': 1 } },
    };
    assert.deepEqual(reported(0), [whole]);
    const redirect = { 'crawlstream.outcome': 'redirect', 'crawlstream.redirect': 'https://b.test/' };
    const moved = { ...whole, attributes: { ...attributes, ...redirect }, error: '' };
    assert.deepEqual(reported(1, { kind: 'redirect', redirectUrl: 'https://b.test/' }), [published, moved]);
  });
});
