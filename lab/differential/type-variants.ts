/** Media types and charsets: declared well, badly, twice, in several places, or not at all. */
import type { Draft, Kind, Variant } from './draft.ts';
import { encodeAs, encodeUtf16 } from './encoders.ts';

const page: readonly Kind[] = ['page'];
const type = (name: string, ...values: string[]): Variant => ({
  dimension: 'type',
  name,
  kinds: page,
  change: (draft) => void (draft.typeLines = values.map((value) => `Content-Type: ${value}`)),
});
const typeVariants = [
  type('none'),
  type('empty', ''),
  type('no charset', 'text/html'),
  type('in capitals', 'TEXT/HTML; CHARSET=UTF-8'),
  type('blanks around', '  text/html  ;  charset = utf-8  '),
  type('without a blank', 'text/html;charset=utf-8'),
  type('charset in quotes', 'text/html; charset="utf-8"'),
  type('charset in single quotes', "text/html; charset='utf-8'"),
  type('a semicolon behind', 'text/html;'),
  type('two semicolons', 'text/html;; charset=utf-8'),
  type('a comma behind', 'text/html,'),
  type('a charset without its name', 'text/html; utf-8'),
  type('another parameter', 'text/html; odd=1; charset=utf-8'),
  type('a list of two equal', 'text/html, text/html'),
  type('a list, HTML last', 'text/plain, text/html'),
  type('a list, HTML first', 'text/html, text/plain'),
  type('a list, the last is none', 'text/html, odd'),
  type('a list, the last is anything', 'text/html, */*'),
  type('a comma in quotes', 'text/html; a="b,c"; charset=utf-8'),
  type('two fields', 'text/html', 'text/html; charset=utf-8'),
  type('two fields, HTML last', 'text/plain', 'text/html'),
  type('two fields, HTML first', 'text/html', 'text/plain'),
  type('two fields, the last is none', 'text/html; charset=utf-8', 'odd'),
  type('no subtype', 'text'),
  type('an empty subtype', 'text/'),
  type('no media type', 'html'),
  type('a word', 'odd'),
  type('anything', '*/*'),
  type('unknown/unknown', 'unknown/unknown'),
  type('application/unknown', 'application/unknown'),
  type('a blank within', 'text / html'),
  type('XHTML', 'application/xhtml+xml'),
  type('charset alone', 'charset=utf-8'),
  type('a charset that is none', 'text/html; charset=odd'),
  type('an empty charset', 'text/html; charset='),
  type('two charsets', 'text/html; charset=utf-8; charset=windows-1251'),
];

const samples: Readonly<Record<string, string>> = {
  'windows-1251': 'Съешь ещё этих мягких французских булок',
  'koi8-r': 'Съешь ещё этих мягких булок',
  'koi8-u': 'Жебракують філософи при ґанку',
  'iso-8859-1': 'Übergrößenträger café',
  'iso-8859-2': 'Zażółć gęślą jaźń',
  'iso-8859-5': 'Съешь ещё этих булок',
  'iso-8859-7': 'Ξεσκεπάζω την ψυχοφθόρα',
  'iso-8859-8': 'דג סקרן שט בים',
  'iso-8859-9': 'Pijamalı hasta yağız şoföre',
  'windows-1250': 'Příliš žluťoučký kůň',
  'windows-1252': 'naïve – “café” €',
  'windows-1253': 'Ξεσκεπάζω την ψυχή',
  'windows-1254': 'Pijamalı hasta yağız şoföre',
  'windows-1255': 'דג סקרן שט',
  'windows-1256': 'نص حكيم له سر',
  'windows-1257': 'Įlinkdama fechtuotojo špaga',
  'windows-1258': 'Tiếng',
  'windows-874': 'เป็นมนุษย์สุดประเสริฐ',
  macintosh: 'naïve café ∑',
  'x-mac-cyrillic': 'Съешь ещё этих',
  ibm866: 'Съешь ещё этих',
  shift_jis: 'いろはにほへと',
  gbk: '视野无限广',
  gb18030: '视野无限广',
  big5: '視野無限廣',
  'euc-kr': '키스의 고유조건은',
  'euc-jp': 'いろはにほへと',
  'utf-8': 'Zażółć ещё 視野',
};

/** A title, a text and links in the encoding's own letters: path, query, fragment, and a reference in a query. */
function inLetters(text: string, sample: string, declared: string): string {
  const word = sample.split(' ').at(-1)!;
  const links = [`/${word}`, `/q?a=${word}&amp;b=&eacute;`, `?c=${word}#${word}`, '/plain?d=%C3%A9'];
  const anchors = links.map((link) => `<a href="${link}">${sample}</a>`).join('\n');
  return text
    .replace('</title>', ` ${sample}</title>`)
    .replace('<head>', `<head>${declared}`)
    .replace('<p>Words', `${anchors}<p>Words`);
}

const inEncoding = (
  name: string,
  sample: string,
  declare: { readonly field?: string | null; readonly meta?: string },
  encode: (text: string) => Buffer,
): Variant => ({
  dimension: 'charset',
  name,
  kinds: page,
  change: (draft: Draft) => {
    draft.text = inLetters(draft.text, sample, declare.meta ?? '');
    draft.encode = encode;
    draft.typeLines = [`Content-Type: text/html${declare.field ? `; charset=${declare.field}` : ''}`];
  },
});
const charsetVariants = Object.entries(samples).flatMap(([label, sample]) => {
  const encode = (text: string) => (label === 'utf-8' ? Buffer.from(text) : encodeAs(label, text));
  const meta = `<meta charset="${label}">`;
  const pragma = `<meta http-equiv="Content-Type" content="text/html; charset=${label}">`;
  return [
    inEncoding(`${label} by the field`, sample, { field: label }, encode),
    inEncoding(`${label} by meta`, sample, { meta }, encode),
    inEncoding(`${label} by a pragma`, sample, { meta: pragma }, encode),
    inEncoding(`${label} by the field, against meta`, sample, { field: label, meta: '<meta charset="x-odd">' }, encode),
    inEncoding(`${label} by meta behind a comment`, sample, { meta: `<!-- <meta charset=odd> -->${meta}` }, encode),
  ];
});
const utf16 = (order: 'LE' | 'BE', mark: boolean) => (text: string) => encodeUtf16(text, order, mark);
const sample16 = samples['utf-8']!;
const wideVariants = [
  inEncoding('UTF-16 LE with its mark', sample16, {}, utf16('LE', true)),
  inEncoding('UTF-16 BE with its mark', sample16, {}, utf16('BE', true)),
  inEncoding('UTF-16 LE by the field', sample16, { field: 'utf-16le' }, utf16('LE', false)),
  inEncoding('UTF-16 BE by the field', sample16, { field: 'utf-16be' }, utf16('BE', false)),
  inEncoding('UTF-16 with its mark, against the field', sample16, { field: 'windows-1251' }, utf16('LE', true)),
  inEncoding('UTF-8 that says UTF-16 by meta', sample16, { meta: '<meta charset="utf-16">' }, (text) =>
    Buffer.from(text),
  ),
  inEncoding('UTF-8 with its mark', sample16, {}, (text) => Buffer.from(`\ufeff${text}`)),
  inEncoding('UTF-8 with its mark, against the field', sample16, { field: 'koi8-r' }, (text) =>
    Buffer.from(`\ufeff${text}`),
  ),
  inEncoding('x-user-defined by the field', 'abc', { field: 'x-user-defined' }, (text) => Buffer.from(text)),
];

export const typeAndCharsetVariants: readonly Variant[] = [...typeVariants, ...charsetVariants, ...wideVariants];
