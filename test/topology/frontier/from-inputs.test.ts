/** A state made from its inputs alone: what it keeps of pages that are visited again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../lab/model/hand.ts';
import { blankControl, blankLinkGroup, blankOutcome, blankResult } from '../../../schemas/blank.ts';
import type { Control, Discovered, LinkGroup, Outcome, Result, Task } from '../../../schemas/types.ts';
import { feedSignature } from '../../../topology/content/feed-signature.ts';
import { FromInputs } from '../../../topology/frontier/from-inputs.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import { defaultSeen } from '../../../topology/frontier/seen/seen-config.ts';
import { seenVerdicts } from '../../../topology/frontier/seen/seen-test.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { frontQueueCount } from '../../../topology/url/front-queue.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { urlLimits } from '../../../topology/url/url-limits.ts';

const hour = 3_600_000;
const a = 'a.test';

/** A hand whose every input is kept. */
function recorded(recrawl: Partial<RecrawlConfig>) {
  const hand = new Hand({ delayMs: 1_000, recrawl: { ...defaultRecrawl, intervalMs: hour, minMs: 1_000, ...recrawl } });
  const inputs = { control: [] as unknown[], results: [] as unknown[], discovered: [] as unknown[] };
  const { rig } = hand;
  const send = rig.send.bind(rig);
  rig.send = (topic: keyof typeof inputs, record: never) => {
    inputs[topic].push(record);
    send(topic, record);
  };
  return { hand, inputs };
}

function fromInputs(
  hand: Hand,
  inputs: ReturnType<typeof recorded>['inputs'],
  tasks: readonly Task[] = [],
): FrontierState {
  const { key, policyVersion: version, policyJson: payload } = hand.rig.core.state;
  const state = new FrontierState(key, { ...defaultSeen, memoryBytes: 2 ** 30 });
  const made = new FromInputs({ crawl: 'model', partition: 0, partitions: 1 }, state);
  const policy = {
    kind: 'policy',
    version,
    payload,
    atMs: 0,
    by: '',
    partition: -1,
    hostKey: '',
    amount: 0,
    wanted: 0,
  };
  made.control({ ...policy, id: '' } as Control);
  for (const event of inputs.control) made.control(event as Control);
  for (const result of inputs.results) made.result(result as Result);
  for (const task of tasks) made.task(task);
  for (const message of inputs.discovered) made.discovered(message as Discovered);
  made.end();
  return state;
}

/** Of each URL: when it is due, and what its visits told. */
function scheduleOf({ recrawl, fingerprintOf }: FrontierState, urls: readonly string[], state: FrontierState) {
  return urls.map((url) => {
    const [hi, lo] = fingerprintOf.call(state, url);
    const row = recrawl.table.find(hi!, lo!);
    if (row < 0) return null;
    const { record, visitedAtMs, changedAtMs, history, signature } = recrawl.pageAt(hi!, lo!)!;
    const { status, depth, etag, contentHash } = record;
    const { dueS, frontQueue } = recrawl.table.at(row);
    return { dueS, frontQueue, status, depth, etag, contentHash, visitedAtMs, changedAtMs, history, signature };
  });
}

for (const schedule of ['fixed', 'adaptive'] as const) {
  it(`a state made from its inputs keeps when pages are due, and what their visits showed (${schedule})`, () => {
    const { hand, inputs } = recorded({ schedule, errorMs: 5 * hour, goneMs: null });
    hand.links(a, 4);
    const found = [
      { contentHash: '1', etag: '"1"' },
      { contentHash: '2', textSignature: feedSignature(['https://a.test/x'], 0) },
      { kind: 'clientError' },
      { kind: 'gone' },
    ] as const;
    for (let visit = 0; visit < 9; visit++) {
      for (const task of hand.grant(visit === 0 ? 0 : 31 * 24 * hour)) {
        const result = hand.resultOf(task, (index) => {
          const number = Number(new URL(task.urls[index]!.url).pathname.slice(1));
          const same = { ...found[number]! };
          return number === 0 && visit % 2 === 1 ? { ...same, contentHash: `${visit}` } : same;
        });
        hand.rig.send('results', result);
        hand.rig.step(hand.nowMs, 0);
      }
    }
    const { state } = hand.rig.core;
    const urls = [0, 1, 2, 3].map((n) => `https://${a}/${n}`);
    const kept = scheduleOf(state, urls, state);
    const made = fromInputs(hand, inputs);
    assert.deepEqual(scheduleOf(made, urls, made), kept);
    assert.equal(kept[3], null);
    assert.ok(kept[0]!.history.changes > 2 && kept[1]!.history.unchanged > 2 && kept[2]!.status === 'failed');
    assert.deepEqual([made.counters.scheduled, made.counters.page, made.counters.failed], [3, 2, 2]);
  });
}

