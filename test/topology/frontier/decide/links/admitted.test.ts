/** What a link that is admitted waits as, and where. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import type { LinkGroup } from '../../../../../schemas/types.ts';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import { timedOneIn } from '../../../../../topology/frontier/decide/decision.ts';
import { decideDiscovered } from '../../../../../topology/frontier/decide/links/discovered.ts';
import { Growth } from '../../../../../topology/frontier/decide/links/growth.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import { payloadOfText } from '../../../../../topology/frontier/pull/payload.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { Deciding, ofKind } from '../deciding.ts';

type Link = LinkGroup['links'][number];

const linkOf = (url: string, more: Partial<Link> = {}): Link => ({
  ...{ url, lastModifiedMs: 0, priority: -1, spelling: '' },
  ...more,
});
const groupOf = (links: readonly Link[], more: Partial<LinkGroup> = {}): LinkGroup => ({
  ...{ ...blankLinkGroup, hostKey: 'a.test', depth: 1, sourceUrl: 'https://a.test/source' },
  links: [...links],
  ...more,
});

/** What these come to, in one message: where it stops, what waits, what is counted. */
function took(
  groups: readonly LinkGroup[],
  {
    config = {},
    deciding = new Deciding(config),
    from = 0,
    to,
  }: { config?: Partial<PolicyConfig>; deciding?: Deciding; from?: number; to?: number } = {},
) {
  let next: number | 'done' = -1;
  let timed: readonly unknown[] = [];
  const decided = deciding.decide(
    (decision) => {
      const at = decideDiscovered(decision, deciding.policy!, { groups: [...groups] }, from, new Growth(), to);
      timed = decision.timed;
      return at;
    },
    (returned) => {
      next = returned;
    },
  );
  const admitted = ofKind(decided, 'admit');
  const entries: readonly Entry[] = admitted.flatMap((change) => change.entries);
  return { next: next as number | 'done', entries, admitted, timed, ...decided };
}

const only = (link: Link, more: Partial<LinkGroup> = {}, config: Partial<PolicyConfig> = {}) => {
  const { entries } = took([groupOf([link], more)], { config });
  assert.equal(entries.length, 1);
  return entries[0]!;
};
const url = 'https://a.test/x';

test('an admitted URL waits with its depth and its hop, untried', () => {
  const entry = only(linkOf(url), { depth: 3, hop: 2 });
  assert.deepEqual(entry, { url, depth: 3, hop: 2, attempts: 0, expiries: 0, frontQueue: 3 });
});

test('an admitted URL’s front queue is its sender’s, within bounds, or follows from depth; a redirect goes to the first', () => {
  assert.equal(only(linkOf(url)).frontQueue, 1);
  assert.deepEqual(
    [0, 1, 6, 7, 8, 200].map((priority) => only(linkOf(url, { priority })).frontQueue),
    [0, 1, 6, 7, 7, 7],
  );
  assert.equal(only(linkOf(url, { priority: 5 }), { front: true }).frontQueue, 0);
});

test('an admitted URL keeps its payload and its tags, with one number for each list of tags', () => {
  const deciding = new Deciding();
  const { entries, changes } = took(
    [
      groupOf([linkOf(url)], { payload: 'p', tags: ['b', 'a'] }),
      groupOf([linkOf(`${url}1`)], { tags: ['a', 'b'] }),
      groupOf([linkOf(`${url}2`)], { tags: ['a'] }),
      groupOf([linkOf(`${url}3`)]),
    ],
    { deciding },
  );
  assert.deepEqual(entries[0]!.payload, payloadOfText(deciding.nowMs, 'p'));
  assert.deepEqual(
    entries.map(({ tags }) => tags),
    [1, 1, 2, undefined],
  );
  assert.equal(changes.filter(({ kind }) => kind === 'tagSet').length, 2);
  assert.deepEqual(
    entries.slice(1).map(({ payload }) => payload),
    [undefined, undefined, undefined],
  );
});

test('links of other sites are marked only if traps are looked for', () => {
  const others = [
    ['https://b.test/', true],
    ['https://www.a.test/', undefined],
    ['https://a.test/', undefined],
    ['', undefined],
  ] as const;
  for (const [sourceUrl, isForeign] of others) {
    const own = { sourceUrl, depth: 1 };
    assert.equal(only(linkOf(url), own, { traps: {} as never }).isForeign, isForeign, sourceUrl);
    assert.equal(only(linkOf(url), own).isForeign, undefined, sourceUrl);
  }
});

test('an admitted URL is requested as it was spelt if the policy says so and the spelling is valid', () => {
  const asFound = { fetchAs: 'firstSpelling' } as const;
  const spelt = (spelling: string, config: Partial<PolicyConfig>) =>
    only(linkOf('https://a.test/y?b=1', { spelling }), {}, config).spelling;
  assert.equal(spelt('/x/../y?b=1', asFound), '/x/../y?b=1');
  assert.equal(spelt('/x/../y?b=1', {}), undefined);
  assert.equal(spelt('', asFound), undefined);
  assert.equal(spelt('/z?b=1', asFound), undefined);
  assert.equal(spelt('https://b.test/y?b=1', asFound), undefined);
});

