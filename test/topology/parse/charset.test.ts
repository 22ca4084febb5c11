import assert from 'node:assert/strict';
import { it } from 'node:test';
import { charsetParameter, decodePage, decodeXml } from '../../../topology/parse/charset.ts';
import { parsePage } from '../../../topology/parse/page.ts';

const latin = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const utf8 = (text: string) => new TextEncoder().encode(text);

it('a byte order mark outweighs the header, the header the markup', () => {
  assert.equal(decodePage(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 'text/html; charset=koi8-r').charset, 'utf-8');
  assert.equal(decodePage(Uint8Array.of(0xfe, 0xff, 0, 0x61), null).charset, 'utf-16be');
  assert.equal(decodePage(Uint8Array.of(0xff, 0xfe, 0x61, 0), null).charset, 'utf-16le');
  assert.equal(decodePage(latin('<meta charset=koi8-r>'), 'text/html; charset=big5').charset, 'big5');
});

it('markup counts in its first 1,024 bytes, in either form', () => {
  assert.equal(decodePage(latin('<META CHARSET="windows-1251">'), 'text/html').charset, 'windows-1251');
  const pragma = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">';
  assert.equal(decodePage(latin(pragma), null).charset, 'iso-8859-2');
  assert.equal(decodePage(latin(`<!--${'x'.repeat(1100)}--><meta charset=koi8-r>`), null).charset, 'windows-1252');
  assert.equal(decodePage(latin('<!-- <meta charset=koi8-r> -->'), null).charset, 'windows-1252');
});

it('a head that ends in the middle of a declaration breaks nothing', () => {
  for (const end of ['charset', 'charset=', 'charset ', 'charset="']) {
    assert.equal(decodePage(latin(`<meta http-equiv=content-type content="${end}">`), null).charset, 'windows-1252');
  }
});

it('a label that nobody knows says nothing', () => {
  assert.equal(decodePage(latin('<meta charset=koi8-r>'), 'text/html; charset=none').charset, 'koi8-r');
});

it('undeclared bytes beyond ASCII are UTF-8 where they are that, cut or not, else windows-1252', () => {
  assert.deepEqual(decodePage(utf8('ツ'), null), { text: 'ツ', charset: 'utf-8', tentative: true });
  assert.deepEqual(decodePage(utf8('ツツ').subarray(0, 5), null), { text: 'ツ', charset: 'utf-8', tentative: true });
  assert.deepEqual(decodePage(latin('\x80\xe9'), null), { text: '€é', charset: 'windows-1252', tentative: true });
  assert.equal(decodePage(utf8(''), null).text, '');
});

it('declared bytes are decoded, what is malformed replaced, the mark left out', () => {
  assert.equal(decodePage(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xe3, 0xab), null).text, 'a\ufffd');
  assert.equal(decodePage(Uint8Array.of(0xea, 0xe8), 'text/html; charset=cp1251').text, 'ки');
});

it('charset is read from a media type with all its quotes', () => {
  assert.equal(charsetParameter('text/html; Charset="ISO-8859-4"'), 'ISO-8859-4');
  assert.equal(charsetParameter('text/html; foo="bar; charset=utf-7;"; charset=utf-8'), 'utf-8');
  assert.equal(charsetParameter('text/html; charset=utf-8, text/plain; charset=utf-16'), 'utf-8');
  assert.equal(charsetParameter('text/html; xcharset=utf-8'), null);
  assert.equal(charsetParameter('text/html; charset='), null);
  assert.equal(charsetParameter(`text/html;${'a;'.repeat(100_000)}`), null);
});

it('XML is what its header or declaration says, else UTF-8', () => {
  assert.equal(
    decodeXml(latin('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>'), null).slice(-6),
    '<a>é</a>'.slice(-6),
  );
  assert.equal(decodeXml(utf8('<a>ツ</a>'), 'application/xml'), '<a>ツ</a>');
});

it('a declaration past the first kilobyte holds for the whole page', () => {
  const read = (html: string) =>
    parsePage(latin(html), {
      url: 'http://a.test/',
      contentType: null,
      robotsTags: [],
      productToken: '',
      linksMax: 10,
      textCharsMax: 5_000,
      byteBudget: 10_000,
      expired: () => false,
    });
  const late = read(`<p>\xc1</p><!--${'x'.repeat(2_000)}--><meta charset=koi8-r><meta charset=big5>`);
  assert.deepEqual([late.charset, late.text], ['koi8-r', 'а']);
  assert.equal(read(`<!--${'x'.repeat(2_000)}--><meta charset=utf-16>`).charset, 'utf-8');
  assert.equal(read(`<!--${'x'.repeat(2_000)}<meta charset=koi8-r>-->`).charset, 'windows-1252');
});

it('an XML declaration counts where no meta does, and UTF-16 needs no mark before one', () => {
  const declared = '<?xml version="1.0" encoding="koi8-r"?><html>';
  assert.equal(decodePage(latin(`${declared}\xc1`), 'application/xhtml+xml').text.at(-1), 'а');
  assert.equal(decodePage(latin(`${declared}<meta charset=windows-1251>\xe0`), null).charset, 'windows-1251');
  assert.equal(decodePage(latin('<?xml encoding="utf-16"?>a'), null).charset, 'utf-8');
  const wide = new Uint8Array(Buffer.from('<?xml version="1.0"?><a>é</a>', 'utf16le'));
  assert.equal(decodePage(wide, null).charset, 'utf-16le');
  assert.equal(decodeXml(wide, 'application/xml').slice(-5), 'é</a>');
  wide.forEach((_, i) => {
    if (i % 2 === 0) [wide[i], wide[i + 1]] = [wide[i + 1]!, wide[i]!];
  });
  assert.equal(decodeXml(wide, null).slice(-5), 'é</a>');
});

it('one last byte beyond ASCII is no cut UTF-8', () => {
  assert.deepEqual(
    [decodePage(latin('caf\xe9'), null).text, decodePage(latin('caf\xe9'), null).charset],
    ['café', 'windows-1252'],
  );
});
