import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { answerHost, answerUrl, type HostAnswer } from '../../../../topology/frontier/ask/queries.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';

const start = { frontQueue: 0, seq: 0 };
const page = (n: number, host = 'a.test') => `https://${host}/${n}`;

function hostOf({ rig }: Hand, count = 10, from = start, host = 'a.test'): HostAnswer {
  const answer = rig.rows.run(answerHost(rig.core.state, host, count, from));
  assert.ok(answer !== null);
  return answer;
}

const urlOf = ({ rig }: Hand, url: string) => rig.rows.run(answerUrl(rig.core.state, url));

test('an unknown host has no facts', () => {
  const { rig } = new Hand();
  assert.equal(rig.rows.run(answerHost(rig.core.state, 'a.test', 10, start)), null);
});

test('a new host has no orders, and all waiting URLs are listed page by page', () => {
  const hand = new Hand();
  hand.links('a.test', 3, { priority: 2 });
  hand.links('a.test', 2, { priority: 5, from: 3 });
  const { facts, frontQueues, queue, next, ...rest } = hostOf(hand, 4);
  assert.deepEqual(rest, {
    ...{ host: 'a.test', again: { urls: 0, nextAtMs: null }, parallel: { leases: 1, own: null } },
    ...{ leases: [], refresh: null },
  });
  const { crawlDelayMs, ownDelayMs, pagesMax, ownBudget, fetched } = facts;
  assert.deepEqual([crawlDelayMs, ownDelayMs, pagesMax, ownBudget, fetched], [null, null, null, null, 0]);
  assert.deepEqual(frontQueues, [
    { frontQueue: 2, urls: 3, held: false },
    { frontQueue: 5, urls: 2, held: false },
  ]);
  assert.deepEqual(
    queue.map(({ url }) => url),
    [0, 1, 2, 3].map((n) => page(n)),
  );
  assert.deepEqual(next, { frontQueue: 5, seq: queue[3]!.seq + 1 });
  const last = hostOf(hand, 4, next!);
  assert.deepEqual([last.queue.map(({ url }) => url), last.next], [[page(4)], null]);
  // Exactly full is no reason for another page.
  assert.deepEqual(hostOf(hand, 5).next, null);
  assert.deepEqual([hostOf(hand, 0).queue, hostOf(hand, 0).next], [[], null]);
});

test('an operator’s orders are listed, also zero', () => {
  const hand = new Hand();
  hand.links('a.test', 1);
  hand.event('hostDelay', 'a.test', 0);
  assert.equal(hostOf(hand).facts.ownDelayMs, 0);
});

test('leases are listed with their open URLs', () => {
  const hand = new Hand({ urlsPerLeaseMax: 3 });
  hand.links('a.test', 5);
  const task = hand.lease();
  assert.deepEqual(hostOf(hand).leases, [{ id: task.leaseId, urls: 3, deadlineMs: task.deadlineMs }]);
  hand.rig.send('results', { ...hand.resultOf(task, () => ({})), last: false, outcomes: [] });
  const { outcomes, ...rest } = hand.resultOf(task, () => ({}));
  hand.rig.send('results', { ...rest, last: false, outcomes: [outcomes[1]!] });
  hand.rig.step(hand.nowMs, 0);
  assert.equal(hostOf(hand).leases[0]!.urls, 2);
});

test('returned URLs are listed with the first due time', () => {
  const hand = new Hand({ urlsPerLeaseMax: 2, retriesMs: [60_000] });
  hand.links('a.test', 2);
  hand.report(hand.lease(), { kind: 'serverError', status: 500 });
  const { again } = hostOf(hand);
  assert.equal(again.urls, 2);
  assert.ok(again.nextAtMs! >= hand.nowMs + 48_000 && again.nextAtMs! <= hand.nowMs + 72_000, `${again.nextAtMs}`);
  const { place } = urlOf(hand, page(0));
  assert.ok(place?.in === 'again');
  assert.deepEqual([place.dueAtMs >= again.nextAtMs!, place.attempts], [true, 1]);
});

test('a URL’s state is the place where it is', () => {
  const hand = new Hand({ urlsPerLeaseMax: 1 });
  hand.links('a.test', 3);
  const task = hand.lease();
  assert.deepEqual(urlOf(hand, page(0)), {
    ...{ url: page(0), host: 'a.test', seen: true },
    place: { in: 'lease', lease: task.leaseId, deadlineMs: task.deadlineMs },
  });
  assert.deepEqual(urlOf(hand, page(2)).place, { in: 'frontQueue', frontQueue: 3, held: false });
  assert.deepEqual(urlOf(hand, page(9)), { url: page(9), host: 'a.test', seen: false, place: null });
  assert.deepEqual(urlOf(hand, page(0, 'b.test')), {
    url: page(0, 'b.test'),
    host: 'b.test',
    seen: false,
    place: null,
  });
  hand.report(task, { kind: 'gone', status: 404 });
  assert.deepEqual(urlOf(hand, page(0)), {
    ...{ url: page(0), host: 'a.test', seen: true },
    place: { in: 'end', status: 'failed', outcome: 'gone', httpStatus: 404, atMs: hand.nowMs, attempts: 1 },
  });
  // Forced, it waits again, and its end is of the time before.
  hand.linksTo([page(0)], 3, { intent: 'force' });
  assert.equal(urlOf(hand, page(0)).place?.in, 'frontQueue');
});

test('a URL beyond the search limit may be there, and does not count as seen by that alone', () => {
  const hand = new Hand();
  const most = frontierLimits.queryUrlsMax;
  for (let from = 0; from <= most; from += 1_000) hand.links('a.test', Math.min(1_000, most + 1 - from), { from });
  assert.equal(urlOf(hand, page(most - 1)).place?.in, 'frontQueue');
  assert.deepEqual(urlOf(hand, page(most)), {
    ...{ url: page(most), host: 'a.test', seen: true, place: { in: 'unknown', lookedAt: most } },
  });
  assert.deepEqual(urlOf(hand, page(most + 5)), {
    ...{ url: page(most + 5), host: 'a.test', seen: false, place: { in: 'unknown', lookedAt: most } },
  });
});