test('one URL in 64 is timed from when its link was found, or from now if that is impossible', () => {
  const deciding = new Deciding();
  const links = Array.from({ length: 40 * timedOneIn }, (_, n) => linkOf(`https://a.test/${n}`));
  const found = (discoveredAtMs: number, at: readonly Link[]) =>
    took([groupOf(at, { discoveredAtMs })], { deciding }).timed as readonly { url: string; foundAtMs: number }[];
  const timed = found(0, links);
  assert.ok(timed.length > 20 && timed.length < 60, `${timed.length}`);
  assert.ok(timed.every(({ foundAtMs }) => foundAtMs === deciding.nowMs));
  const again = (discoveredAtMs: number, host: string) =>
    found(
      discoveredAtMs,
      links.map((link) => linkOf(link.url.replace('a.test', host))),
    );
  for (const [atMs, foundAtMs] of [
    [1, 1],
    [deciding.nowMs, deciding.nowMs],
    [deciding.nowMs + 1, deciding.nowMs],
    [-5, deciding.nowMs],
  ] as const) {
    const some = again(atMs, `h${atMs}.test`);
    assert.ok(some.length > 0 && some.every((one) => one.foundAtMs === foundAtMs), `${atMs}`);
  }
  // Known already: nobody waits for it.
  assert.equal(took([groupOf(links, { intent: 'force' })], { deciding }).timed.length, 0);
});

test('a message is processed from one link up to another, over its groups', () => {
  const groups = [
    groupOf([0, 1, 2].map((n) => linkOf(`https://a.test/${n}`))),
    groupOf([]),
    groupOf([3, 4].map((n) => linkOf(`https://a.test/${n}`))),
  ];
  const slice = (from: number, to?: number) => {
    const { next, entries } = took(groups, { from, ...(to !== undefined && { to }) });
    return [next, entries.map((entry) => entry.url.slice(-1)).join('')];
  };
  assert.deepEqual(slice(0), ['done', '01234']);
  assert.deepEqual(slice(2), ['done', '234']);
  assert.deepEqual(slice(3), ['done', '34']);
  assert.deepEqual(slice(5), ['done', '']);
  assert.deepEqual(slice(0, 0), [0, '']);
  assert.deepEqual(slice(0, 2), [2, '01']);
  assert.deepEqual(slice(1, 4), [4, '123']);
  assert.deepEqual(slice(0, 5), ['done', '01234']);
});

test('a full commit ends a slice before the next link', () => {
  const long = (n: number) => linkOf(`https://a.test/${n}/${'x'.repeat(1_500)}`);
  const links = Array.from({ length: 3_000 }, (_, n) => long(n));
  const deciding = new Deciding();
  const { next, entries } = took([groupOf(links)], { deciding });
  assert.ok(typeof next === 'number' && next === entries.length);
  const bytes = entries.reduce((sum, entry) => sum + entry.url.length, 0);
  const most = frontierLimits.commitBytesSoft;
  assert.ok(bytes > 0.9 * most && bytes < 1.1 * most, `${bytes} of ${most}`);
  assert.equal(took([groupOf(links)], { deciding, from: next }).entries[0]!.url, links[next]!.url);
});

test('a dead host is tried again when its verdict has expired, or an operator forces one of its URLs', () => {
  const dead = (deadUntilMs: number, intent: LinkGroup['intent']) => {
    const deciding = new Deciding();
    deciding.facts({ deadUntilMs, failures: 3 });
    const { changes } = took([groupOf([linkOf(url)], { intent })], { deciding });
    return changes.flatMap((change) =>
      change.kind === 'host' ? [change.facts.deadUntilMs, change.facts.failures] : [],
    );
  };
  const nowMs = new Deciding().nowMs;
  assert.deepEqual(dead(nowMs + 1, 'discover'), []);
  assert.deepEqual(dead(nowMs, 'discover'), [0, 2]);
  assert.deepEqual(dead(nowMs + 1, 'force'), [0, 2]);
  assert.deepEqual(dead(0, 'force'), []);
});

test('a host’s own limit refuses URLs beyond it, but nothing that an operator forces', () => {
  const config = { urlsPerHostMax: 2 };
  const deciding = new Deciding(config);
  const links = [0, 1, 2].map((n) => linkOf(`https://a.test/${n}`));
  const { entries, tallies } = took([groupOf(links)], { deciding });
  assert.deepEqual([entries.length, tallies['hostFull'], tallies['discovered']], [2, 1, 3]);
  assert.equal(took([groupOf(links.slice(2), { intent: 'force' })], { deciding }).entries.length, 1);
});
