import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePage } from '../../../topology/parse/page.ts';
import { headerUsage, metaUsage, UsageMetas } from '../../../topology/usage/response-usage.ts';
import { usageLimits } from '../../../topology/usage/usage-limits.ts';

const shown = (statements: readonly { readonly use: string; readonly preference: string; readonly source: string }[]) =>
  statements.map(({ use, preference, source }) => `${use} ${preference} by ${source}`);

test('headers that speak of use are found among all, whatever else is there', () => {
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
  assert.deepEqual(headerUsage(['content-type', 'noai'], 'examplebot'), []);
});

function metasOf(html: string) {
  const page = parsePage(html, {
    ...{ url: 'http://a.test/', contentType: 'text/html', robotsTags: [], productToken: 'ExampleBot', linksMax: 9 },
    ...{ textCharsMax: 99, byteBudget: 9_999, expired: () => false },
  });
  return page.usageMetas;
}

test('meta elements that speak of use are kept by the page, and only those', () => {
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

test('beyond the bound, a bar of now outdoes one from a date on, and not the other way round', () => {
  const later = 'unavailable_after: 25 Jun 2040 15:00:00 GMT';
  assert.deepEqual(kept(later, 'noindex', later), [later, 'noindex']);
  assert.deepEqual(kept('noindex', later), ['noindex']);
});
