/** What pages are built of: which answers are part of pages, and where they lead. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankTaskUrl } from '../../../../schemas/blank.ts';
import type { LinkGroup } from '../../../../schemas/types.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { answerOf } from '../../../../services/fetcher/pages/answer.ts';
import type { PageReader } from '../../../../services/fetcher/pages/page-reader.ts';
import { isRequisite, requisiteReport, withRequisites } from '../../../../services/fetcher/pages/requisites.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import type { LinkMaker, LinkOrigin } from '../../../../services/fetcher/publish/page-links.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';

const from: LinkOrigin = {
  ...{ url: 'http://a.test/dir/page', sourceKey: 'a.test', source: { keyHi: 1, keyLo: 2 } },
  ...{ atMs: 1, traceparent: '', tags: [] },
};
const links = (): LinkMaker => ({ normalize: compileNormalizer(), cache: createLinkCache(16) });
const answer = (body: string, contentType = 'text/html', index = 0) => {
  const headers = ['content-type', contentType];
  const response = {
    status: 200,
    headers,
    body: Buffer.from(body, 'latin1'),
    failure: null,
  } as unknown as HttpResponse;
  return answerOf({ ...blankTaskUrl, url: from.url, depth: 3, hop: 1 }, index, response);
};
const reported = ({ groups }: { readonly groups: readonly LinkGroup[] }) =>
  groups.map(({ depth, hop, front, share, links }) => {
    assert.equal(share, 0, 'no cash is for what a page is built of');
    return { depth, hop, front, urls: links.map((link) => link.url) };
  });

it('images, fonts, styles and scripts are page requisites; markup, text and video are not', () => {
  const are = 'image/png font/woff2 text/css text/javascript application/x-javascript application/ecmascript';
  for (const type of are.split(' ')) assert.ok(isRequisite(type), type);
  const not = 'text/html text/plain video/mp4 application/json x-image/png text/css2 atext/css ';
  for (const type of not.split(' ')) assert.ok(!isRequisite(type), type);
});

describe('a response that is a page requisite', () => {
  const report = (type: string, body: string) => requisiteReport(links(), from, answer(body, type, 4));

  it('a page requisite is no page itself', () => {
    const { outcome, page, groups, readMs } = report('image/png', 'url(x.png)');
    assert.deepEqual([page, readMs], [null, 0]);
    assert.deepEqual([outcome.kind, outcome.index, outcome.bytes], ['refused', 4, 10]);
    assert.match(outcome.detail, /^type image\/png is not read$/);
    assert.deepEqual(groups, []);
  });

  it('a style sheet leads on like a redirect, before other pages', () => {
    assert.deepEqual(reported(report('text/css', '@import "b.css"; p { background: url(/c.png) }')), [
      { depth: 3, hop: 2, front: true, urls: ['http://a.test/dir/b.css', 'http://a.test/c.png'] },
    ]);
  });
});

describe('page requisites', () => {
  it('page requisites are read in the charset of the response that names them', () => {
    const beforeMs = performance.now();
    const sheet = requisiteReport(
      links(),
      from,
      answer('p { background: url(/\u00e9) }', 'text/css; charset=iso-8859-5'),
    );
    assert.ok(sheet.readMs > 0 && sheet.readMs <= performance.now() - beforeMs);
    assert.deepEqual(reported(sheet)[0]!.urls, ['http://a.test/%D1%89']);
    const none = { groups: [], pending: [], count: 0, leftOut: new Map() };
    const reader = { links: links(), requisites: () => true } as unknown as PageReader;
    const page = answer('<img src=/\u00e9>', 'text/html; charset=iso-8859-5');
    assert.deepEqual(reported(withRequisites(reader, 'html', from, page, none))[0]!.urls, ['http://a.test/%D1%89']);
  });
});

describe('a page’s links', () => {
  const found = { groups: [], pending: [7], count: 1, leftOut: new Map() } as unknown as Parameters<
    typeof withRequisites
  >[4];
  const markup = '<link rel=stylesheet href=s.css><img src=/i.png><a href=/next>n</a>';
  const read = (requisites: PageReader['requisites'], type: 'html' | 'text' = 'html') => {
    const reader = { links: links(), requisites } as unknown as PageReader;
    return withRequisites(reader, type, from, answer(markup), found);
  };

  it('a page’s links include its requisites at the page’s own depth', () => {
    const both = read(() => true);
    assert.deepEqual(reported(both), [
      { depth: 3, hop: 0, front: true, urls: ['http://a.test/dir/s.css', 'http://a.test/i.png'] },
    ]);
    assert.equal(both.pending[0], 7);
    assert.ok(both.pending.length > 1, 'what was sent is remembered');
  });

  it('a page’s links are all there is if requisites are not wanted or the page is not markup', () => {
    assert.equal(
      read(() => false),
      found,
    );
    assert.equal(read(undefined), found);
    assert.equal(
      read(() => true, 'text'),
      found,
    );
  });
});
