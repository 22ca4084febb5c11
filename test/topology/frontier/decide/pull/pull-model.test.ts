/**
 * A served crawl against a naive one: puts, gets, what is told of, deletions and purges in any order, over restarts at any
 * point of a checkpoint's writing. After each call the answers are the same, and the state is what its changelog says.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelRig } from '../../../../../lab/model/model-rig.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import { UrlTimeline } from '../../../../../topology/frontier/ask/url-timeline.ts';
import { decodeChangelog } from '../../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import type { Call, GetCall, PutCall, PutItem, QueueCall } from '../../../../../topology/frontier/decide/pull/calls.ts';
import { findKnown } from '../../../../../topology/frontier/decide/pull/find-known.ts';
import { payloadOf } from '../../../../../topology/frontier/pull/payload.ts';
import { defaultPolicy } from '../../../../../topology/policy/policy.ts';

const seeds = Number(process.env['CRAWLSTREAM_TEST_MODEL_SEEDS'] ?? 60);
const callsPerSeed = 60;
const leaseMs = 5_000;
const delayMs = 1_000;

/** Where a URL is, as a client could know. */
type Place = { readonly at: 'waits' | 'done' | 'out' | 'later'; readonly untilMs: number };

/** What a queue would be if it were kept as one map. */
class NaiveQueue {
  readonly urls = new Map<string, Place>();
  gaveAtMs = 0;
  blockedUntilMs = 0;

  expire(nowMs: number): void {
    for (const [url, { at, untilMs }] of this.urls) {
      if (at !== 'out' || untilMs > nowMs) continue;
      this.urls.set(url, { at: 'waits', untilMs: 0 });
    }
  }

  count(...places: Place['at'][]): number {
    return [...this.urls.values()].filter(({ at }) => places.includes(at)).length;
  }

  /** URLs that a get of at most so many may have. */
  ready(nowMs: number, most: number): string[] {
    const rests = this.gaveAtMs > 0 && nowMs < this.gaveAtMs + delayMs;
    if (this.count('out') >= most || rests || nowMs < this.blockedUntilMs) return [];
    const isReady = ({ at, untilMs }: Place) => at === 'waits' || (at === 'later' && untilMs <= nowMs);
    return [...this.urls].filter(([, place]) => isReady(place)).map(([url]) => url);
  }
}

test(`a served crawl agrees with a naive one, and with its changelog (${seeds} seeds)`, () => {
  for (let seed = 1; seed <= seeds; seed++) play(seed);
});

