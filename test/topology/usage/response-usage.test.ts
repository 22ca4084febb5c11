import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePage } from '../../../topology/parse/page.ts';
import { headerUsage, metaUsage } from '../../../topology/usage/response-usage.ts';

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
