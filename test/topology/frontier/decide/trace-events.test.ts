import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { OutcomeKind, Task } from '../../../../schemas/types.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { leaseSpan } from '../../../../topology/trace/journey.ts';
import { childOf, formatTraceparent, parseTraceparent } from '../../../../topology/trace/trace-context.ts';

const all = { ratio: 1, hosts: [] };
const url = 'https://a.test/0';
const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function admit(hand: Hand, group = {}) {
  hand.rig.send('discovered', hand.linksRecord([url], 3, group));
  return hand.rig.step(hand.nowMs, 0)!;
}

/** What a fetcher that goes on with the trace reports. */
function report(hand: Hand, task: Task, kind: OutcomeKind) {
  const traceparent = formatTraceparent(leaseSpan(parseTraceparent(task.urls[0]!.traceparent)!));
  hand.rig.send(
    'results',
    hand.resultOf(task, () => ({ traceparent }), { kind }),
  );
  return hand.rig.step(hand.nowMs, 0)!;
}

test('a step reports admitted URLs with the fetch that found them, once, and with the trace that their leases continue', () => {
  const hand = new Hand({ delayMs: 0, trace: all });
  const { traced } = admit(hand, { traceparent: parent, discoveredAtMs: 999_000, depth: 2 });
  const [event] = traced;
  assert.ok(event?.kind === 'admitted' && traced.length === 1);
  assert.deepEqual(
    [event.url, event.hostKey, event.depth, event.foundAtMs, event.atMs, event.parent],
    [url, 'a.test', 2, 999_000, hand.nowMs, null],
  );
  assert.deepEqual(event.foundBy, parseTraceparent(parent));
  assert.deepEqual(admit(hand).traced, [], 'a link to what is known is no admission');
  const queue = parseTraceparent(hand.lease().urls[0]!.traceparent)!;
  assert.equal(queue.traceId, event.span.traceId);
});

test('a URL goes through all its attempts in one trace, to the page or the dead letter', () => {
  const hand = new Hand({ delayMs: 0, trace: all, retriesMs: [1_000] });
  const [admitted] = admit(hand).traced;
  const first = hand.lease();
  const [again] = report(hand, first, 'timeout').traced;
  assert.ok(again?.kind === 'resolved');
  const lease = leaseSpan(parseTraceparent(first.urls[0]!.traceparent)!);
  assert.deepEqual([again.outcome, again.to, again.parent], ['timeout', 'again', lease]);
  assert.deepEqual(again.span, childOf(lease, 'resolve'));
  const second = hand.lease(60_000);
  const [dead] = report(hand, second, 'timeout').traced;
  assert.ok(dead?.kind === 'resolved');
  assert.deepEqual([dead.to, dead.attempts], ['dead', 1]);
  assert.equal(new Set([admitted!, again, dead].map(({ span }) => span.traceId)).size, 1);
  assert.equal(new Set([admitted!, again, dead].map(({ span }) => span.spanId)).size, 3);
});

test('an expired lease is reported in the trace, and the URL waits on in it', () => {
  const hand = new Hand({ delayMs: 0, trace: all });
  admit(hand);
  const task = hand.lease();
  hand.nowMs = task.deadlineMs + frontierLimits.clockSkewMs + 1;
  const [expired] = hand.rig.step(hand.nowMs, 0)!.traced;
  assert.ok(expired?.kind === 'resolved');
  assert.deepEqual([expired.outcome, expired.to], ['leaseExpired', 'again']);
  assert.deepEqual(expired.parent, parseTraceparent(task.urls[0]!.traceparent));
});

test('a revisit has its own trace', () => {
  const recrawl = { schedule: 'fixed', intervalMs: 60_000, minMs: 1_000 } as const;
  const hand = new Hand({ delayMs: 0, trace: all, recrawl: { ...defaultRecrawl, ...recrawl } });
  const [admitted] = admit(hand).traced;
  report(hand, hand.lease(), 'fetched');
  const visit = parseTraceparent(hand.lease(120_000).urls[0]!.traceparent)!;
  assert.notEqual(visit.traceId, admitted!.span.traceId);
  assert.equal(visit.traceId.slice(16), admitted!.span.traceId.slice(16), 'of the same URL');
});

test('without traces nothing is reported, and commits are equal', () => {
  const commits = [undefined, all].map((trace) => {
    const hand = new Hand({ delayMs: 0, ...(trace && { trace }) });
    const step = admit(hand, { traceparent: parent });
    const task = hand.lease();
    assert.equal(task.urls[0]!.traceparent === '', trace === undefined);
    assert.equal(step.traced.length, trace === undefined ? 0 : 1);
    return step.commit;
  });
  assert.deepEqual(commits[0], commits[1]);
});
