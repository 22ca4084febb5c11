/** Link and Refresh header fields beside what the page itself says. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withHeaderLinks } from '../../../topology/parse/header-links.ts';
import { parsePage } from '../../../topology/parse/page.ts';

const url = 'https://a.test/dir/page';

function read(link: readonly string[], { refresh = '', html = '', linksMax = 100 } = {}) {
  const page = parsePage(html, {
    ...{ url, contentType: 'text/html', robotsTags: [], productToken: 'x', linksMax, textCharsMax: 100 },
    ...{ byteBudget: 10_000, expired: () => false },
  });
  return withHeaderLinks(page, url, { link, refresh, linksMax });
}

it('links of header fields are links of the page, in several fields, in one, and with several relations', () => {
  for (const [fields, links] of [
    [['</n1>; rel="next", </n2>; rel=prev'], ['/n1', '/n2']],
    [
      ['</n1>; rel="next"', '<n2>;rel=prev'],
      ['/n1', '/dir/n2'],
    ],
    [['</de>; rel="alternate"; hreflang="de"'], ['/de']],
    [['</n>; rel="start next"'], ['/n']],
    [['</n>; REL=NEXT'], ['/n']],
    [['</a,b;c>; title="x, \\"y\\"; z"; rel=next, </n>; rel=next'], ['/a,b;c', '/n']],
    [[`</n>; title*=UTF-8''%e2%82%ac%20rates; rel=next`], ['/n']],
    [['</n> ; rel = "next"'], ['/n']],
    [['</n>; rel=next; rel=stylesheet'], ['/n']],
    [['</s.css>; rel=stylesheet, </p>; rel=preload, </o>; rel=alternate; type="application/json+oembed"'], []],
    [['</n>; rel="nofollow next"'], []],
    [['</n>; rel=next; anchor="https://b.test/"'], []],
    [['</n>; rel=next; anchor=""'], ['/n']],
    [['<ftp://a.test/>; rel=next, <data:,x>; rel=next'], []],
    [['n; rel=next'], []],
    [['</n'], []],
    [[''], []],
  ] as const) {
    const found = read(fields).links.map((link) => link.slice('https://a.test'.length));
    assert.deepEqual(found, links, fields.join(' | '));
  }
});

it('the canonical of a header field counts if the page names none', () => {
  assert.equal(read(['</c>; rel="canonical"']).canonical, 'https://a.test/c');
  assert.equal(read(['</n>; rel=next', '</c>; rel=canonical']).canonical, 'https://a.test/c');
  assert.equal(
    read(['</c>; rel=canonical'], { html: '<link rel=canonical href=/own>' }).canonical,
    'https://a.test/own',
  );
});

it('the Refresh field is read like a meta refresh, and comes first', () => {
  for (const [refresh, to] of [
    ['0; url=/r', '/r'],
    ['0;URL="/r"', '/r'],
    ['5, /r', '/r'],
    ["1 url='r'", '/dir/r'],
  ] as const)
    assert.equal(read([], { refresh }).metaRefresh?.url, `https://a.test${to}`, refresh);
  const html = '<meta http-equiv=refresh content="0; url=/meta">';
  assert.equal(read([], { refresh: '0; url=/field', html }).metaRefresh?.url, 'https://a.test/field');
  assert.equal(read([], { refresh: 'soon', html }).metaRefresh?.url, 'https://a.test/meta');
});

it('a nofollow page gives no links of its header fields, and excess ones are counted', () => {
  assert.deepEqual(read(['</n>; rel=next'], { html: '<meta name=robots content=nofollow>' }).links, []);
  const { links, linksDropped } = read(['</1>; rel=next, </2>; rel=next'], { html: '<a href=/0>', linksMax: 2 });
  assert.deepEqual([links.length, linksDropped], [2, 1]);
});
