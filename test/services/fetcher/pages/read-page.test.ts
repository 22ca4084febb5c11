/** From an answer to what is reported of its URL. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { blankTask, blankTaskUrl } from '../../../../schemas/blank.ts';
import type { LinkGroup, TaskUrl } from '../../../../schemas/types.ts';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import { HookFailed, type Hooks } from '../../../../services/fetcher/hooks/run-hooks.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { createExtractor } from '../../../../services/fetcher/pages/extract.ts';
import type { PageReader } from '../../../../services/fetcher/pages/page-reader.ts';
import { parseWholePage } from '../../../../services/fetcher/pages/parse-page.ts';
import { readPage } from '../../../../services/fetcher/pages/report.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';
import { isFeedSignature, pollSecondsOf } from '../../../../topology/content/feed-signature.ts';
import { pageSignature, sameHead, sameText } from '../../../../topology/content/text-signature.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
  readonly failure?: { readonly kind: string; readonly detail: string };
  readonly item?: Partial<TaskUrl>;
  readonly reader?: Partial<PageReader>;
  readonly signatures?: boolean;
  readonly truncated?: boolean;
}

const html = ['content-type', 'text/html; charset=utf-8'];

async function read({
  status = 200,
  headers = html,
  body = '',
  failure,
  item,
  reader,
  signatures = false,
  ...own
}: Answer) {
  const bytes = Buffer.from(body);
  const response = {
    ...{ status, headers, body: bytes, rawBody: bytes, truncated: false, address: '', connectMs: 0, firstByteMs: 0 },
    ...{ startMs: 10, endMs: 20, failure: failure ?? null, ...own },
  } as unknown as HttpResponse;
  const all = {
    ...{ extractor: createExtractor({ cores: 1 }), productToken: 'examplebot', linksMax: 10 },
    ...{ outlinks: false, documents: [] },
    links: { normalize: compileNormalizer(), cache: createLinkCache(64) },
    ...reader,
  } as unknown as PageReader;
  const one = { ...blankTaskUrl, url: 'http://a.test/d/x', depth: 2, hop: 1, cash: 12, tags: ['t'], ...item };
  const task = { ...blankTask, hostKey: 'a.test', signatures, urls: [blankTaskUrl, one] };
  const origin = { sourceKey: 'a.test', source: { keyHi: 1, keyLo: 2 } };
  return readPage(all, task, 1, response, origin, 'trace', []);
}

const pageOptions = {
  ...{ url: 'http://a.test/d/x', contentType: 'text/html', robotsTags: [], productToken: 'examplebot' },
  ...{ linksMax: 10, textCharsMax: 1_000, byteBudget: 10_000, expired: () => false },
};

const reported = (groups: readonly LinkGroup[]) =>
  groups.map(({ depth, hop, front, share, foundIn, links }) => ({
    ...{ depth, hop, front, share, foundIn },
    urls: links.map(({ url }) => url),
  }));
const urlsOf = (groups: readonly LinkGroup[]) => reported(groups).flatMap(({ urls }) => urls);

describe('a response without a page', () => {
  it('a response without a page has the outcome of its status, with the host’s waits and freshness', async () => {
    const headers = [
      'etag',
      '"e"',
      'last-modified',
      'Mon',
      'retry-after',
      '7',
      'cache-control',
      'max-age=60',
      'age',
      '20',
    ];
    const { outcome, page, groups, pending, readMs } = await read({ status: 503, headers, body: 'busy' });
    const { index, url, kind, status, bytes, etag, lastModified, retryAfterMs, freshForMs } = outcome;
    assert.deepEqual(
      { index, url, kind, status, bytes, etag, lastModified, retryAfterMs, freshForMs },
      {
        ...{ index: 1, url: 'http://a.test/d/x', kind: 'throttled', status: 503, bytes: 4, etag: '' },
        ...{ lastModified: '', retryAfterMs: 7_000, freshForMs: 40_000 },
      },
    );
    assert.deepEqual([page, groups, pending, readMs], [null, [], [], 0]);
    assert.equal((await read({ status: 404, headers: [] })).outcome.freshForMs, 0);
  });

  it('a response without a page keeps no validator that servers would refuse', async () => {
    const etagOf = async (chars: number) =>
      (await read({ body: '<p>', headers: ['content-type', 'text/html', 'etag', 'x'.repeat(chars)] })).outcome.etag;
    assert.equal((await etagOf(1_000)).length, 1_000);
    assert.equal(await etagOf(1_001), '');
  });

  it('a partial or failed response has no validator, since a 304 would turn it into a whole page', async () => {
    const tag = ['etag', '"e"', 'last-modified', 'Mon'];
    for (const answer of [
      { status: 404, headers: tag },
      { status: 403, headers: tag },
      { status: 206, headers: ['content-type', 'text/html', ...tag] },
      { status: 301, headers: ['location', '/x', ...tag] },
      { headers: ['content-type', 'image/png', ...tag] },
      { headers: ['content-type', 'text/html', ...tag], body: '<p>', truncated: true },
    ]) {
      const { etag, lastModified } = (await read(answer as never)).outcome;
      assert.deepEqual([etag, lastModified], ['', ''], JSON.stringify(answer));
    }
    const whole = await read({ headers: ['content-type', 'text/html', ...tag], body: '<p>' });
    assert.deepEqual([whole.outcome.etag, whole.outcome.lastModified], ['"e"', 'Mon']);
  });

  it('a response without a page fails as its request did, whatever its status', async () => {
    const failure = { kind: 'timeout', detail: 'too slow' };
    const broken = await read({ status: 200, failure, headers: ['retry-after', '9'] });
    assert.deepEqual([broken.outcome.kind, broken.outcome.detail, broken.outcome.status], ['timeout', 'too slow', 200]);
    const none = await read({ status: 0, failure, headers: ['retry-after', '9'] });
    assert.deepEqual([none.outcome.kind, none.outcome.retryAfterMs], ['timeout', 0]);
  });

  it('a request that never reached the host costs no attempt', async () => {
    for (const kind of ['aborted', 'proxyFailed'])
      assert.equal((await read({ status: 0, failure: { kind, detail: '' } })).outcome.kind, 'returned');
    const cut = { kind: 'connectionFailed', detail: 'cut' };
    assert.equal((await read({ status: 304, failure: cut, headers: [] })).outcome.kind, 'connectionFailed');
    assert.deepEqual(
      (await read({ status: 402, failure: cut, headers: ['crawler-price', 'USD 0.01'] })).outcome.price,
      '',
    );
  });

  it('a 304 counts as not modified if a validator was sent, and is a bad response otherwise', async () => {
    const headers = ['x-robots-tag', 'noindex'];
    for (const item of [{ etag: '"e"' }, { lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT' }]) {
      const { outcome, usage } = await read({ status: 304, headers, item });
      assert.deepEqual([outcome.kind, outcome.noindex], ['notModified', true]);
      assert.deepEqual(
        usage!.map(({ use, preference }) => `${use} ${preference}`),
        ['search deny'],
      );
    }
    assert.equal((await read({ status: 304, headers })).outcome.kind, 'badResponse');
  });

  it('a redirect leads to its target, at its depth, one hop on, in the first front queue, with all cash', async () => {
    const { outcome, groups, page, readMs } = await read({ status: 302, headers: ['location', '../y'] });
    assert.deepEqual([outcome.kind, outcome.redirectUrl, page, readMs], ['redirect', 'http://a.test/y', null, 0]);
    assert.deepEqual(reported(groups), [
      { depth: 2, hop: 2, front: true, share: 12, foundIn: groups[0]!.foundIn, urls: ['http://a.test/y'] },
    ]);
    assert.equal((await read({ status: 302, headers: [] })).outcome.kind, 'clientError', 'it leads nowhere');
  });

  it('a response with a price is for sale', async () => {
    const { outcome } = await read({ status: 402, headers: ['crawler-price', 'USD 0.01'] });
    assert.deepEqual([outcome.kind, outcome.price !== ''], ['paymentRequired', true]);
    assert.equal((await read({ status: 403, headers: ['crawler-price', 'USD 0.01'] })).outcome.price, '');
  });

  it('a response of an unsupported type is refused, and the type is named', async () => {
    for (const [type, name] of [
      ['application/zip', 'application/zip'],
      ['application/pdf', 'application/pdf'],
      ['application/epub+zip', 'application/epub+zip'],
    ] as const) {
      const { outcome } = await read({ headers: ['content-type', type], body: 'x' });
      assert.deepEqual([outcome.kind, outcome.detail, outcome.status], ['refused', `type ${name} is not read`, 200]);
    }
    const unnamed = await read({ headers: [], body: 'x\0y' });
    assert.deepEqual([unnamed.outcome.kind, unnamed.outcome.detail], ['refused', 'type unknown is not read']);
  });
});

describe('a page', () => {
  const body = `<title>T</title><meta name=description content=D>
    <a href=1>one</a><a href=/2>two</a><a href=http://b.test/>three</a><p>Text`;

  it('a page has its parsed content and its response headers', async () => {
    const headers = [...html, 'etag', '"e"', 'last-modified', 'Mon'];
    const whole = `<link rel=canonical href=/c>${body}`;
    const { page, outcome } = await read({ body: whole, headers });
    const { url, hostKey, status, fetchedAtMs, depth, contentType, charset, title, description, canonical } = page!;
    assert.deepEqual(
      { url, hostKey, status, fetchedAtMs, depth, contentType, charset, title, description, canonical },
      {
        ...{ url: 'http://a.test/d/x', hostKey: 'a.test', status: 200, fetchedAtMs: 20, depth: 2 },
        ...{ contentType: 'text/html', charset: 'utf-8', title: 'T', description: 'D', canonical: 'http://a.test/c' },
      },
    );
    const contentHash = createHash('sha256').update(whole).digest('hex');
    assert.deepEqual(
      [page!.contentHash, page!.etag, page!.lastModified, page!.bytes, page!.links, page!.tags],
      [contentHash, '"e"', 'Mon', Buffer.byteLength(whole), 4, ['t']],
    );
    assert.deepEqual([outcome.contentHash, outcome.links, outcome.soft404], [contentHash, 4, false]);
    assert.match(page!.text, /Text$/);
  });

  it('a page gives its links one level deeper, each with a share of the cash', async () => {
    const { groups } = await read({ body });
    assert.deepEqual(
      reported(groups).map(({ depth, hop, front, share }) => [depth, hop, front, share]),
      [
        [3, 0, false, 4],
        [3, 0, false, 4],
      ],
    );
    assert.deepEqual(urlsOf(groups).sort(), ['http://a.test/2', 'http://a.test/d/1', 'http://b.test/']);
    assert.equal((await read({ body: '<a href=/1>x</a>' })).groups[0]!.share, 12, 'one has all of it');
    const { groups: ofNormal } = await read({ body, item: { normal: 'http://a.test/normal' } });
    assert.equal(ofNormal[0]!.sourceUrl, 'http://a.test/normal');
  });

  it('a page that refreshes to another leads there like a redirect, with a share of the cash', async () => {
    const { groups, outcome } = await read({ body: `<meta http-equiv=refresh content="0; url=/next">${body}` });
    const next = reported(groups).find(({ front }) => front);
    assert.deepEqual([next?.depth, next?.hop, next?.share, next?.urls], [2, 2, 3, ['http://a.test/next']]);
    assert.equal(outcome.links, 4);
    const shy = await read({
      body: `<meta name=robots content=nofollow><meta http-equiv=refresh content="0; url=/next">`,
    });
    assert.deepEqual([shy.groups, shy.outcome.links], [[], 0]);
  });

  it('a page has its text only for human readers, and its robots directives and canonical', async () => {
    const whole = `<html lang=de><meta name=robots content="noindex, nofollow">${body}`;
    const { page, outcome } = await read({ body: whole });
    assert.deepEqual(
      [page!.noindex, page!.nofollow, page!.declaredLanguage, page!.truncated, page!.rendered, outcome.noindex],
      [true, true, 'de', false, false, true],
    );
    assert.deepEqual(page!.nofollowed, ['http://a.test/d/1', 'http://a.test/2', 'http://b.test/']);
    const json = await read({ headers: ['content-type', 'application/json'], body: '{"a": "words"}' });
    assert.equal(json.page!.text, '');
  });

  it('a page counts the links that did not fit, and says if it is a soft 404', async () => {
    const { outcome } = await read({ body: `<title>404 Not Found</title>${body}`, reader: { linksMax: 2 } });
    assert.deepEqual([outcome.links, outcome.linksDropped, outcome.soft404], [2, 1, true]);
  });

  it('a page has a signature if that is wanted', async () => {
    const words = Array.from({ length: 200 }, (_, n) => `word${n}`).join(' ');
    assert.equal((await read({ body: `<p>${words}` })).outcome.textSignature, '');
    const signed = await read({ body: `<p>${words}`, signatures: true });
    assert.notEqual(signed.outcome.textSignature, '');
    const { text, title, description, canonical } = signed.page!;
    assert.equal(signed.outcome.textSignature, pageSignature(text, [title, description, canonical]));
    const titled = await read({ body: `<title>x</title><p>${words}`, signatures: true });
    assert.ok(sameText(signed.outcome.textSignature, titled.outcome.textSignature), 'the text is the same');
    assert.equal(sameHead(signed.outcome.textSignature, titled.outcome.textSignature), false);
    const short = await read({ body: '<p>little', signatures: true });
    assert.match(short.outcome.textSignature, /^=/);
    assert.equal(sameText(short.outcome.textSignature, short.outcome.textSignature), false, 'too little to compare');
  });

  it('a page with a canonical is a redirect to it if the policy says so', async () => {
    const item = { url: 'http://a.test/x?sid=1' };
    const named = '<link rel=canonical href=/x>';
    const reader = { canonicals: () => true };
    const { outcome, page, groups } = await read({ body: named, item, reader });
    assert.deepEqual([outcome.kind, outcome.detail, page], ['redirect', 'its rel=canonical', null]);
    assert.deepEqual(urlsOf(groups), ['http://a.test/x']);
    assert.equal((await read({ body: named, item })).outcome.kind, 'fetched');
  });

  it('a plain-text page has its text, whole up to a bound, and no links', async () => {
    const { textCharsMax: most } = fetcherLimits;
    const plain = async (body: string) => (await read({ headers: ['content-type', 'text/plain'], body })).page!;
    const page = await plain('<a href=/x>caf\u00e9');
    assert.deepEqual(
      [page.text, page.title, page.links, page.contentType],
      ['<a href=/x>caf\u00e9', '', 0, 'text/plain'],
    );
    assert.equal((await plain('x'.repeat(most + 1))).text.length, most);
    assert.equal((await plain('\u{1f600}'.repeat(most / 2))).text.length, most, 'four bytes a character');
  });

  it('a page is truncated if its response or its parsing was', async () => {
    const { page, outcome } = await read({ body, truncated: true });
    assert.deepEqual([page!.truncated, outcome.truncated], [true, true]);
    const plain = await read({ headers: ['content-type', 'text/plain'], body: 'x' });
    assert.deepEqual([plain.page!.truncated, plain.page!.linksDropped], [false, 0]);
  });

  it('a page reports its parsing time on the main thread, and none if a worker parsed it', async () => {
    const beforeMs = performance.now();
    const { readMs } = await read({ body });
    assert.ok(readMs > 0 && readMs <= performance.now() - beforeMs);
    const whole = parseWholePage(Buffer.from(body), pageOptions, undefined);
    const given: string[] = [];
    const parseDocument = async ({ name }: { name: string }) => {
      given.push(name);
      return whole;
    };
    const extractor = { parseDocument } as unknown as PageReader['extractor'];
    const documents = [
      { name: 'pdf', mediaTypes: ['application/pdf'], module: '' },
      { name: 'office', mediaTypes: ['application/epub+zip'], module: '' },
    ] as const;
    for (const type of ['application/pdf', 'application/epub+zip']) {
      const one = await read({
        headers: ['content-type', type],
        body: 'x',
        reader: { extractor, documents },
      });
      assert.deepEqual([one.readMs, one.page!.title, one.page!.contentType], [0, 'T', type]);
    }
    assert.deepEqual(given, ['pdf', 'office']);
  });

  it('a page has what an extract rule wants of it', async () => {
    const wanted = { mainText: false, markdown: false, language: false, metadata: true, tidyMarkup: true };
    const rule = { name: 'title', selector: 'title', attribute: '', type: 'string', all: false } as const;
    const wishes = {
      wanted: { ...wanted, mediaLinks: { images: false, scripts: false, data: false } },
      fields: [rule],
    };
    const wishesOf = (host: string) => (host === 'a.test' ? wishes : undefined);
    const linked = `${body}<script type=application/ld+json>{"@type":"Thing","name":"N"}</script>`;
    const extractor = {
      parse: (bytes: Uint8Array, options: typeof pageOptions, all: typeof wishes) =>
        parseWholePage(bytes, { ...options, expired: () => false }, all),
    } as unknown as PageReader['extractor'];
    const { page } = await read({ body: linked, reader: { wishesOf, extractor } });
    assert.deepEqual(
      page!.fields.map(({ name, values }) => [name, values]),
      [['title', ['T']]],
    );
    assert.match(page!.metadata, /Thing/);
  });

  it('a page without a type is read as what it looks like', async () => {
    const { page } = await read({ headers: [], body });
    assert.deepEqual([page?.title, page?.links], ['T', 3]);
  });

  it('a page that the parser did not finish is marked so', async () => {
    const extractor = { parse: () => null } as unknown as PageReader['extractor'];
    const { outcome, page } = await read({ body, reader: { extractor } });
    assert.deepEqual([outcome.kind, outcome.detail, page], ['parseFailed', 'the parser was stopped', null]);
  });

  it('a page has its links in its record if they are wanted', async () => {
    const { page } = await read({ body, reader: { outlinks: true } });
    assert.deepEqual(page!.outlinks, ['http://a.test/d/1', 'http://a.test/2', 'http://b.test/']);
    assert.deepEqual((await read({ body })).page!.outlinks, []);
  });
});

describe('a plugin', () => {
  const page = '<title>T</title>';

  function hooked(own: Partial<Hooks>): Partial<PageReader> {
    const hooks = {
      parses: () => false,
      response: async (_: string, one: unknown) => one,
      page: async (page: unknown) => ({ page, droppedBy: '' }),
    };
    return { hooks: { ...hooks, ...own } as unknown as Hooks };
  }

  it('a plugin gets the response first and the page last, and its changes are reported', async () => {
    const reader = hooked({
      response: async (url, one) => ({ ...one, body: Buffer.from(`<title>of ${url}</title>`) }),
      page: async (one) => ({ page: { ...one, title: `${one.title}!` }, droppedBy: '' }),
    });
    const { page: made, response } = await read({ body: page, reader });
    assert.equal(made!.title, 'of http://a.test/d/x!');
    assert.equal(String(response!.body), '<title>of http://a.test/d/x</title>');
    const dropping = hooked({ page: async () => ({ page: null, droppedBy: 'mine' }) });
    const dropped = await read({ body: page, reader: dropping });
    assert.deepEqual(
      [dropped.page, dropped.outcome.kind, dropped.outcome.detail],
      [null, 'fetched', 'not published: plugin mine drops it'],
    );
  });

  it('a plugin gets no page for a failed response, and nothing without a response', async () => {
    const reader = hooked({
      page: async () => assert.fail('there is no page'),
      response: async (_, one) => (one.status === 0 ? assert.fail('there is no response') : one),
    });
    assert.equal((await read({ status: 404, reader })).outcome.kind, 'gone');
    const failure = { kind: 'timeout', detail: '' };
    assert.equal((await read({ status: 0, failure, reader })).outcome.kind, 'timeout');
  });

  it('a plugin that fails makes the page unreadable; a bug of ours ends the fetcher', async () => {
    const failing = (error: Error) =>
      read({ headers: ['etag', '"e"'], reader: hooked({ response: () => Promise.reject(error) }) });
    const { outcome, page: none } = await failing(new HookFailed('plugin mine: x'));
    assert.deepEqual(
      [outcome.kind, outcome.detail, outcome.status, outcome.etag],
      ['parseFailed', 'plugin mine: x', 200, ''],
    );
    assert.equal(none, null);
    await assert.rejects(failing(new TypeError('ours')), /ours/);
  });

  it('a plugin parses its types instead of us', async () => {
    const parses = (type: string) =>
      type === 'application/zip' || type === 'application/rss+xml' || type === 'text/css';
    const reader = {
      ...hooked({ parses, parse: async () => ({ title: 'by hook', links: ['/1'] }) }),
      requisites: () => true,
    };
    for (const type of ['application/zip', 'application/rss+xml', 'text/css']) {
      const { page: one, groups } = await read({ headers: ['content-type', type], body: '<rss></rss>', reader });
      assert.deepEqual([one?.title, urlsOf(groups)], ['by hook', ['http://a.test/1']], type);
    }
  });
});

describe('an answer that is part of pages', () => {
  it('a page requisite is no page if requisites are wanted, and ordinary text otherwise', async () => {
    const headers = ['content-type', 'text/css'];
    const body = 'p { background: url(/c.png) }';
    const { outcome, page, groups } = await read({ headers, body, reader: { requisites: () => true } });
    assert.deepEqual([outcome.kind, page, urlsOf(groups)], ['refused', null, ['http://a.test/c.png']]);
    assert.equal((await read({ headers, body, reader: { requisites: () => false } })).outcome.kind, 'fetched');
    assert.equal((await read({ body: '<p>x', reader: { requisites: () => true } })).outcome.kind, 'fetched');
  });
});

describe('a feed', () => {
  const rss = `<rss><channel><item><link>/1</link><pubDate>Thu, 05 Jan 2017 13:34:51 GMT</pubDate></item>
    <item><link>http://b.test/2</link><pubDate>Thu, 05 Jan 2017 13:34:51 GMT</pubDate></item></channel></rss>`;
  const type = ['content-type', 'application/rss+xml'];

  it('a feed gives its entries one level deeper, those of its own host as news, with their share of the cash', async () => {
    const { groups, page, outcome } = await read({ headers: type, body: rss });
    assert.deepEqual(
      groups.map(({ hostKey, depth, share, foundIn, intent }) => [hostKey, depth, share, foundIn, intent]),
      [
        ['a.test', 3, 6, 'feed', 'refresh'],
        ['b.test', 3, 6, 'feed', 'discover'],
      ],
    );
    assert.deepEqual([page!.text, outcome.links], ['', 2]);
    assert.equal((await read({ body: rss })).page!.text, '', 'of whatever type');
  });

  it('a sitemap index gives its sitemaps at its own depth, a sitemap its pages one deeper', async () => {
    const index = '<sitemapindex><sitemap><loc>http://a.test/s.xml</loc></sitemap></sitemapindex>';
    const map = '<urlset><url><loc>http://a.test/p</loc></url></urlset>';
    const xml = ['content-type', 'application/xml'];
    assert.deepEqual(
      reported((await read({ headers: xml, body: index })).groups).map(({ depth, share, foundIn }) => [
        depth,
        share,
        foundIn,
      ]),
      [[2, 12, 'sitemap']],
    );
    assert.deepEqual(
      reported((await read({ headers: xml, body: map })).groups).map(({ depth, foundIn }) => [depth, foundIn]),
      [[3, 'sitemap']],
    );
  });

  it('a feed is signed by its entries and says when to poll again', async () => {
    const headers = [...type, 'cache-control', 'max-age=7200'];
    const { outcome } = await read({ headers, body: rss, signatures: true });
    assert.ok(isFeedSignature(outcome.textSignature));
    assert.equal(pollSecondsOf(outcome.textSignature), 7_200);
  });

  it('a feed is read in the charset of its response', async () => {
    const body = Buffer.from('<rss><channel><item><link>/caf\u00e9</link></item></channel></rss>', 'latin1');
    const { groups } = await read({ headers: ['content-type', 'application/rss+xml; charset=latin1'], body });
    assert.deepEqual(urlsOf(groups), ['http://a.test/caf%C3%A9']);
  });

  it('a nofollow feed gives no entries, nor does an empty one', async () => {
    const shy = await read({ headers: [...type, 'x-robots-tag', 'nofollow'], body: rss });
    assert.deepEqual([shy.groups, shy.outcome.links], [[], 0]);
    assert.deepEqual((await read({ headers: type, body: '<rss><channel></channel></rss>' })).groups, []);
  });

  it('a body that only begins like a feed is none', async () => {
    const { page } = await read({ headers: ['content-type', 'text/html'], body: '<feedback><a href=/x>x</a><p>Text' });
    assert.match(page!.text, /Text/);
  });
});