function play(seed: number): void {
  let random = seed * 2_654_435_761;
  const draw = (below: number) => {
    random = (Math.imul(random ^ (random >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((random ^ (random >>> 13)) >>> 0) % below;
  };
  let nowMs = 1_000_000;
  const rig = new ModelRig(nowMs);
  const config = { ...defaultPolicy(), sink: 'pull' as const, delayMs, delayFactor: 0, version: 1 };
  rig.send('control', controlOf({ kind: 'policy', version: 1, payload: JSON.stringify(config) }));
  rig.step(nowMs, 0);
  const queues = new Map(['a.com', 'b', 'c\u0000d'].map((key) => [key, new NaiveQueue()] as const));
  const keys = [...queues.keys()];

  const ask = <T extends Call>(call: T): T => {
    rig.core.calls.add(call);
    for (let answered: Call[] = []; !answered.includes(call); answered = rig.core.calls.takeAnswered())
      rig.step(nowMs, 0);
    return call;
  };
  const onDone = () => {};

  for (let n = 0; n < callsPerSeed; n++) {
    nowMs += draw(2_000);
    for (const queue of queues.values()) queue.expire(nowMs);
    const key = keys[draw(keys.length)]!;
    const queue = queues.get(key)!;
    const urlAt = () => `http://a.com/${draw(25)}`;
    switch (draw(12)) {
      case 0:
      case 1:
      case 2: {
        const items = Array.from({ length: 1 + draw(6) }, () => itemOf(key, urlAt(), false, 0));
        const wanted = items.map(({ url }) => {
          if (queue.urls.has(url)) return 1;
          queue.urls.set(url, { at: 'waits', untilMs: 0 });
          return 0;
        });
        const call: PutCall = { kind: 'put', items, statuses: new Uint8Array(items.length), next: 0, onDone };
        assert.deepEqual([...ask(call).statuses], wanted, `seed ${seed}, call ${n}: found`);
        break;
      }
      case 3:
      case 4:
      case 5: {
        const items = Array.from({ length: 1 + draw(4) }, () =>
          itemOf(key, urlAt(), true, draw(2) === 0 ? 0 : nowMs + draw(8_000) - 2_000),
        );
        for (const { url, dueAtMs } of items) {
          queue.urls.set(url, dueAtMs === 0 ? { at: 'done', untilMs: 0 } : { at: 'later', untilMs: dueAtMs });
        }
        ask<PutCall>({ kind: 'put', items, statuses: new Uint8Array(items.length), next: 0, onDone });
        break;
      }
      case 6:
      case 7:
      case 8: {
        const urlsPerQueue = 1 + draw(5);
        const call: GetCall = { kind: 'get', key, queues: 1, urlsPerQueue, leaseMs, leases: [], urls: [], onDone };
        const ready = queue.ready(nowMs, urlsPerQueue);
        const got = ask(call).urls.map(({ entry }) => entry.url);
        assert.equal(got.length, Math.min(urlsPerQueue, ready.length), `seed ${seed}, call ${n}: got`);
        for (const url of got) {
          assert.ok(ready.includes(url), `seed ${seed}, call ${n}: ${url} was not ready`);
          queue.urls.set(url, { at: 'out', untilMs: nowMs + leaseMs });
          queue.gaveAtMs = nowMs;
        }
        break;
      }
      case 9: {
        if (draw(3) > 0) break;
        const drop: QueueCall = { kind: 'queue', order: { kind: 'drop', key }, gone: 0, next: 0, onDone };
        assert.equal(ask(drop).gone, queue.urls.size, `seed ${seed}, call ${n}: deleted`);
        queue.urls.clear();
        queue.gaveAtMs = 0;
        queue.blockedUntilMs = 0;
        break;
      }
      case 10: {
        const [url] = [...queue.urls].find(([, { at }]) => at === 'done' || at === 'out') ?? [];
        if (url === undefined) break;
        const place = placeOf(rig, key, url);
        if (place === undefined) break;
        const urls = [{ from: place.from, entry: place.entry! }];
        const forget: QueueCall = { kind: 'queue', order: { kind: 'forget', key, urls }, gone: 0, next: 0, onDone };
        assert.equal(ask(forget).gone, 1, `seed ${seed}, call ${n}: forgotten`);
        queue.urls.delete(url);
        break;
      }
      case 11: {
        if (draw(2) === 0) rig.save();
        else if (draw(3) === 0) {
          const untilMs = nowMs + draw(3_000);
          queue.blockedUntilMs = untilMs;
          ask<QueueCall>({ kind: 'queue', order: { kind: 'block', key, untilMs }, gone: 0, next: 0, onDone });
        } else rig.reopen(nowMs, false);
      }
    }
    const { counters, pull } = rig.core.state;
    rig.step(nowMs, 0);
    const all = [...queues.values()];
    assert.equal(
      counters.admitted,
      all.reduce((sum, { urls }) => sum + urls.size, 0),
      `seed ${seed}, call ${n}`,
    );
    assert.equal(
      counters.page,
      all.reduce((sum, one) => sum + one.count('done'), 0),
      `seed ${seed}, call ${n}`,
    );
    assert.equal(
      counters.leased,
      all.reduce((sum, one) => sum + one.count('out'), 0),
      `seed ${seed}, call ${n}`,
    );
    assert.equal(pull.queues, all.filter(({ urls }) => urls.size > 0).length, `seed ${seed}, call ${n}`);
  }
  assert.equal(digest(rig.replayed()), digest(rig.core.state), `seed ${seed}`);
  for (const [key, { urls }] of queues)
    for (let n = 0; n < 25; n += 6) {
      const url = `http://a.com/${n}`;
      assert.equal(timelinePlace(rig, key, url), urls.get(url)?.at, `seed ${seed}: the story of ${key} ${url}`);
    }
  rig.reopen(nowMs, false);
  assert.equal(digest(rig.replayed()), digest(rig.core.state), `seed ${seed}, from its checkpoint`);
}

/** Where a URL is, by its changelog alone. */
function timelinePlace({ changelog }: ModelRig, key: string, url: string): Place['at'] | undefined {
  const timeline = new UrlTimeline(key, url);
  for (const [offset, record] of changelog.entries()) timeline.take(offset, decodeChangelog(record));
  const { place } = timeline;
  if (place === undefined) return undefined;
  if (place.in === 'again') return place.dueAtMs > 0 ? 'later' : 'waits';
  return place.in === 'lease' ? 'out' : place.in === 'end' ? 'done' : 'waits';
}

function itemOf(key: string, url: string, known: boolean, dueAtMs: number): PutItem {
  return { known, key, url, metadata: Buffer.from(url.slice(-2)), dueAtMs, frontQueue: url.length % 8 };
}

/** Of one that is done or out, as far as memory tells. */
function placeOf({ core: { state } }: ModelRig, key: string, url: string) {
  const host = state.hosts.get(key);
  const place = host === undefined ? 'unread' : findKnown(state, host, url, new Map());
  if (place !== 'unread') return place.entry === null ? undefined : place;
  // Done, in a row of the checkpoint.
  const payload = payloadOf(0, Buffer.alloc(0));
  return {
    from: { in: 'done', a: 0, b: 0 } as const,
    entry: { url, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0, payload },
  };
}
