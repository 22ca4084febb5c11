/** What a partition's changelog says of one URL, in words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../lab/model/hand.ts';
import { controlOf } from '../../../lab/model/model-script.ts';
import type { Discovered } from '../../../schemas/types.ts';
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { defaultBudget } from '../../../topology/policy/budget.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';
import { CommitEvents } from '../../../topology/timeline/commit-events.ts';
import { Discoveries } from '../../../topology/timeline/discoveries.ts';
import { Subject } from '../../../topology/timeline/record-events.ts';
import type { TimelineEvent } from '../../../topology/timeline/timeline-event.ts';

const host = 'a.test';
const page = (n: number | string) => `https://${host}/${n}`;
const byHost = (kind: 'purge' | 'releaseTrap', payload: object) =>
  controlOf({ kind, hostKey: host, payload: JSON.stringify(payload) });

function read({ rig }: Hand, url: string) {
  const subject = new Subject(url, host, (text) => text);
  const discoveries = new Discoveries(subject);
  const commits = new CommitEvents(subject, 5, discoveries, (_, json) => compilePolicy(JSON.parse(json)));
  const events: TimelineEvent[] = [];
  let messages = 0;
  for (const [offset, value] of rig.changelog.entries()) {
    for (const { topic, offset: at, record } of rig.inputsOf(value)) {
      if (topic !== 'discovered' || at < messages) continue;
      messages = at + 1;
      discoveries.take(record as Discovered, { topic, partition: 5, offset: at, timestampMs: 1 }, [host]);
    }
    const record = readChangelog(value);
    if (record.kind !== 'foreign') events.push(...commits.take(offset, record, value.includes(host)));
  }
  return { commits, events };
}

const reported = (hand: Hand, url: string) => read(hand, url).events.map(({ kind, text }) => `${kind}: ${text}`);

describe('a changelog’s history of a URL', () => {
  it('a changelog’s history of a URL has its admission, its leases and their outcomes', () => {
    const hand = new Hand({ retriesMs: [5_000, 30_000], urlsPerLeaseMax: 2 });
    hand.linksTo([page(0), page(1)], 3);
    const first = hand.lease();
    hand.report(first, { kind: ['fetched', 'serverError'] });
    hand.report(hand.lease(5_000), { kind: 'serverError' });
    hand.report(hand.lease(30_000), { kind: 'gone' });
    const [one, two, three] = [first.leaseId, first.leaseId + 1, first.leaseId + 2];
    const most = (lease: number) =>
      read(hand, page(1))
        .events.find(({ kind, details }) => kind === 'leased' && details['leaseId'] === lease)!
        .text.split('for ')[1];
    assert.deepEqual(reported(hand, page(1)), [
      'admitted: admitted, front queue 3',
      `leased: on lease ${one}, URL 2 of the lease, for ${most(one)}`,
      'again: returned to the queue, due in 5 s, attempts 1',
      `leased: on lease ${two}, URL 1 of the lease, for ${most(two)}`,
      'again: returned to the queue, due in 30 s, attempts 2',
      `leased: on lease ${three}, URL 1 of the lease, for ${most(three)}`,
      'ended: done: failed (gone 200)',
    ]);
    const [admitted, leased] = read(hand, page(1)).events;
    assert.deepEqual(admitted, {
      ...{ kind: 'admitted', topic: 'frontier-changelog', partition: 5, offset: admitted!.offset, atMs: 1_000_000 },
      ...{ policyVersion: 1, text: 'admitted, front queue 3' },
      details: { frontQueue: 3, depth: 1, hop: 0, isNew: true },
    });
    assert.deepEqual(leased!.details, { leaseId: one, index: 1, deadlineMs: first.deadlineMs });
  });

  it('a changelog’s history of a URL says why a link was not admitted', () => {
    const hand = new Hand({ urlsPerHostMax: 1 });
    hand.linksTo([page(0)], 3);
    hand.linksTo([page(1)], 3);
    hand.linksTo([page(0)], 3);
    hand.policy({ maxDepth: 0 });
    hand.linksTo([page(2)], 3, { depth: 1, sourceUrl: page(0) });
    assert.deepEqual(reported(hand, page(0)), [
      'admitted: admitted, front queue 3',
      'known: already known: not admitted again',
    ]);
    assert.deepEqual(reported(hand, page(1)), ['dropped: dropped: the queue of its host was full']);
    assert.deepEqual(reported(hand, page(2)), ['refused: refused by depth: 1 > 0']);
    const [refused] = read(hand, page(2)).events;
    assert.deepEqual([refused!.partition, refused!.policyVersion], [5, 2]);
  });

  it('a changelog’s history of a URL says that an operator forced it', () => {
    const hand = new Hand();
    hand.linksTo([page(1)], 3);
    hand.linksTo([page(1)], 4, { intent: 'force' });
    assert.equal(reported(hand, page(1)).at(-1), 'admitted: admitted again, forced, front queue 4');
  });

  it('a changelog’s history of a URL says that it was raised and purged, and that no link was admitted since', () => {
    const hand = new Hand();
    hand.linksTo([page(0), page(1)], 3);
    hand.raise(page(1));
    hand.rig.send('control', byHost('purge', { url: page(1) }));
    hand.rig.step(hand.nowMs, 0);
    hand.linksTo([page(1)], 4);
    assert.deepEqual(reported(hand, page(1)), [
      'admitted: admitted, front queue 3',
      'raised: raised: first in the queue of its host',
      'purged: purged: its data is deleted, and links to it are rejected',
      'refused: refused: it was purged',
    ]);
  });

  it('a changelog’s history of a URL says that it was deferred, and why', () => {
    const hand = new Hand({ budget: { ...defaultBudget, base: 1, perSource: 0 }, traps: defaultTraps });
    hand.linksTo([page(0)], 3);
    hand.linksTo([page(1)], 3, { depth: 1 });
    const trapped = page('a/b/a/b/a/b/1');
    hand.linksTo([trapped], 3, { depth: 1 });
    hand.rig.send('control', byHost('releaseTrap', { pattern: '//' }));
    hand.rig.step(hand.nowMs, 0);
    assert.deepEqual(reported(hand, page(1)), ['admitted: admitted, deferred: its budget is spent']);
    const [admitted, released, ...more] = reported(hand, trapped);
    assert.match(admitted!, /^admitted: admitted, deferred: in trap \S+ \(repeatedSegments\)$/);
    assert.match(released!, /^trapReleased: the trap \S+ was released: the URL is queued$/);
    assert.deepEqual(more, []);
  });

  it('a changelog’s history of a URL says that its lease ended with its owner', () => {
    const hand = new Hand();
    hand.linksTo([page(0)], 3);
    const { leaseId } = hand.lease();
    hand.rig.reopen(hand.nowMs, true);
    assert.equal(
      reported(hand, page(0)).at(-1),
      `leaseEnded: lease ${leaseId} ended when the partition changed its owner: the URL is queued again`,
    );
  });

  it('a changelog’s history of a URL has its next visit', () => {
    const hand = new Hand({ recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs: 3_600_000 } });
    hand.linksTo([page(0)], 3);
    hand.report(hand.lease());
    assert.equal(reported(hand, page(0)).at(-1), 'ended: done: page (fetched 200); refetch in 3600 s');
  });

  it('a changelog’s history of a URL says that it moved to a better front queue', () => {
    const { factors, scales } = defaultScore;
    const score = {
      ...defaultScore,
      factors: { ...factors, cash: 0, depth: 0, type: 0, source: 0, quality: 0, authority: 0 },
      scales: { ...scales, inLinksMost: 30 },
    };
    const hand = new Hand({ score });
    hand.links(host, 200, { priority: -1, sourceUrl: `https://${host}/` });
    for (let n = 120; n < 124; n++)
      for (let i = 0; i < 30; i++)
        hand.linksTo([page(n)], -1, { sourceUrl: `https://b${i}.test/`, sourceKey: `b${i}.test` });
    hand.event('hostDelay', 'other.test', 1);
    const moved = read(hand, page(120)).events.filter(({ kind }) => kind === 'moved');
    assert.ok(moved.length > 0);
    for (const { text, details } of moved)
      assert.equal(text, `moved from front queue ${details['from']} to front queue ${details['frontQueue']}`);
  });
});

it('an event of another topic has the policy in force', () => {
  const hand = new Hand();
  hand.nowMs += 1_000;
  hand.policy({ maxDepth: 5 });
  const { commits } = read(hand, page(0));
  const at = (atMs: number) =>
    commits.versioned({ kind: 'page', topic: 'pages', partition: 0, offset: 0, atMs, text: '', details: {} })
      .policyVersion;
  assert.deepEqual([999_999, 1_000_000, 1_000_999, 1_001_000].map(at), [0, 1, 1, 2]);
});
