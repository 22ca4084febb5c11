/** What a host has proved of its spellings: further URLs are folded by it, a contradiction unlearns it, and nobody else's pages are touched. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { isAskedAsFound } from '../../../../../topology/frontier/decide/links/fold.ts';
import type { EquivalencesConfig } from '../../../../../topology/policy/equivalences.ts';

class Site {
  readonly hand: Hand;

  constructor(equivalences: EquivalencesConfig | undefined = { proofs: 3 }) {
    this.hand = new Hand({ delayMs: 1, urlsPerLeaseMax: 100, equivalences });
  }

  get state() {
    return this.hand.rig.core.state;
  }

  /** Fetches all that waits of the URLs; `to` says where one redirects to, '' that it is a page. What was asked for. */
  crawl(urls: readonly string[], to: (url: string) => string): string[] {
    this.hand.linksTo(urls);
    const asked: string[] = [];
    for (;;) {
      const [task] = this.hand.grant(60_000);
      if (task === undefined) break;
      const { hand } = this;
      asked.push(...task.urls.map(({ url }) => url));
      const outcomes = (index: number) => {
        const redirectUrl = to(task.urls[index]!.url);
        return redirectUrl === '' ? {} : { kind: 'redirect' as const, status: 301, redirectUrl };
      };
      hand.rig.send('results', hand.resultOf(task, outcomes));
      hand.rig.step(hand.nowMs, 0);
    }
    assert.equal(digest(this.hand.rig.replayed()), digest(this.state), 'a replay comes to the same');
    return asked;
  }

  /** URLs that are not the one in sixteen that is asked for as it was found. */
  urls(count: number, urlOf: (n: number) => string): string[] {
    const all = Array.from({ length: 20 * count }, (_, n) => urlOf(n));
    return all.filter((url) => !isAskedAsFound(this.state.fingerprintOf(url))).slice(0, count);
  }
}

const plain = (n: number) => `http://a.test/${n}`;
const secured = (url: string) => url.replace('http:', 'https:');
const toHttps = (url: string) => (url.startsWith('http:') ? secured(url) : '');

describe('a redirecting host', () => {
  it('a redirecting host has its further URLs rewritten after the policy’s number of proofs, without a request', () => {
    const site = new Site();
    const [first, second, third, fourth] = [0, 1, 2, 3].map((n) => site.urls(40, plain).slice(10 * n, 10 * n + 10));
    assert.deepEqual(site.crawl(first!.slice(0, 2), toHttps), first!.slice(0, 2));
    assert.deepEqual(site.crawl(second!.slice(0, 1), toHttps), second!.slice(0, 1));
    assert.deepEqual(site.crawl(third!, toHttps), third!.map(secured));
    // A known URL in the spelling that is folded is known.
    assert.deepEqual(site.crawl(third!, toHttps), []);
    // As it was saved.
    site.hand.rig.save();
    site.hand.rig.reopen(site.hand.nowMs, false);
    assert.deepEqual(site.crawl(fourth!, toHttps), fourth!.map(secured));
  });

  it('a redirecting host gets one URL in sixteen as it was found, so that a change is noticed and unlearnt', () => {
    const site = new Site();
    site.crawl(site.urls(3, plain), toHttps);
    const all = Array.from({ length: 320 }, (_, n) => `http://a.test/more/${n}`);
    const asked = site.crawl(all, toHttps);
    const asFound = asked.filter((url) => url.startsWith('http:'));
    assert.ok(asFound.length > 5 && asFound.length < 50, `${asFound.length} of 320`);
    // From now on it answers by http, too.
    site.crawl([`${all.find((url) => isAskedAsFound(site.state.fingerprintOf(`${url}x`)))!}x`], () => '');
    const last = site.urls(10, (n) => `http://a.test/last/${n}`);
    assert.deepEqual(site.crawl(last.slice(0, 3), toHttps), last.slice(0, 3), 'three proofs are not enough any more');
    assert.deepEqual(site.crawl(last.slice(3, 6), toHttps), last.slice(3, 6));
    assert.deepEqual(site.crawl(last.slice(6), toHttps), last.slice(6).map(secured), 'six are');
  });

  it('a host that redirects all URLs to one proves nothing', () => {
    const site = new Site();
    const items = site.urls(30, (n) => `https://a.test/item?id=${n}`);
    assert.deepEqual(
      site.crawl(items.slice(0, 20), (url) => (url.includes('?') ? 'https://a.test/item' : '')),
      items.slice(0, 20),
    );
    assert.deepEqual(
      site.crawl(items.slice(20), () => ''),
      items.slice(20),
    );
    const pages = site.urls(30, (n) => `https://a.test/p/${n}`);
    assert.deepEqual(
      site.crawl(pages.slice(0, 20), () => 'https://a.test/'),
      pages.slice(0, 20),
    );
    assert.deepEqual(
      site.crawl(pages.slice(20), () => ''),
      pages.slice(20),
    );
  });

  it('a redirect to another host proves nothing about that host', () => {
    const site = new Site();
    const own = site.urls(20, (n) => `http://evil.test/${n}`);
    site.crawl(own, (url) => url.replace('http://evil.test', 'https://victim.test'));
    const theirs = site.urls(5, (n) => `http://victim.test/${n}`);
    assert.deepEqual(
      site.crawl(theirs, () => ''),
      theirs,
    );
    site.crawl(
      site.urls(20, (n) => `http://evil.test/s/${n}`),
      toHttps,
    );
    const more = site.urls(5, (n) => `http://victim.test/more/${n}`);
    assert.deepEqual(
      site.crawl(more, () => ''),
      more,
    );
  });

  it('a host that contradicts itself has both rules unlearnt, and no URL goes back and forth', () => {
    const site = new Site();
    const bare = site.urls(3, (n) => `https://a.test/${n}`);
    site.crawl(bare, (url) => (url.endsWith('/') ? '' : `${url}/`));
    const slashed = site.urls(6, (n) => `https://a.test/d/${n}/`);
    site.crawl(slashed, (url) => (url.endsWith('/') ? url.slice(0, -1) : ''));
    const evidence = site.state.equivalences.of('a.test');
    assert.equal(evidence.get('slash')?.proofs, 0);
    assert.ok(evidence.get('slash')!.against > 0);
  });

  it('a redirecting host gets each spelling if the policy does not ask for proofs, or an operator forces it', () => {
    const site = new Site(undefined);
    const urls = site.urls(12, plain);
    assert.deepEqual(site.crawl(urls, toHttps), urls);
    assert.deepEqual(digest(site.state), digest(site.hand.rig.replayed()));
    const other = new Site();
    other.crawl(urls.slice(0, 6), toHttps);
    other.hand.linksTo([urls[9]!], -1, { intent: 'force' });
    assert.ok(other.crawl([urls[0]!], toHttps).includes(urls[9]!));
  });

  it('the proofs of a host are forgotten with it', () => {
    const site = new Site();
    site.crawl(site.urls(4, plain), toHttps);
    assert.ok(site.state.equivalences.of('a.test').size > 0);
    const purge = { kind: 'purge', hostKey: 'a.test', payload: '' } as const;
    site.hand.rig.send('control', controlOf(purge));
    site.hand.rig.step(site.hand.nowMs, 0);
    assert.equal(site.state.equivalences.of('a.test').size, 0);
    assert.equal(digest(site.hand.rig.replayed()), digest(site.state));
  });
});
