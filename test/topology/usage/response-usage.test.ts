import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePage } from '../../../topology/parse/page.ts';
import { headerUsage, metaUsage, UsageMetas } from '../../../topology/usage/response-usage.ts';
import { usageLimits } from '../../../topology/usage/usage-limits.ts';

const shown = (statements: readonly { readonly use: string; readonly preference: string; readonly source: string }[]) =>
  statements.map(({ use, preference, source }) => `${use} ${preference} by ${source}`);

test('usage headers are found among all others', () => {
  const headers = [
    ...['content-type', 'text/html', 'content-usage', 'train-ai=n', 'x-robots-tag', 'otherbot: noai'],
    ...[
      'x-robots-tag',
      'noarchive',
      'tdm-reservation',
      '1',
      'tdm-policy',
      'https://a.test/p',
      'content-usage',
      'search=y',
    ],
  ];
  assert.deepEqual(shown(headerUsage(headers, 'examplebot')), [
    'archive deny by header x-robots-tag',
    'ai-input deny by header tdm-reservation',
    'ai-train deny by header tdm-reservation',
    'licence terms by header tdm-policy',
    'ai-train deny by header content-usage',
    'search allow by header content-usage',
  ]);
  assert.deepEqual(headerUsage(['content-type', 'noai', 'location', 'https://a.test/licence'], 'examplebot'), []);
  assert.deepEqual(shown(headerUsage(['content-type', 'x', 'x-robots-tag', 'noindex'], 'examplebot')), [
    'search deny by header x-robots-tag',
  ]);
});

function metasOf(html: string) {
  const page = parsePage(html, {
    ...{ url: 'http://a.test/', contentType: 'text/html', robotsTags: [], productToken: 'ExampleBot', linksMax: 9 },
    ...{ textCharsMax: 99, byteBudget: 9_999, expired: () => false },
  });
  return page.usageMetas;
}

test('usage meta elements are kept by the page, and no others', () => {
  const html = `<meta name=description content="noai"><meta name=ROBOTS content="noarchive"><meta name=examplebot content=NOAI>
    <meta name=otherbot content=noindex><meta name=robots content="index,follow"><meta http-equiv=Content-Usage content="search=n">
    <meta name="tdm-reservation" content=1>`;
  assert.deepEqual(shown(metaUsage(metasOf(html) ?? [])), [
    'archive deny by meta robots',
    'ai-input deny by meta examplebot',
    'ai-train deny by meta examplebot',
    'search deny by meta content-usage',
    'ai-input deny by meta tdm-reservation',
    'ai-train deny by meta tdm-reservation',
  ]);
  assert.equal(metasOf('<meta name=robots content=nofollow>'), undefined);
  assert.deepEqual(shown(metaUsage(metasOf('<meta http-equiv=X-Robots-Tag content=noindex>') ?? [])), [
    'search deny by meta x-robots-tag',
  ]);
  assert.deepEqual(shown(metaUsage(metasOf('<meta name=Content-Signal content="search=yes">') ?? [])), [
    'search allow by meta content-signal',
  ]);
});

function kept(...contents: readonly string[]): string[] {
  const metas = new UsageMetas();
  for (let n = 0; n < usageLimits.metasMax; n++) metas.add({ name: 'robots', content: 'noarchive' });
  for (const content of contents) metas.add({ name: 'robots', content });
  return metas.all.slice(usageLimits.metasMax).map(({ content }) => content);
}

test('beyond the bound on meta elements, only those are kept that bar what none before them bars', () => {
  assert.deepEqual(kept('noai', 'noarchive', 'noai', 'noindex', 'noindex'), ['noai', 'noindex']);
  assert.deepEqual(kept('index', 'all'), []);
});

test('beyond the bound, a bar from now on replaces one from a later date, and not vice versa', () => {
  const later = 'unavailable_after: 25 Jun 2040 15:00:00 GMT';
  assert.deepEqual(kept(later, 'noindex', later), [later, 'noindex']);
  assert.deepEqual(kept('noindex', later), ['noindex']);
});

test('below the bound, permissions and repetitions are kept as well', () => {
  const metas = new UsageMetas();
  for (const content of ['search=y', 'search=n', 'search=n']) metas.add({ name: 'content-usage', content });
  assert.deepEqual(
    metas.all.map(({ content }) => content),
    ['search=y', 'search=n', 'search=n'],
  );
});

test('a permission is no bar: beyond the bound, a later bar of that use is kept', () => {
  const metas = new UsageMetas();
  for (let n = 0; n < usageLimits.metasMax; n++) metas.add({ name: 'content-usage', content: 'search=y' });
  metas.add({ name: 'robots', content: 'noindex' });
  assert.equal(metas.all.at(-1)!.content, 'noindex');
});

test('the earliest bar of a use below the bound counts beyond it', () => {
  const [now, later] = ['noindex', 'unavailable_after: 25 Jun 2040 15:00:00 GMT'];
  for (const first of [
    [now, later],
    [later, now],
  ]) {
    const metas = new UsageMetas();
    for (const content of first) metas.add({ name: 'robots', content });
    while (metas.all.length < usageLimits.metasMax) metas.add({ name: 'robots', content: 'noai' });
    metas.add({ name: 'robots', content: now });
    assert.equal(metas.all.length, usageLimits.metasMax, first.join());
  }
});
