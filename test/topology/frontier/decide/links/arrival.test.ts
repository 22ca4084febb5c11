/** Which links are taken as they arrive, and under what the others are counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankLinkGroup } from '../../../../../schemas/blank.ts';
import type { LinkGroup } from '../../../../../schemas/types.ts';
import { type Arrival, acceptLink } from '../../../../../topology/frontier/decide/links/arrival.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultOpic } from '../../../../../topology/policy/score/opic.ts';
import { Deciding } from '../deciding.ts';

const groupOf = (urls: readonly string[], more: Partial<LinkGroup> = {}): LinkGroup => ({
  ...{ ...blankLinkGroup, hostKey: 'a.test', depth: 1, sourceUrl: 'https://b.test/' },
  links: urls.map((url) => ({ url, lastModifiedMs: 0, priority: -1, spelling: '' })),
  ...more,
});

/** What one link comes to. */
function arrived(deciding: Deciding, url: string, more: Partial<LinkGroup> = {}) {
  let arrival: Arrival | null = null;
  const { tallies, changes } = deciding.decide(
    (decision) => acceptLink(decision, deciding.policy!, groupOf([url], more), 0),
    (returned) => {
      arrival = returned;
    },
  );
  assert.deepEqual(changes, []);
  return { arrival: arrival as Arrival | null, tallies };
}

const refusedAs = (config: Partial<PolicyConfig>, url: string, more: Partial<LinkGroup> = {}) => {
  const { arrival, tallies } = arrived(new Deciding(config), url, more);
  assert.equal(arrival, null);
  const { discovered, ...rest } = tallies;
  assert.equal(discovered, 1);
  return rest;
};

test('an accepted link has its normal URL, its host, its queue and its fingerprint, and is counted later', () => {
  const deciding = new Deciding();
  const { arrival, tallies } = arrived(deciding, 'HTTPS://A.test:443/x/../Y?b=1#part');
  assert.deepEqual(tallies, {});
  const { group, link, hi, lo, ...rest } = arrival!;
  assert.equal(link.url, 'HTTPS://A.test:443/x/../Y?b=1#part');
  assert.equal(group.links[0], link);
  assert.deepEqual(rest, {
    url: 'https://a.test/Y?b=1',
    hostKey: 'a.test',
    plainQueue: 2,
    forced: false,
    isVariant: false,
    cash: 0,
  });
  const fingerprint = deciding.state.identityOf('a.test', 'https://a.test/Y?b=1');
  assert.deepEqual([hi, lo], [...fingerprint]);
});

test('the link with the given number of a group is accepted', () => {
  const deciding = new Deciding();
  const taken: (string | undefined)[] = [];
  deciding.decide((decision) => {
    const group = groupOf(['https://a.test/0', 'https://a.test/1']);
    for (const index of [1, 0]) taken.push(acceptLink(decision, deciding.policy!, group, index)?.url);
  });
  assert.deepEqual(taken, ['https://a.test/1', 'https://a.test/0']);
});

test('a refused link is counted by the rule that refuses it', () => {
  assert.deepEqual(refusedAs({}, 'ftp://a.test/'), { invalid: 1 });
  assert.deepEqual(refusedAs({}, 'https://'), { invalid: 1 });
  assert.deepEqual(refusedAs({}, `https://a.test/${'x'.repeat(70_000)}`), { tooLong: 1 });
  assert.deepEqual(refusedAs({ maxDepth: 1 }, 'https://a.test/', { depth: 2 }), { tooDeep: 1 });
  const scope: PolicyConfig['scope'] = { kind: 'host', names: ['b.test'] };
  assert.deepEqual(refusedAs({ scope }, 'https://a.test/'), { outOfScope: 1 });
});

test('forced links are marked, and links with cash have the amount, if cash counts', () => {
  assert.equal(arrived(new Deciding(), 'https://a.test/', { intent: 'force' }).arrival?.forced, true);
  assert.equal(arrived(new Deciding(), 'https://a.test/', { intent: 'refresh' }).arrival?.forced, false);
  const share = { share: 0.25 };
  assert.equal(arrived(new Deciding(), 'https://a.test/', share).arrival?.cash, 0);
  const byCash = () => new Deciding({ score: defaultOpic });
  assert.equal(arrived(byCash(), 'https://a.test/', share).arrival?.cash, 0.25);
  assert.equal(arrived(byCash(), 'https://a.test/').arrival?.cash, 0);
  assert.equal(arrived(byCash(), 'https://a.test/', { sourceUrl: '' }).arrival?.cash, 1);
});

test('links to a purged URL, or to a purged host, are refused', () => {
  const deciding = new Deciding();
  deciding.admit({ url: 'https://a.test/1', depth: 1, hop: 0, attempts: 0, expiries: 0, frontQueue: 3 });
  deciding.state.apply({
    kind: 'purge',
    hostKey: 'a.test',
    url: 'https://a.test/1',
    from: { in: 'nowhere', a: 0, b: 0 },
  });
  assert.deepEqual(arrived(deciding, 'https://a.test/1').tallies, { discovered: 1, purged: 1 });
  assert.equal(arrived(deciding, 'https://a.test/1').arrival, null);
  assert.notEqual(arrived(deciding, 'https://a.test/2').arrival, null);
  deciding.state.apply({ kind: 'purge', hostKey: 'a.test', url: '', from: { in: 'nowhere', a: 0, b: 0 } });
  assert.deepEqual(arrived(deciding, 'https://a.test/2').tallies, { discovered: 1, purged: 1 });
  assert.notEqual(arrived(deciding, 'https://b.test/2').arrival, null);
});