describe('leases at the time of the loss', () => {
  const outOf = (state: FrontierState, { leaseId }: Task) => {
    const lease = state.leases.get(leaseId);
    const urls = lease?.entries.map((entry) => entry?.url ?? null);
    const { leases, leased, queued, page } = state.counters;
    return { urls, deadlineMs: lease?.deadlineMs, delayMs: lease?.delayMs, leases, leased, queued, page };
  };

  it('a lease that may still be out keeps its number, its deadline and its URLs that were not reported', () => {
    const { hand, inputs } = recorded({});
    hand.links(a, 150);
    const task = hand.lease();
    const all = hand.resultOf(task, () => ({}));
    hand.rig.send('results', { ...all, last: false, outcomes: all.outcomes.slice(1, 3) });
    hand.rig.step(hand.nowMs, 0);
    const made = fromInputs(hand, inputs, [task]);
    const kept = outOf(hand.rig.core.state, task);
    assert.deepEqual(outOf(made, task), kept);
    assert.deepEqual([kept.urls!.slice(0, 4).map((url) => url === null), kept.page], [[false, true, true, false], 2]);
    assert.equal(made.leases.nextId, task.leaseId + 1 + crawlLimits.concurrencyMax);

    hand.rig.send('results', { ...all, outcomes: all.outcomes.slice(0, 1) });
    hand.rig.step(hand.nowMs, 0);
    assert.deepEqual(outOf(fromInputs(hand, inputs, [task]), task), {
      ...outOf(hand.rig.core.state, task),
      queued: 147,
    });
  });

  it('a number that was given again, after a changelog had lost its tail, is one lease', () => {
    const { hand, inputs } = recorded({});
    hand.links(a, 3);
    hand.links('b.test', 2);
    const [task, other] = hand.grant(0, 2) as [Task, Task];
    const { leases } = fromInputs(hand, inputs, [task, other]).counters;
    const made = fromInputs(hand, inputs, [task, { ...other, leaseId: task.leaseId }]);
    const { leased, queued, admitted } = made.counters;
    assert.deepEqual([leases, made.counters.leases, leased + queued, admitted], [2, 1, 5, 5]);
    assert.equal(made.hosts.get(task.hostKey)!.leaseIds.length, 1);
    assert.equal(made.hosts.get(other.hostKey)!.facts.readyAtMs, other.deadlineMs);
  });

  it('a number that was given again is out, although the lease that had it before is over', () => {
    const { hand, inputs } = recorded({});
    hand.links(a, 3);
    const task = hand.lease();
    hand.report(task);
    hand.links('b.test', 2);
    const other = hand.lease();
    const again = { ...other, leaseId: task.leaseId, epoch: task.epoch + 1 };
    const made = fromInputs(hand, inputs, [task, again]);
    assert.deepEqual([made.counters.leases, made.counters.leased], [1, 2]);
    assert.equal(made.leases.get(task.leaseId)!.host.key, 'b.test');
  });

  it('a lease whose deadline has passed by the newest result is over', () => {
    const { hand, inputs } = recorded({});
    hand.links(a, 3);
    const task = hand.lease();
    hand.links('b.test', 1);
    const other = hand.lease(task.deadlineMs + 1_000 - hand.nowMs);
    hand.report(other);
    const { leases, queued } = outOf(fromInputs(hand, inputs, [task, other]), task);
    assert.deepEqual([leases, queued], [0, 3]);
  });

  it('a host waits until the deadline of its lease of revisits', () => {
    const { hand, inputs } = recorded({});
    hand.links(a, 2);
    hand.report(hand.lease());
    const task = hand.lease(31 * 24 * hour);
    const made = fromInputs(hand, inputs, [task]);
    assert.deepEqual([made.counters.leases, made.counters.scheduled], [0, 2]);
    assert.equal(made.hosts.get(a)!.facts.readyAtMs, task.deadlineMs);
  });
});

