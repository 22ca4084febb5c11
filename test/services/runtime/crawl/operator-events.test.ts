/** Orders of operators and webmasters as events: where each goes, and what the frontier reads in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankControl } from '../../../../schemas/blank.ts';
import * as events from '../../../../services/runtime/crawl/operator-events.ts';
import type { RequestRecord } from '../../../../services/runtime/crawl/requests.ts';
import {
  isOfWebmaster,
  leastDelayPayload,
  lowerPayload,
  purgePayload,
  raisePayload,
  trapPayload,
} from '../../../../topology/frontier/decide/control-payloads.ts';

const topics = { crawl: 'c', partitions: 64, keyMode: 'host' as const };
const said = { by: 'ada', atMs: 7 };
const host = 'b.a.test';
const url = 'http://b.a.test/x';
const [ofHost, ofDomain] = [partitionIn('host'), partitionIn('domain')];

function partitionIn(keyMode: 'host' | 'domain'): number {
  return events.hostEvent({ ...topics, keyMode }, said, 'blockHost', host)[0]!.partition;
}

/** The only event, without its id. */
function eventOf(records: readonly RequestRecord[], partition = ofHost) {
  assert.equal(records.length, 1);
  const [one] = records;
  assert.ok(one?.topic === 'control');
  assert.deepEqual([one.partition, one.key], [partition, null]);
  const { id, ...event } = one.record;
  assert.match(id, /^[0-9a-f]{24}$/);
  return event;
}

const { id: _, ...blank } = blankControl;
const about = { ...blank, ...said, hostKey: host };

test('an order on a host goes to the partition of the host, or of its domain where domains are kept together', () => {
  assert.notEqual(ofHost, ofDomain);
  assert.equal(partitionIn('domain'), events.hostEvent(topics, said, 'blockHost', 'a.test')[0]!.partition);
  for (const kind of ['blockHost', 'releaseHost', 'hostDelay', 'hostLimit', 'hostLeases', 'budget'] as const)
    assert.deepEqual(eventOf(events.hostEvent(topics, said, kind, host, 5)), { ...about, kind, amount: 5 });
  assert.equal(eventOf(events.hostEvent(topics, said, 'blockHost', host)).amount, 0);
});

test('a least delay is marked as one, and its end names the delay that counts again', () => {
  const least = eventOf(events.leastDelayEvent(topics, said, host, 3_000));
  assert.deepEqual([least.kind, least.amount, leastDelayPayload(least.payload)?.instead], ['hostDelay', 3_000, -1]);
  const end = eventOf(events.takeBackDelayEvent(topics, said, host, 500));
  assert.deepEqual([end.kind, end.amount, leastDelayPayload(end.payload)?.instead], ['hostDelay', -1, 500]);
  assert.equal(leastDelayPayload(eventOf(events.hostEvent(topics, said, 'hostDelay', host, 3_000)).payload), null);
});

test('a webmaster’s pause is a block, and its end a release, both marked as theirs', () => {
  const pause = eventOf(events.pauseEvent(topics, said, host, false));
  const end = eventOf(events.pauseEvent(topics, said, host, true));
  assert.deepEqual([pause.kind, isOfWebmaster(pause.payload)], ['blockHost', true]);
  assert.deepEqual([end.kind, isOfWebmaster(end.payload)], ['releaseHost', true]);
  assert.equal(isOfWebmaster(eventOf(events.hostEvent(topics, said, 'blockHost', host)).payload), false);
});

test('a purge takes one URL, or the whole host', () => {
  assert.deepEqual(purgePayload(eventOf(events.purgeEvent(topics, said, host, url)).payload), { url });
  const whole = eventOf(events.purgeEvent(topics, said, host, null));
  assert.deepEqual([whole.kind, purgePayload(whole.payload)], ['purge', { url: '' }]);
});

test('a trap and its release name the pattern', () => {
  const trap = eventOf(events.trapEvent(topics, said, 'trap', host, '/x/*', 'by hand'));
  assert.deepEqual([trap.kind, trapPayload(trap.payload)], ['trap', { pattern: '/x/*', detail: 'by hand' }]);
  const release = eventOf(events.trapEvent(topics, said, 'releaseTrap', host, '/x/*'));
  assert.deepEqual([release.kind, trapPayload(release.payload)], ['releaseTrap', { pattern: '/x/*', detail: '' }]);
});

test('an order on a URL goes to the host of the URL', () => {
  const raise = eventOf(events.raiseEvent(topics, said, url));
  assert.deepEqual([raise.kind, raise.hostKey, raisePayload(raise.payload)], ['raise', host, url]);
  const lower = eventOf(events.lowerEvent(topics, said, url, 5));
  assert.deepEqual([lower.kind, lower.hostKey, lowerPayload(lower.payload)], ['lower', host, { url, frontQueue: 5 }]);
});

test('a signing key goes to partition 0 alone, where fetchers read it', () => {
  const event = eventOf(events.signingKeyEvent(said, 'file:/key'), 0);
  assert.deepEqual([event.kind, event.hostKey, JSON.parse(event.payload)], ['signingKey', '', { key: 'file:/key' }]);
});

test('a requeue without a host goes to every partition as one event, with a host to its own', () => {
  const payload = { prefix: 'http://b.a.test/', outcome: 'dead' as const };
  const all = events.requeueEvent(topics, said, '', payload);
  assert.deepEqual(
    all.map(({ topic, partition, key }) => [topic, partition, key]),
    Array.from({ length: 64 }, (_, partition) => ['control', partition, null]),
  );
  assert.equal(new Set(all.map((one) => (one.topic === 'control' ? one.record.id : ''))).size, 1);
  const own = eventOf(events.requeueEvent(topics, said, host, payload));
  assert.deepEqual([own.kind, own.hostKey, JSON.parse(own.payload)], ['requeue', host, payload]);
});

test('an event has an id of its own', () => {
  const ids = Array.from({ length: 50 }, () => events.raiseEvent(topics, said, url)[0]!);
  assert.equal(new Set(ids.map((one) => (one.topic === 'control' ? one.record.id : ''))).size, 50);
});
