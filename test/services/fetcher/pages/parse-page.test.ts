/** One page, parsed as far as it is asked for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PageWishes } from '../../../../services/fetcher/pages/extract-rules.ts';
import { parseWholePage } from '../../../../services/fetcher/pages/parse-page.ts';

const none = { mainText: false, markdown: false, language: false, metadata: false, tidyMarkup: false };
const noMedia = { images: false, scripts: false, data: false };
const images: PageWishes = { wanted: { ...none, mediaLinks: { ...noMedia, images: true } }, fields: [] };
const title: PageWishes = {
  wanted: { ...none, mediaLinks: noMedia, tidyMarkup: true },
  fields: [{ name: 'title', selector: 'h1', attribute: '', type: 'string', all: false }],
};

function parsed(html: string, wishes: PageWishes | undefined, own: { linksMax?: number; byteBudget?: number } = {}) {
  return parseWholePage(
    Buffer.from(html),
    {
      ...{ url: 'https://a.test/d/', contentType: 'text/html', robotsTags: [], productToken: 'examplebot' },
      ...{ linksMax: 9, textCharsMax: 999, byteBudget: 9_999, expired: () => false, ...own },
    },
    wishes,
  );
}

describe('a page with extract options', () => {
  it('a page with extract options has the links of its images after its own, each once', () => {
    const html = '<a href=/1>x</a><img src=/1><img src=i.png><img src=i.png><img src="data:,x"><img src=j.png>';
    const { parsed: page } = parsed(html, images);
    assert.deepEqual(page.links, ['https://a.test/1', 'https://a.test/d/i.png', 'https://a.test/d/j.png']);
    assert.equal(page.linksDropped, 0);
    assert.deepEqual(parsed(html, undefined).parsed.links, ['https://a.test/1']);
  });

  it('a page with extract options keeps the link limit and counts the rest', () => {
    const html = '<a href=/1>x</a><img src=i.png><img src=j.png><img src=k.png>';
    const { parsed: page } = parsed(html, images, { linksMax: 2 });
    assert.deepEqual([page.links.length, page.linksDropped], [2, 2]);
    const links = parsed('<a href=/1>x</a><a href=/2>x</a><a href=/3>x</a><img src=i.png>', images, { linksMax: 2 });
    assert.deepEqual([links.parsed.links.length, links.parsed.linksDropped], [2, 2]);
  });

  it('a page with extract options has no links if it is nofollow', () => {
    const { parsed: page } = parsed('<meta name=robots content=nofollow><img src=i.png>', images);
    assert.deepEqual([page.links, page.linksDropped], [[], 0]);
  });

  it('a page with extract options has its fields, parsed up to the same byte as its links', () => {
    const html = '<h1>Title</h1><p>text';
    assert.deepEqual(
      parsed(html, title).rich!.fields.map(({ values }) => values),
      [['Title']],
    );
    assert.deepEqual(parsed(html, title, { byteBudget: html.length }).rich!.fields[0]!.values, ['Title']);
    assert.deepEqual(parsed(html, title, { byteBudget: 3 }).rich!.fields, []);
    assert.deepEqual(parsed(html, images).rich!.fields, [], 'none are wanted');
    assert.equal(parsed(html, undefined).rich, null);
  });
});