/** Inputs as they lie in their topics, and the state they make. */
function madeOf(
  config: Partial<PolicyConfig>,
  results: readonly (Partial<Result> & { readonly of: Readonly<Record<string, Partial<Outcome>>> })[],
  groups: readonly (Partial<LinkGroup> & { readonly paths: readonly string[]; readonly priority?: number })[],
): FrontierState {
  const state = new FrontierState({ hi: 1, lo: 2 }, { ...defaultSeen, memoryBytes: 2 ** 30 });
  const made = new FromInputs({ crawl: 'model', partition: 0, partitions: 1 }, state);
  const payload = JSON.stringify({ ...defaultPolicy(), delayMs: 1_000, delayFactor: 0, ...config, version: 1 });
  made.control({ ...blankControl, kind: 'policy', version: 1, payload });
  for (const { of, ...result } of results) {
    const outcomes = Object.entries(of).map(([path, outcome], index) => {
      const kind = outcome.kind ?? 'fetched';
      const status = kind === 'timeout' || kind === 'dnsFailed' ? 0 : 200;
      return { ...blankOutcome, index, url: `https://${a}/${path}`, kind, status, ...outcome };
    });
    made.result({ ...blankResult, hostKey: a, ...result, outcomes });
  }
  for (const { paths, priority = -1, ...group } of groups) {
    const links = paths.map((path) => ({ url: `https://${a}/${path}`, lastModifiedMs: 0, priority, spelling: '' }));
    made.discovered({ groups: [{ ...blankLinkGroup, hostKey: a, depth: 1, ...group, links }] });
  }
  made.end();
  return state;
}

/** All that waits of the host, in its order: path, front queue, depth and attempts. */
function waitingIn(state: FrontierState) {
  const host = state.hosts.get(a)!;
  assert.deepEqual([state.counters.leases, state.counters.leased, host.leaseIds], [0, 0, []]);
  const frontQueues = [...host.queue.frontQueues()].map(({ number, size }) => [number, size] as const);
  const grant = { leaseId: 9e6, hostKey: a, again: 0, frontQueues, deadlineMs: 0, delayMs: 0 };
  state.apply({ kind: 'grant', ...grant });
  return state.leases
    .get(9e6)!
    .entries.map((entry) => [new URL(entry!.url).pathname.slice(1), entry!.frontQueue, entry!.depth, entry!.attempts]);
}

