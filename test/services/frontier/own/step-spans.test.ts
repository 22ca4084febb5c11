import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepSpans } from '../../../../services/frontier/own/step-spans.ts';
import type { Span } from '../../../../services/runtime/tracing/spans.ts';
import { admitSpan, leaseSpan, queueSpan } from '../../../../topology/trace/journey.ts';
import { traceLimits } from '../../../../topology/trace/limits.ts';
import { childOf, formatTraceparent, type TraceContext } from '../../../../topology/trace/trace-context.ts';

const url = 'https://a.test/';

function setUp() {
  const spans: Span[] = [];
  const steps = new StepSpans((span) => spans.push(span), { crawl: 'test', partition: 3 });
  const admit = (lo: number, atMs: number, foundAtMs: number) => {
    const about = { url, hostKey: 'a.test', depth: 1, frontQueue: 2, foundAtMs, foundBy: null, parent: null };
    steps.committed([{ kind: 'admitted', atMs, span: admitSpan(1, lo), ...about }], atMs + 5);
  };
  const grant = (queue: TraceContext, grantedAtMs: number) => {
    const taskUrl = {
      url,
      depth: 1,
      hop: 0,
      attempt: 0,
      etag: '',
      lastModified: '',
      cash: 0,
      payload: '',
      normal: '',
      unsigned: false,
      tags: [],
    };
    steps.granted({
      ...{ partition: 3, epoch: 1, leaseId: 9, hostKey: 'a.test', grantedAtMs, deadlineMs: 0, notBeforeMs: 0 },
      ...{
        delayMs: 0,
        crawlDelayCapMs: 0,
        delayFactor: 0,
        serverErrorsMax: 0,
        serverErrors: 0,
        lanes: 1,
        signatures: false,
        policyVersion: 1,
      },
      urls: [{ ...taskUrl, traceparent: formatTraceparent(queue) }],
      robotsHops: [],
      sitemaps: { sinceMs: -1, origin: '', urls: [] },
    });
    return spans.at(-1)!;
  };
  return { spans, steps, admit, grant };
}

test('a URL’s wait is measured from its admission to its lease, and between attempts', () => {
  const { spans, steps, admit, grant } = setUp();
  admit(1, 1_000, 400);
  assert.deepEqual([spans[0]!.startMs, spans[0]!.endMs], [400, 1_005], 'admitted: from found to durable');
  const first = queueSpan(1, 1, 9, false);
  const waited = grant(first, 3_000);
  assert.deepEqual([waited.startMs, waited.endMs, waited.parent], [1_000, 3_000, admitSpan(1, 1)]);
  const parent = leaseSpan(first);
  const resolved = { span: childOf(parent, 'resolve'), parent, url, hostKey: 'a.test', attempts: 0 };
  steps.committed([{ kind: 'resolved', atMs: 4_000, outcome: 'timeout', to: 'again', ...resolved }], 4_010);
  assert.equal(grant(queueSpan(1, 1, 10, false), 9_000).startMs, 4_000);
});

test('a sender’s time that lies in the future is ignored', () => {
  const { spans, admit } = setUp();
  admit(1, 1_000, 2_000);
  admit(2, 1_000, 0);
  assert.deepEqual(
    spans.map(({ startMs }) => startMs),
    [1_000, 1_000],
  );
});

test('a wait whose start was not observed is reported as unknown, as after a restart', () => {
  const { grant } = setUp();
  const span = grant(queueSpan(1, 1, 9, false), 3_000);
  assert.deepEqual([span.startMs, span.endMs, span.attributes['crawlstream.wait_known']], [3_000, 3_000, false]);
});

test('a later visit starts a trace that refers to the first admission', () => {
  const { grant } = setUp();
  const { parent, links } = grant(queueSpan(1, 1, 9, true), 3_000);
  assert.equal(parent, null);
  assert.deepEqual(links, [admitSpan(1, 1)]);
});

test('a bounded number of waits is remembered, and the oldest is forgotten first', () => {
  const { spans, admit, grant } = setUp();
  for (let lo = 0; lo <= traceLimits.waitsKept; lo++) {
    admit(lo, 1_000 + lo, 0);
    spans.length = 0;
  }
  assert.equal(grant(queueSpan(1, 0, 9, false), 500_000).attributes['crawlstream.wait_known'], false);
  assert.equal(grant(queueSpan(1, 1, 9, false), 500_000).startMs, 1_001);
});
