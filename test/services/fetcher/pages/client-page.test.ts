/** What clients tell of pages that they fetched in our place. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankRequest, blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { madeBy, readClientResult } from '../../../../services/fetcher/pages/client-page.ts';
import { createExtractor } from '../../../../services/fetcher/pages/extract.ts';
import type { PageReader } from '../../../../services/fetcher/pages/page-reader.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import type { Report } from '../../../../services/runtime/leases/outside.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';

const bare: Report = {
  ...{ kind: null, status: 200, failure: null, detail: '', headers: [], startMs: 10, endMs: 20, bytes: 0 },
  ...{ contentHash: '', title: '', text: '', links: 0, body: null, final: false, follow: false },
};
const item = { ...blankTaskUrl, url: 'http://a.test/x', depth: 2, tags: ['t'] };
const task = { ...blankTask, hostKey: 'a.test', urls: [{ ...blankTaskUrl, url: 'http://a.test/first' }, item] };

async function report(own: Partial<Report>) {
  const reported = { ...bare, ...own };
  const reader: PageReader = {
    ...{ extractor: createExtractor({ cores: 1 }), productToken: 'examplebot', linksMax: 10 },
    ...{ outlinks: false, documents: [] },
    links: { normalize: compileNormalizer(), cache: createLinkCache(16) },
  } as unknown as PageReader;
  const body = reported.body ?? Buffer.alloc(0);
  const response = {
    ...{ status: reported.status, headers: reported.headers, body, rawBody: body, truncated: false, address: '' },
    ...{ startMs: reported.startMs, endMs: reported.endMs, connectMs: 0, firstByteMs: 0, failure: reported.failure },
  } as unknown as HttpResponse;
  const origin = { sourceKey: 'a.test', source: { keyHi: 1, keyLo: 2 } };
  return readClientResult(reader, task, 1, reported, response, origin, undefined, []);
}

describe('a page that the client has read itself', () => {
  it('a page that the client parsed has the client’s content and is not parsed again', async () => {
    const { outcome, page, groups, pending, readMs } = await report({
      ...{ bytes: 77, contentHash: 'ab', title: 'Title', text: 'Text', links: 3, detail: 'by hand' },
      headers: ['content-type', 'Text/HTML; charset=x', 'etag', '"e"', 'x-robots-tag', 'nofollow, noindex'],
    });
    assert.deepEqual([groups, pending, readMs], [[], [], 0]);
    const { index, url, kind, status, bytes, contentHash, etag, links, noindex, detail } = outcome;
    assert.deepEqual(
      { index, url, kind, status, bytes, contentHash, etag, links, noindex, detail },
      {
        ...{ index: 1, url: item.url, kind: 'fetched', status: 200, bytes: 77, contentHash: 'ab', etag: '"e"' },
        ...{ links: 3, noindex: true, detail: 'by hand' },
      },
    );
    assert.ok(page !== null);
    assert.deepEqual(
      [page.url, page.hostKey, page.tags, page.depth, page.fetchedAtMs, page.contentType, page.title, page.text],
      [item.url, 'a.test', ['t'], 2, 20, 'text/html', 'Title', 'Text'],
    );
    assert.deepEqual([page.nofollow, page.noindex, page.bytes], [true, true, 77]);
    assert.deepEqual(
      page.usage.map(({ use, preference, source }) => `${use} ${preference} by ${source}`),
      ['search deny by header x-robots-tag'],
    );
  });

  it('a page that the client parsed keeps its text up to the limit', async () => {
    const text = `a${'b'.repeat(fetcherLimits.textCharsMax)}`;
    assert.equal((await report({ text })).page?.text, text.slice(0, -1));
  });
});

describe('an answer that is no page', () => {
  it('a client’s response without a status has the outcome that the client names', async () => {
    for (const kind of ['returned', 'robotsDenied', 'tooLarge'] as const) {
      const { outcome, page, readMs } = await report({ kind, detail: 'why', status: 0, bytes: 5 });
      assert.equal(readMs, 0);
      assert.deepEqual([outcome.kind, outcome.detail, outcome.bytes, outcome.index, page], [kind, 'why', 5, 1, null]);
    }
  });

  it('a client’s response is retried by its status, unless the client has used it', async () => {
    assert.equal((await report({ status: 500 })).outcome.kind, 'serverError');
    assert.equal((await report({ status: 500, final: true })).outcome.kind, 'clientError');
    assert.equal((await report({ status: 404, final: true })).outcome.kind, 'gone');
    const failure = { kind: 'timeout', detail: 'too slow' } as const;
    assert.equal((await report({ status: 0, failure, final: true })).outcome.kind, 'timeout', 'there was no answer');
  });

  it('a client’s failed response is no success, whatever came with it', async () => {
    for (const status of [199, 300]) {
      const { outcome, page } = await report({ status, text: 'Text' });
      assert.notEqual(outcome.kind, 'fetched', `${status}`);
      assert.equal(page, null);
    }
    assert.equal((await report({ status: 299, text: 'Text' })).page?.text, 'Text');
  });

  it('a client’s failure has the client’s message, or a default one', async () => {
    const failure = { kind: 'timeout', detail: 'too slow' } as const;
    assert.equal((await report({ status: 0, failure, detail: 'by hand' })).outcome.detail, 'by hand');
    assert.equal((await report({ status: 0, failure })).outcome.detail, 'too slow');
  });

  it('a client’s redirect leads on, whatever the client wants', async () => {
    const { groups, outcome } = await report({ status: 301, headers: ['location', '/next'] });
    assert.deepEqual(
      groups.flatMap(({ links }) => links.map(({ url }) => url)),
      ['http://a.test/next'],
    );
    assert.equal(outcome.redirectUrl, 'http://a.test/next');
  });
});

describe('a body that came along', () => {
  const html = {
    headers: ['content-type', 'text/html'],
    body: Buffer.from('<title>T</title><a href=/n>n</a><p>text'),
    links: 2,
  };

  it('a client’s body is parsed like ours, and its links are published if the client wants that', async () => {
    const { outcome, page, groups } = await report({ ...html, follow: true });
    assert.deepEqual([page?.title, outcome.links], ['T', 1 + 2]);
    assert.equal(groups.length, 1);
  });

  it('a client’s body has only the client’s links otherwise', async () => {
    const { outcome, page, groups, pending } = await report(html);
    assert.deepEqual([page?.title, outcome.links, groups, pending], ['T', 2, [], []]);
  });
});

it('a client’s request counts as made, with the bytes it reports, unless the client says otherwise', () => {
  const request = { ...blankRequest, url: item.url, bytes: 0 };
  assert.deepEqual(madeBy({ ...bare, kind: 'returned' }, request), []);
  assert.deepEqual(madeBy({ ...bare, kind: 'robotsDenied' }, request), []);
  assert.deepEqual(madeBy({ ...bare, kind: 'tooLarge', bytes: 9 }, request), [{ ...request, bytes: 9 }]);
  assert.deepEqual(madeBy({ ...bare, body: Buffer.alloc(3), bytes: 9 }, request), [request]);
});
