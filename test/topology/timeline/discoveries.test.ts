/** Links to a URL, and what became of each. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLink, blankLinkGroup } from '../../../schemas/blank.ts';
import type { LinkGroup } from '../../../schemas/types.ts';
import { compilePolicy, defaultPolicy } from '../../../topology/policy/policy.ts';
import { type Deciding, Discoveries } from '../../../topology/timeline/discoveries.ts';
import { Subject } from '../../../topology/timeline/record-events.ts';

const url = 'https://a.test/';
const source = 'https://b.test/';
const subject = new Subject(url, 'a.test', (text) => text.replace('A.test', 'a.test'));

function groupOf(urls: readonly string[], own: Partial<LinkGroup> = {}): LinkGroup {
  const links = urls.map((url) => ({ ...blankLink, url }));
  return { ...blankLinkGroup, hostKey: 'a.test', sourceUrl: source, depth: 1, links, ...own };
}

function discoveriesOf(...messages: readonly (readonly LinkGroup[])[]) {
  const discoveries = new Discoveries(subject);
  const events = messages.flatMap((groups, offset) =>
    discoveries.take({ groups: [...groups] }, { topic: 'discovered', partition: 2, offset, timestampMs: 9_000 }, [
      'a.test',
      'test',
    ]),
  );
  return { discoveries, events };
}

const at = (offset: number, slice = 0) => ({ offset, slice });
const rangeOf = (from: ReturnType<typeof at>, to: ReturnType<typeof at>) => ({
  topic: 'discovered' as const,
  from,
  to,
});

const deciding = (own: Partial<Deciding> = {}): Deciding => ({
  ...{ partition: 2, offset: 50, atMs: 10_000, admitted: 0, wasKnown: false, tallies: new Set(), policy: null },
  foldedInto: () => null,
  ...own,
});

describe('a link to a URL', () => {
  it('a link to a URL has the place where it was found', () => {
    const { events } = discoveriesOf([groupOf(['https://a.test/x', url], { discoveredAtMs: 7_000, front: true })]);
    assert.deepEqual(events, [
      {
        ...{ kind: 'discovered', topic: 'discovered', partition: 2, offset: 0, atMs: 7_000 },
        text: `found on ${source}, depth 1`,
        details: { url, sourceUrl: source, depth: 1, hop: 0, intent: 'discover', front: true, lastModifiedMs: 0 },
      },
    ]);
  });

  it('a link to a URL has the way it came', () => {
    const { events } = discoveriesOf([
      groupOf([url], { sourceUrl: '', depth: 0 }),
      groupOf([url], { hop: 1 }),
      groupOf([url], { intent: 'force' }),
      groupOf([url], { intent: 'refresh', hostKey: 'test' }),
      groupOf(['https://A.test/']),
      groupOf([url], { hostKey: 'b.test' }),
    ]);
    assert.deepEqual(
      events.map(({ text, atMs }) => [atMs, text]),
      [
        'added as a seed, depth 0',
        `redirected from ${source}, depth 1`,
        `found on ${source}, depth 1, forced`,
        `found on ${source}, depth 1, to be refetched`,
        `found on ${source}, depth 1, as https://A.test/`,
      ].map((text) => [9_000, text]),
    );
  });

  it('a link to a URL is decided by the commit that took it: by message, and by its number in it', () => {
    const { discoveries } = discoveriesOf(
      [groupOf(['https://a.test/x']), groupOf(['https://a.test/y', url, url], { hostKey: 'test' })],
      [groupOf([url])],
    );
    const decided = (from: ReturnType<typeof at>, to: ReturnType<typeof at>) =>
      discoveries
        .decide(rangeOf(from, to), deciding({ wasKnown: true }))
        .map(({ details }) => details['discoveredOffset']);
    assert.equal(discoveries.has(rangeOf(at(0), at(0, 2))), false);
    assert.deepEqual(decided(at(0), at(0, 2)), []);
    assert.equal(discoveries.has(rangeOf(at(0, 2), at(0, 3))), true);
    assert.deepEqual(decided(at(0, 2), at(0, 3)), [0]);
    assert.deepEqual(decided(at(0, 3), at(1)), [0]);
    assert.deepEqual(decided(at(1), at(2)), [1]);
    assert.deepEqual([discoveries.has(rangeOf(at(2), at(9))), decided(at(2), at(9))], [false, []]);
  });

  it('a link to a URL that no commit took is skipped', () => {
    const { discoveries } = discoveriesOf([groupOf([url, url])], [groupOf([url])]);
    const events = discoveries.decide(rangeOf(at(0, 1), at(2)), deciding());
    assert.deepEqual(
      events.map(({ details }) => details['discoveredOffset']),
      [0, 1],
    );
  });
});

describe('the verdict on a link', () => {
  const decide = (own: Partial<Deciding>, ...groups: readonly LinkGroup[]) =>
    discoveriesOf(groups.length > 0 ? groups : [groupOf([url])])
      .discoveries.decide(rangeOf(at(0), at(1)), deciding(own))
      .map(({ kind, text }) => [kind, text]);
  const known = ['known', 'already known: not admitted again'];

  it('the verdict on a link has the place of the commit, and that of the link', () => {
    const [event] = discoveriesOf([groupOf([url])]).discoveries.decide(rangeOf(at(0), at(1)), deciding());
    assert.deepEqual(event, {
      ...{ kind: 'refused', topic: 'frontier-changelog', partition: 2, offset: 50, atMs: 10_000 },
      ...{ text: 'not admitted', details: { discoveredOffset: 0, sourceUrl: source } },
    });
  });

  it('the verdict on a link comes from the policy', () => {
    const policy = compilePolicy({ ...defaultPolicy(), maxDepth: 0 });
    const [event] = discoveriesOf([groupOf([url])]).discoveries.decide(rangeOf(at(0), at(1)), deciding({ policy }));
    assert.deepEqual([event!.kind, event!.text], ['refused', 'refused by depth: 1 > 0']);
    const details = { rule: 'depth', detail: '1 > 0', discoveredOffset: 0, sourceUrl: source };
    assert.deepEqual(event!.details, details);
    const seed = groupOf([url], { depth: 0, sourceUrl: '' });
    assert.deepEqual(decide({ policy, admitted: 1 }, seed), [], 'what was admitted is told elsewhere');
  });

  it('the verdict on a link is admitted as often as the commit says, and then known', () => {
    assert.deepEqual(decide({ admitted: 1 }), []);
    assert.deepEqual(decide({ admitted: 1 }, groupOf([url, url])), [known]);
    assert.deepEqual(decide({ admitted: 1, wasKnown: true }), [known]);
    assert.deepEqual(decide({ admitted: 1, wasKnown: true }, groupOf([url], { intent: 'force' })), []);
    const forced = groupOf([url, url, url], { intent: 'force' });
    assert.deepEqual(decide({ admitted: 2 }, forced), [known]);
  });

  const counted = [
    ['hostFull', 'dropped', 'dropped: the queue of its host was full'],
    ['queueFull', 'dropped', 'dropped: the queue of its partition was full'],
    ['purged', 'refused', 'refused: it was purged'],
    ['duplicates', 'known', 'treated as known by the Bloom filter: not admitted'],
    ['discovered', 'refused', 'not admitted'],
  ] as const;
  for (const [tally, kind, text] of counted)
    it(`the verdict on a link, if the commit counted ${tally}, is ${text}`, () => {
      assert.deepEqual(decide({ tallies: new Set([tally]) }), [[kind, text]]);
      assert.deepEqual(decide({ tallies: new Set([tally]), wasKnown: true }), [known]);
    });
});
