/** Encodings other than UTF-8: characters of pages, and queries of their links, as the Encoding and URL standards have them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodePage, decodeXml } from '../../../topology/parse/charset.ts';
import { linkSpelling } from '../../../topology/parse/legacy-encodings.ts';
import { parsePage } from '../../../topology/parse/page.ts';
import { htmlRequisites } from '../../../topology/parse/requisites.ts';

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));

describe('a page in a legacy encoding', () => {
  for (const [label, hex, text] of [
    ['euc-kr', '8c63b9e6b0a2c7cf', '똠방각하'],
    ['ks_c_5601-1987', '8c63', '똠'],
    ['big5', 'ca5c925d9df6c3e4', '佢哋喺邊'],
    ['big5-hkscs', '8862', 'Ê̄'],
    ['gbk', 'a2e380', '€€'],
    ['gb18030', 'bcdbb8f1a2e3', '价格€'],
    ['gb18030', '81308130fe59', '\u0080龴'],
    ['koi8-u', 'aebe', 'ўЎ'],
    ['windows-874', '81a1', '\u0081ก'],
    ['tis-620', 'a1a2', 'กข'],
    ['windows-1253', 'aa', '\ufffd'],
    ['windows-1255', 'ca', '\u05ba'],
    ['iso-8859-16', '42aaba20bdefde', 'BȘș œïȚ'],
    ['x-user-defined', '4180ff', 'A\uf780\uf7ff'],
    ['shift_jis', '93fa967bfb', '日本\ufffd'],
    ['euc-jp', 'c6fccbdc8f', '日本\ufffd'],
    ['iso-2022-jp', '1b2442467c1b284241', '日A'],
    ['euc-kr', 'b041ff41', '캚\ufffdA'],
    ['windows-1251', 'efeee8f1ea', 'поиск'],
    ['macintosh', '8a', 'ä'],
  ] as const)
    it(`a page in a legacy encoding has the characters of the standard: ${label} ${hex}`, () => {
      const decoded = decodePage(bytes(hex), `text/html;charset=${label}`);
      assert.equal(decoded.text, text);
      assert.equal(decodeXml(bytes(hex), `text/xml;charset=${label}`), text);
    });

  it('a page in a legacy encoding is read by its declaration, with x-user-defined as windows-1252', () => {
    const page = Buffer.concat([Buffer.from('<meta charset=euc-kr>'), bytes('8c63')]);
    assert.equal(decodePage(page, null).text, '<meta charset=euc-kr>똠');
    const user = Buffer.concat([Buffer.from('<meta charset=x-user-defined>'), bytes('80')]);
    assert.match(decodePage(user, null).text, /€$/);
    const late = Buffer.concat([Buffer.from(`${' '.repeat(2_000)}<meta charset=x-user-defined>`), bytes('80')]);
    assert.equal(linksOf(late, null).charset, 'windows-1252');
  });
});

function linksOf(body: Uint8Array, label: string | null) {
  return parsePage(body, {
    url: 'http://a.test/d/p',
    contentType: label === null ? null : `text/html; charset=${label}`,
    robotsTags: [],
    productToken: 'x',
    linksMax: 100,
    textCharsMax: 1_000,
    byteBudget: 1_000_000,
    expired: () => false,
  });
}

describe('the query of a link', () => {
  const windows1251 = (html: string) => linksOf(Buffer.from(html, 'latin1'), 'windows-1251');

  it('the query of a link is sent in the encoding of its page, its path in UTF-8', () => {
    const { links } = windows1251('<a href="/\xef?q=\xef&amp;r=&#1087;">');
    assert.deepEqual(links, ['http://a.test/%D0%BF?q=%EF&r=%EF']);
  });

  it('the query of a link has a reference for a missing letter, and keeps escapes', () => {
    const { links } = windows1251('<a href="?a=&#26085;"><a href="?b=%D0%BF\xef%"><a href="?c=&#128512;">');
    assert.deepEqual(
      links.map((link) => new URL(link).search),
      ['?a=%26%2326085%3B', '?b=%D0%BF%EF%', '?c=%26%23128512%3B'],
    );
  });

  it('the query of a link is spelt so in every kind of link', () => {
    const q = '?q=\xef';
    const page = windows1251(
      `<link rel=next href="1${q}"><link rel=canonical href="2${q}"><area href="3${q}"><iframe src="4${q}"></iframe>` +
        `<meta http-equiv=refresh content="0;url=5${q}"><a rel=nofollow href="6${q}">`,
    );
    const all = [...page.links, page.canonical, page.metaRefresh!.url, ...page.nofollowed];
    assert.equal(all.length, 7);
    for (const link of all) assert.equal(new URL(link).search, '?q=%EF', link);
    const requisites = htmlRequisites('<img src="/p?q=п">', 'http://a.test/', linkSpelling('windows-1251'));
    assert.deepEqual(requisites, ['http://a.test/p?q=%EF']);
  });

  it('the query of a link is in UTF-8 on a page in UTF-8 or UTF-16', () => {
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be']) assert.equal(linkSpelling(encoding)('/?q=п'), '/?q=п');
    const utf16 = Buffer.from('\ufeff<a href="?q=п">', 'utf16le');
    assert.deepEqual(linksOf(utf16, 'utf-16').links, ['http://a.test/d/p?q=%D0%BF']);
  });

  it('the query of a link ends at a fragment, and has no line ends or blanks around it', () => {
    const spell = linkSpelling('windows-1251');
    assert.equal(spell('/?q=п#п?п'), '/?q=%EF#п?п');
    assert.equal(spell('/#?п'), '/#?п');
    assert.equal(spell('/п'), '/п');
    assert.equal(spell('/?q=п\nп \t'), '/?q=%EF%EF');
    assert.equal(spell('/?q=п \'"<>п'), '/?q=%EF%20%27%22%3C%3E%EF');
    assert.equal(spell('/?q=\ud800п'), '/?q=%26%2365533%3B%EF');
  });

  it('the query of a link is spelt in the multi-byte encodings, too', () => {
    for (const [encoding, written] of [
      ['euc-kr', '%C7%D1'],
      ['big5', '%26%2354620%3B'],
      ['gb18030', '%836%843'],
      ['shift_jis', '%26%2354620%3B'],
      ['iso-8859-16', '%26%2354620%3B'],
    ] as const)
      assert.equal(linkSpelling(encoding)('?q=한'), `?q=${written}`, encoding);
  });
});