describe('a state made from its inputs', () => {
  it('a state made from its inputs queues unfetched URLs as found, with their attempts, and no fetched ones', () => {
    const failed = { kind: 'serverError', status: 500 } as const;
    const state = madeOf(
      {},
      [
        { leaseId: 3, completedAtMs: 5_000, of: { one: {}, two: { kind: 'gone', status: 404 }, three: failed } },
        { leaseId: 9, completedAtMs: 9_000, of: { three: failed } },
      ],
      [
        { paths: ['one', 'three', 'four'], priority: 3, depth: 2 },
        { paths: ['five', 'one'], priority: 99 },
        { paths: ['six', 'two', 'four'], front: true, depth: 7 },
      ],
    );
    const { admitted, page, failed: refused, queued, hosts } = { ...state.counters, hosts: state.hosts };
    assert.deepEqual([admitted, page, refused, queued], [6, 1, 1, 4]);
    assert.equal(state.leases.nextId, 9 + 1 + crawlLimits.concurrencyMax);
    assert.equal(hosts.get(a)!.facts.readyAtMs, 10_000);
    assert.equal(state.nowMs, 9_000);
    const kept = state.unsaved.records.map(({ url, status, depth, attempts, atMs }) => [
      new URL(url).pathname,
      ...[status, depth, attempts, atMs],
    ]);
    assert.deepEqual(kept, [
      ['/one', 'page', 2, 1, 5_000],
      ['/two', 'failed', 7, 1, 5_000],
    ]);
    assert.deepEqual(waitingIn(state), [
      ['six', 0, 7, 0],
      ['three', 3, 2, 2],
      ['four', 3, 2, 0],
      ['five', frontQueueCount - 1, 1, 0],
    ]);
  });

  it('a state made from its inputs has fetched URLs that no link leads to any more', () => {
    const state = madeOf({}, [{ of: { lost: {}, '?a=': { kind: 'redirect', redirectUrl: `https://${a}/` } } }], []);
    assert.deepEqual([state.counters.admitted, state.counters.page, state.counters.redirected], [2, 1, 1]);
    assert.deepEqual(
      state.unsaved.records.map(({ depth, atMs }) => [depth, atMs]),
      [
        [0, 0],
        [0, 0],
      ],
    );
    assert.equal(state.hosts.get(a)!.facts.readyAtMs, 0, 'no time was told');
    assert.deepEqual([state.counters.leases, state.hosts.get(a)!.leaseIds], [0, []]);
  });

  it('a state made from its inputs queues as many URLs of a host as its policy allows; the others count as unseen', () => {
    const paths = ['one', 'two', 'three', 'four'];
    const state = madeOf({ urlsPerHostMax: 3 }, [], [{ paths, priority: 1 }]);
    assert.equal(state.counters.admitted, 3);
    const seen = paths.map((path) => {
      const [hi, lo] = state.fingerprintOf(`https://${a}/${path}`);
      return state.seen.test(hi!, lo!) === seenVerdicts.seen;
    });
    assert.deepEqual(seen, [true, true, true, false]);
    assert.equal(madeOf({ urlsPerHostMax: null }, [], [{ paths }]).counters.admitted, 4);
  });

  it('a state made from its inputs gives up URLs with more tries or redirects than the policy allows', () => {
    const retriesMs = [1_000, 2_000];
    const timeout = { of: { one: { kind: 'serverError', status: 500 } as const } };
    const round = { of: { one: { kind: 'redirect', redirectUrl: `https://${a}/one` } as const } };
    const groups = [{ paths: ['one'], priority: 1 }];
    const times = (count: number, one: typeof timeout | typeof round) => {
      const results = Array.from({ length: count }, () => one);
      const { counters } = madeOf({ retriesMs }, results, groups);
      return [counters.queued, counters.dead, counters.redirected];
    };
    assert.deepEqual(times(2, timeout), [1, 0, 0]);
    assert.deepEqual(times(3, timeout), [0, 1, 0]);
    assert.deepEqual(times(urlLimits.redirectHopsMax, round), [1, 0, 0]);
    assert.deepEqual(times(urlLimits.redirectHopsMax + 1, round), [0, 0, 1]);
  });

  it('a state made from its inputs gives up the queue of a host with more failures in a row than retries', () => {
    const retriesMs = [1_000, 2_000];
    const groups = [{ paths: ['one', 'two'], priority: 1 }];
    const fails = { completedAtMs: 1_000, of: { one: { kind: 'dnsFailed' } as const } };
    const answers = { completedAtMs: 1_000, of: { three: {} } };
    const hostAfter = (...results: (typeof fails | typeof answers)[]) => {
      const state = madeOf({ retriesMs }, results, groups);
      const { failures, deadUntilMs } = state.hosts.get(a)!.facts;
      return [failures, deadUntilMs, state.counters.queued, state.counters.dead];
    };
    assert.deepEqual(hostAfter(fails, fails), [2, 0, 2, 0]);
    assert.deepEqual(hostAfter(fails, fails, fails), [3, 1_000 + frontierLimits.deadHostMs, 0, 2]);
    assert.deepEqual(hostAfter(fails, fails, answers, fails), [1, 0, 2, 0]);
  });

  it('a state made from its inputs resets a host’s failures only by a response, not by throttling or our own rule', () => {
    const fails = { completedAtMs: 1_000, of: { one: { kind: 'dnsFailed' } as const } };
    const failuresAfter = (outcome: Partial<Outcome>) =>
      madeOf({}, [fails, { completedAtMs: 2_000, of: { two: outcome } }], []).hosts.get(a)!.facts.failures;
    assert.equal(failuresAfter({ kind: 'serverError', status: 500 }), 0);
    assert.equal(failuresAfter({ kind: 'throttled', status: 429 }), 1);
    assert.equal(failuresAfter({ kind: 'robotsDenied', status: 0 }), 1);
    assert.equal(failuresAfter({ kind: 'dnsFailed', status: 0 }), 2);
  });

  it('a state made from its inputs keeps a Crawl-delay until robots.txt is read again', () => {
    const robots = (robotsStatus: 'rules' | 'unknown', crawlDelayMs: number) => ({
      host: { ...blankResult.host, robotsStatus, crawlDelayMs },
    });
    const read = { completedAtMs: 1_000, of: { one: {} }, ...robots('rules', 7_000) };
    const factsAfter = (...results: Parameters<typeof madeOf>[1]) => madeOf({}, results, []).hosts.get(a)!.facts;
    const kept = factsAfter(read, { completedAtMs: 2_000, of: { two: {} }, ...robots('unknown', -1) });
    assert.deepEqual([kept.crawlDelayMs, kept.readyAtMs], [7_000, 9_000]);
    const gone = factsAfter(read, { completedAtMs: 9_000, of: { two: {} }, ...robots('rules', -1) });
    assert.deepEqual([gone.crawlDelayMs, gone.readyAtMs], [-1, 10_000]);
  });

  it('a state made from its inputs is empty without a policy, and has nothing of the quota or of other partitions', () => {
    const partitions = 4;
    const home = partitionOf(a, partitions);
    const made = (partition: number, events: readonly Partial<Control>[]) => {
      const state = new FrontierState({ hi: 1, lo: 2 }, { ...defaultSeen, memoryBytes: 2 ** 30 });
      const inputs = new FromInputs({ crawl: 'model', partition, partitions }, state);
      for (const event of events) inputs.control({ ...blankControl, ...event });
      const outcome = { ...blankOutcome, url: `https://${a}/1`, kind: 'fetched' as const, status: 200 };
      inputs.result({ ...blankResult, hostKey: a, outcomes: [outcome], completedAtMs: 1_000 });
      const link = { url: `https://${a}/2`, lastModifiedMs: 0, priority: -1, spelling: '' };
      inputs.discovered({ groups: [{ ...blankLinkGroup, hostKey: a, links: [link] }] });
      inputs.end();
      return [state.policyVersion, state.counters.admitted, state.hosts.get(a)?.facts.hold, state.quotaLeft];
    };
    const config = { ...defaultPolicy(), pageQuota: 10, version: 1 };
    const policy = { kind: 'policy', version: 1, payload: JSON.stringify(config) } as const;
    const block = { kind: 'blockHost', hostKey: a } as const;
    const quota = { kind: 'quota', partition: home, amount: 10, version: 1 } as const;
    const elsewhere = (home + 1) % partitions;
    assert.deepEqual(made(home, [])[1], 0);
    const [, , , without] = made(home, [policy, block]);
    assert.deepEqual(made(home, [policy, block, quota]), [1, 2, 'blocked', without]);
    assert.deepEqual(made(elsewhere, [policy, block]).slice(0, 3), [1, 0, undefined]);
  });
});
