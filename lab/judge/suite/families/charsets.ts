/** Charsets: a link with a URL that is right only if the page was decoded as the Encoding standard says. */
import { type Check, check, type Level, type Reply } from '../check/check.ts';

const encoding = 'https://encoding.spec.whatwg.org/#names-and-labels';
const sniffing = 'https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding';
const prescan = 'https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding';

/** Encoding, bytes of a word in it, the word. */
const words: readonly (readonly [label: string, bytes: string, word: string])[] = [
  ['ibm866', '8fe0a8a2a5e2', 'Привет'],
  ['iso-8859-2', 'be6c75bb6f75e86bfd', 'žluťoučký'],
  ['iso-8859-3', 'e6f8b6', 'ĉĝĥ'],
  ['iso-8859-4', 'b1e8eaece7', 'ąčęėį'],
  ['iso-8859-5', 'bfe0d8d2d5e2', 'Привет'],
  ['iso-8859-6', 'd3e4c7e5', 'سلام'],
  ['iso-8859-7', 'e3e5e9dc', 'γειά'],
  ['iso-8859-8', 'f9ece5ed', 'שלום'],
  ['iso-8859-8-i', 'f9ece5ed', 'שלום'],
  ['iso-8859-10', 'b9babbbcbf', 'đšŧžŋ'],
  ['iso-8859-13', 'e0e8e6f0fe', 'ąčęšž'],
  ['iso-8859-14', 'f0febaab', 'ŵŷẃḋ'],
  ['iso-8859-15', 'a4bdb8', '€œž'],
  ['iso-8859-16', 'bafee3', 'șță'],
  ['koi8-r', 'f0d2c9d7c5d4', 'Привет'],
  ['koi8-u', 'a7d6c1cb', 'їжак'],
  ['macintosh', '8e8cbd', 'éåΩ'],
  ['windows-874', 'cac7d1cab4d5', 'สวัสดี'],
  ['windows-1250', '9e6c759d6f75e86bfd', 'žluťoučký'],
  ['windows-1251', 'cff0e8e2e5f2', 'Привет'],
  ['windows-1252', '9c756680', 'œuf€'],
  ['windows-1253', 'e3e5e9dc', 'γειά'],
  ['windows-1254', 'f0fdfee7', 'ğışç'],
  ['windows-1255', 'f9ece5ed', 'שלום'],
  ['windows-1256', 'd3e1c7e3', 'سلام'],
  ['windows-1257', 'e0e8e6f0fe', 'ąčęšž'],
  ['windows-1258', 'f0f5fde3', 'đơưă'],
  ['x-mac-cyrillic', '8ff0e8e2e5f2', 'Привет'],
  ['gbk', 'd6d0cec4', '中文'],
  ['gb18030', 'd6d0cec495328236', '中文𠀀'],
  ['big5', 'a4a4a4e5', '中文'],
  ['euc-jp', 'c6fccbdc', '日本'],
  ['iso-2022-jp', '1b2442467c4b5c1b2842', '日本'],
  ['shift_jis', '93fa967b', '日本'],
  ['euc-kr', 'c7d1b1b9', '한국'],
];

const wordOf = Object.fromEntries(
  words.map(([label, bytes, word]) => [label, { bytes: Buffer.from(bytes, 'hex'), word }]),
);

/** Path of a word: UTF-8 whatever the charset of the page (URL standard, path state). */
const pathOf = (word: string) => `/${encodeURIComponent(word)}`;

/** A page with a link of these bytes. */
function pageOf(bytes: Buffer, head = '', type = 'text/html'): Reply {
  const before = Buffer.from(`<!doctype html><html><head>${head}<title>t</title></head><body><a href="/`);
  return { type, body: Buffer.concat([before, bytes, Buffer.from('">x</a></body></html>')]) };
}

