/** Answers for pages that a recording does not have, drawn from those that it has. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankLink, blankLinkGroup, blankOutcome } from '../../../../schemas/blank.ts';
import type { LinkGroup, OutcomeKind } from '../../../../schemas/types.ts';
import { PageModel } from '../../../../topology/extras/what-if/page-model.ts';
import type { Answer, Recording } from '../../../../topology/extras/what-if/recording.ts';
import { fnv1a } from '../../../../topology/url/fnv.ts';

const answer = (status: number, links = 0, kind: OutcomeKind = 'fetched'): Answer => ({
  outcome: { ...blankOutcome, kind, status, links },
  tookMs: status,
});
const group = (hostKey: string, urls: readonly string[], hop = 0): LinkGroup => ({
  ...{ ...blankLinkGroup, hostKey, hop },
  links: urls.map((url) => ({ ...blankLink, url })),
});

/** Answers by URL, and what pages link to. */
function modelOf(answers: Readonly<Record<string, Answer[]>>, links: Readonly<Record<string, LinkGroup[]>> = {}) {
  const recording = { answers: new Map(Object.entries(answers)), links: new Map(Object.entries(links)) };
  return new PageModel(recording as unknown as Recording);
}

const pagesOf = (host: string, statuses: readonly number[], links = 0, kind: OutcomeKind = 'fetched') =>
  Object.fromEntries(statuses.map((status) => [`https://${host}/${status}`, [answer(0), answer(status, links, kind)]]));
const url = 'https://a.test/unknown';
const drawn = (model: PageModel, of = 'a.test', urls = 60) =>
  new Set(Array.from({ length: urls }, (_, n) => model.page(`https://${of}/x${n}`, of)?.answer.outcome.status));

describe('a page that was never fetched', () => {
  it('a page that was never fetched has the last response of a page of its host, the same in every run', () => {
    const model = modelOf({ ...pagesOf('a.test', [201, 202, 203, 204, 205]), ...pagesOf('b.test', [301]) });
    assert.deepEqual([...drawn(model)].sort(), [201, 202, 203, 204, 205]);
    assert.deepEqual(model.page(url, 'a.test'), model.page(url, 'a.test'));
    assert.equal(model.page(url, 'a.test')!.answer.outcome.status, 201 + (fnv1a(url) % 5));
  });

  it('a page that was never fetched has a response of any host if its own has fewer than five, or none', () => {
    const model = modelOf({ ...pagesOf('a.test', [201, 202, 203, 204]), ...pagesOf('b.test', [301]) });
    assert.deepEqual([...drawn(model)].sort(), [201, 202, 203, 204, 301]);
    assert.deepEqual([...drawn(model, 'c.test')].sort(), [201, 202, 203, 204, 301]);
  });

  it('a page that was never fetched is unreachable with its host, however few of its pages were requested', () => {
    const away = pagesOf('a.test', [1, 2], 0, 'connectionFailed');
    assert.deepEqual([...drawn(modelOf({ ...away, ...pagesOf('b.test', [301]) }))].sort(), [1, 2]);
    const half = { ...pagesOf('a.test', [1], 0, 'connectionFailed'), ...pagesOf('a.test', [201]) };
    assert.deepEqual([...drawn(modelOf({ ...half, ...pagesOf('b.test', [301]) }))].sort(), [1, 201, 301]);
  });

  it('a page that was never fetched has no response if only redirects were fetched', () => {
    assert.equal(modelOf({}).page(url, 'a.test'), null);
    assert.equal(modelOf(pagesOf('a.test', [301], 0, 'redirect')).page(url, 'a.test'), null);
  });

  it('a page that was never fetched links to what its host’s pages linked to, grouped by host, as often as its response says', () => {
    const b = ['https://b.test/1', 'https://b.test/2'];
    const c = ['https://c.test/1'];
    const links = {
      'https://a.test/201': [group('b.test', b), group('c.test', c), group('d.test', ['https://d.test/'], 1)],
      'https://z.test/': [group('e.test', ['https://e.test/'])],
    };
    const linksOf = (count: number, of = 'a.test') =>
      modelOf(pagesOf('a.test', [201, 202, 203, 204, 205], count), links).page(url, of)!.links;
    assert.deepEqual(linksOf(0), []);
    const targets = [...b, ...c];
    const wanted = Array.from({ length: 30 }, (_, i) => targets[(fnv1a(url) + i * 40_507) % 3]!).sort();
    const found = linksOf(30);
    assert.deepEqual(found.flatMap(({ links }) => links.map((link) => link.url)).sort(), wanted);
    for (const { hostKey, sourceUrl, sourceKey, links } of found) {
      assert.deepEqual([sourceUrl, sourceKey], [url, 'a.test']);
      assert.ok(links.every((link) => new URL(link.url).host === hostKey));
    }
    assert.ok(found.length <= 2, 'a group for each host');
    const others = new Set(linksOf(200, 'q.test').flatMap(({ links }) => links.map((link) => link.url)));
    assert.deepEqual([...others].sort(), [...targets, 'https://e.test/'].sort(), 'a host without links: those of all');
    assert.deepEqual(modelOf(pagesOf('a.test', [201], 5)).page(url, 'a.test')!.links, [], 'nobody linked to anything');
  });

  it('a page that was never fetched links to each target of its host once before any of them again', () => {
    for (const count of [1, 2, 3, 30, 69, 587, 1_000]) {
      const urls = Array.from({ length: count }, (_, n) => `https://b.test/${n}`);
      const links = { 'https://a.test/201': [group('b.test', urls)] };
      const found = modelOf(pagesOf('a.test', [201, 202, 203, 204, 205], count), links).page(url, 'a.test')!.links;
      const to = found.flatMap(({ links }) => links.map((link) => link.url));
      assert.deepEqual([to.length, new Set(to).size], [count, count]);
    }
  });

  it('a page that was never fetched is unreachable with its host, of which only one page was requested', () => {
    const away = pagesOf('a.test', [1], 0, 'connectionFailed');
    assert.deepEqual([...drawn(modelOf({ ...away, ...pagesOf('b.test', [301]) }))], [1]);
  });

  it('a page that was never fetched is drawn from the first thousand responses and links of its host, and ten thousand of all', () => {
    const count = 10_001;
    const statuses = Array.from({ length: count }, (_, n) => n);
    const one = Object.fromEntries(statuses.map((n) => [`https://a.test/${n}`, [answer(n, 1)]]));
    const targets = statuses.map((n) => `https://b.test/${n}`);
    const model = modelOf(one, { 'https://a.test/0': [group('b.test', targets)] });
    for (const [host, max] of [
      ['a.test', 1_000],
      ['c.test', 10_000],
    ] as const) {
      // Some URLs tell such a number from one more.
      const urls = Array.from({ length: 5 }, (_, n) => `https://${host}/x${n}`);
      for (const asked of urls) {
        const { answer, links } = model.page(asked, host)!;
        assert.equal(answer.outcome.status, fnv1a(asked) % max);
        assert.equal(links[0]!.links[0]!.url, `https://b.test/${fnv1a(asked) % max}`);
      }
    }
  });
});