/** As a page that declares an encoding in its header: the right link, and the links of two usual mistakes. */
function labelled(label: string, named: string, id: string, title: string, level: Level = 'MUST'): Check {
  const { bytes, word } = wordOf[label]!;
  const wrong = [bytes.toString('latin1'), bytes.toString('utf8')].filter((text) => text !== word);
  return check(`charsets/${id}`, level, encoding, title, {
    pages: { '/': pageOf(bytes, '', `text/html; charset=${named}`) },
    want: [pathOf(word)],
    never: [...new Set(wrong.map(pathOf))].filter((path) => path !== '/'),
  });
}

const aliases: readonly (readonly [label: string, alias: string, why: string])[] = [
  ['windows-1252', 'iso-8859-1', 'iso-8859-1 is read as windows-1252'],
  ['windows-1252', 'us-ascii', 'us-ascii is read as windows-1252'],
  ['windows-1252', 'latin1', 'latin1 is a label of windows-1252'],
  ['windows-1254', 'iso-8859-9', 'iso-8859-9 is read as windows-1254'],
  ['windows-874', 'tis-620', 'tis-620 is read as windows-874'],
  ['gbk', 'gb2312', 'gb2312 is read as GBK'],
  ['euc-kr', 'ks_c_5601-1987', 'ks_c_5601-1987 is a label of EUC-KR'],
  ['shift_jis', 'x-sjis', 'x-sjis is a label of Shift_JIS'],
  ['windows-1251', 'cp1251', 'cp1251 is a label of windows-1251'],
  ['big5', 'big5-hkscs', 'big5-hkscs is a label of Big5'],
];

const utf8 = Buffer.from('größe');
const russian = wordOf['windows-1251']!;
const bom = Buffer.from('\uFEFF');

function utf16(word: string, order: 'le' | 'be', isMarked: boolean): Buffer {
  const text = `${isMarked ? '\uFEFF' : ''}<!doctype html><title>t</title><a href="/${word}">x</a>`;
  const bytes = Buffer.from(text, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

function declared(
  name: string,
  title: string,
  source: string,
  reply: Reply,
  word: string,
  never: readonly string[] = [],
  level: Level = 'MUST',
): Check {
  return check(`charsets/${name}`, level, source, title, { pages: { '/': reply }, want: [pathOf(word)], never });
}

const marked = (page: Reply): Reply => ({ ...page, body: Buffer.concat([bom, page.body as Buffer]) });

const declarations: readonly Check[] = [
  declared('utf-8', 'a page in UTF-8 is decoded', encoding, pageOf(utf8, '', 'text/html; charset=utf-8'), 'größe'),
  declared(
    'meta-charset',
    'a meta element declares the charset',
    prescan,
    pageOf(russian.bytes, '<meta charset="windows-1251">'),
    russian.word,
  ),
  declared(
    'meta-charset-unquoted',
    'a meta element declares the charset without quotation marks',
    prescan,
    pageOf(russian.bytes, '<meta charset=windows-1251>'),
    russian.word,
  ),
  declared(
    'meta-http-equiv',
    'a meta element of Content-Type declares the charset',
    prescan,
    pageOf(russian.bytes, '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">'),
    russian.word,
  ),
  declared(
    'meta-content-first',
    'a meta element declares the charset with its attributes in any order',
    prescan,
    pageOf(russian.bytes, `<META content='text/html;charset=windows-1251' HTTP-EQUIV=content-type>`),
    russian.word,
  ),
  declared(
    'meta-in-comment',
    'a meta element in a comment declares nothing',
    prescan,
    pageOf(russian.bytes, '<!-- <meta charset="koi8-r"> --><meta charset="windows-1251">'),
    russian.word,
  ),
  declared(
    'meta-first',
    'of two declarations in meta elements the first counts',
    prescan,
    pageOf(russian.bytes, '<meta charset="windows-1251"><meta charset="koi8-r">'),
    russian.word,
  ),
  declared(
    'meta-utf16',
    'a meta element that says UTF-16 means UTF-8',
    prescan,
    pageOf(utf8, '<meta charset="utf-16">'),
    'größe',
  ),
  declared(
    'header-before-meta',
    'the header wins over a meta element',
    sniffing,
    pageOf(russian.bytes, '<meta charset="koi8-r">', 'text/html; charset=windows-1251'),
    russian.word,
  ),
  declared(
    'bom-before-header',
    'a byte order mark wins over the header',
    sniffing,
    marked(pageOf(utf8, '', 'text/html; charset=windows-1251')),
    'größe',
  ),
  declared(
    'bom-before-meta',
    'a byte order mark wins over a meta element',
    sniffing,
    marked(pageOf(utf8, '<meta charset="windows-1251">')),
    'größe',
  ),
  declared(
    'utf-16le-bom',
    'a page in UTF-16LE with a byte order mark is decoded',
    sniffing,
    { type: 'text/html', body: utf16('größe', 'le', true) },
    'größe',
  ),
  declared(
    'utf-16be-bom',
    'a page in UTF-16BE with a byte order mark is decoded',
    sniffing,
    { type: 'text/html', body: utf16('größe', 'be', true) },
    'größe',
  ),
  declared(
    'utf-16le-header',
    'a page that the header calls UTF-16LE is decoded',
    encoding,
    { type: 'text/html; charset=utf-16le', body: utf16('größe', 'le', false) },
    'größe',
  ),
  declared(
    'utf-16be-header',
    'a page that the header calls UTF-16BE is decoded',
    encoding,
    { type: 'text/html; charset=utf-16be', body: utf16('größe', 'be', false) },
    'größe',
  ),
  declared(
    'header-quoted',
    'a charset in quotation marks in the header is read',
    'https://mimesniff.spec.whatwg.org/#parsing-a-mime-type',
    pageOf(russian.bytes, '', 'text/html; charset="windows-1251"'),
    russian.word,
  ),
  declared(
    'header-upper-case',
    'a charset in capitals in the header is read',
    encoding,
    pageOf(russian.bytes, '', 'text/html; Charset=WINDOWS-1251'),
    russian.word,
  ),
  declared(
    'header-unknown',
    'an unknown charset in the header leaves the meta element to decide',
    sniffing,
    pageOf(russian.bytes, '<meta charset="windows-1251">', 'text/html; charset=nonsense'),
    russian.word,
  ),
  declared(
    'undeclared-utf-8',
    'a page in UTF-8 that declares nothing is decoded as UTF-8',
    sniffing,
    pageOf(utf8),
    'größe',
    [],
    'practice',
  ),
  declared(
    'invalid-bytes',
    'bytes that are invalid in UTF-8 do not hide other links',
    'https://encoding.spec.whatwg.org/#utf-8-decoder',
    {
      type: 'text/html; charset=utf-8',
      body: Buffer.concat([
        Buffer.from('<!doctype html><p>'),
        Buffer.from([0xff, 0xc3, 0x28]),
        Buffer.from('<a href="/größe">x</a>'),
      ]),
    },
    'größe',
  ),
  declared(
    'xml-declaration',
    'the XML declaration of an XHTML page declares the charset',
    'https://www.w3.org/TR/xml/#charencoding',
    {
      type: 'application/xhtml+xml',
      body: Buffer.concat([
        Buffer.from(
          '<?xml version="1.0" encoding="windows-1251"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><a href="/',
        ),
        russian.bytes,
        Buffer.from('">x</a></body></html>'),
      ]),
    },
    russian.word,
    [],
    'SHOULD',
  ),
];

export const charsetsChecks: readonly Check[] = [
  ...words.map(([label]) => labelled(label, label, label.replaceAll('_', '-'), `a page in ${label} is decoded`)),
  ...aliases.map(([label, alias, title]) => labelled(label, alias, `label-${alias.replaceAll('_', '-')}`, title)),
  ...declarations,
];
