import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isXhtml, mediaTypeOf, pageTypeOf, sniffedType } from '../../../../services/fetcher/pages/page-type.ts';

test('a response without a type is markup if it begins with < after white space, and no text if it holds a NUL', () => {
  const cases: readonly (readonly [body: string, type: string])[] = [
    ['<p>', 'html'],
    ['\t<p>', 'html'],
    ['\r<p>', 'html'],
    [' \n\v\f\r\t<p>', 'html'],
    ['\ufeff <p>', 'html'],
    ['\b<p>', 'text'],
    ['\x0e<p>', 'text'],
    ['a<p>', 'text'],
    ['', 'text'],
    ['   ', 'text'],
    ['%PDF-1.7 \0', 'other'],
    ['%PDF-1.7', 'other'],
    ['%PDF', 'text'],
    ['\0abc', 'other'],
    [`${'a'.repeat(1_023)}\0`, 'other'],
    [`${'a'.repeat(1_024)}\0`, 'text'],
  ];
  for (const [body, type] of cases)
    assert.equal(sniffedType(Buffer.from(body)), type, JSON.stringify(body.slice(0, 20)));
});

test('a response in UTF-16 without a type is markup or text, although it holds NULs', () => {
  const little = (text: string) => Buffer.from(text, 'utf16le');
  for (const [text, type] of [
    ['\ufeff<p>', 'html'],
    ['\ufeff\r\n <!doctype html>', 'html'],
    ['\ufeffплан', 'text'],
    ['\ufeff', 'text'],
    ['<html>', 'html'],
  ] as const) {
    assert.equal(sniffedType(little(text)), type, JSON.stringify(text));
    assert.equal(sniffedType(little(text).swap16()), type, `big endian: ${JSON.stringify(text)}`);
  }
});

test('a byte order mark is all three bytes', () => {
  const markup = 0x3c;
  for (const start of [
    [0xef, 0xbb, 0x61],
    [0xef, 0x61, 0xbf],
    [0x61, 0xbb, 0xbf],
    [0xef, 0x61, 0x61],
    [0x61, 0x61, 0xbf],
  ])
    assert.equal(sniffedType(Uint8Array.of(...start, markup)), 'text', start.join());
  assert.equal(sniffedType(Uint8Array.of(0xef, 0xbb, 0xbf, markup)), 'html');
});

test('a media type decides whether a page is markup, text, or unsupported', () => {
  const types = {
    html: 'text/html application/xhtml+xml',
    text: 'text/plain text/css application/xml application/json application/feed+json application/rss+xml image/svg+xml',
    other:
      'image/png application/zip application/xhtml xtext/plain application/jsonp application/pdf application/epub+zip',
  };
  for (const [type, all] of Object.entries(types))
    for (const mediaType of all.split(' ')) assert.equal(pageTypeOf(mediaType), type, mediaType);
  assert.equal(pageTypeOf(''), 'unnamed');
  assert.equal(mediaTypeOf(['content-type', ' Text/HTML ;charset=x;y']), 'text/html');
  assert.equal(mediaTypeOf([]), '');
});

test('a document has the type of its reader, by media type or first bytes, if that reader is wanted', () => {
  const pdf = { name: 'pdf', mediaTypes: ['application/pdf'], mark: '%PDF-', module: '' } as const;
  const office = { name: 'office', mediaTypes: ['application/epub+zip'], module: '' } as const;
  assert.equal(pageTypeOf('application/pdf', [office, pdf]), pdf);
  assert.equal(pageTypeOf('application/epub+zip', [office, pdf]), office);
  assert.equal(pageTypeOf('application/epub+zip', [pdf]), 'other');
  assert.equal(sniffedType(Buffer.from('%PDF-1.7'), [office, pdf]), pdf);
  assert.equal(sniffedType(Buffer.from('%PDF'), [office, pdf]), 'text');
  const comic = { name: 'comic', mediaTypes: [], mark: 'A comic of more than sixteen bytes', module: '' } as const;
  assert.equal(sniffedType(Buffer.from(`${comic.mark}: 1`), [pdf, comic]), comic);
  assert.equal(sniffedType(Buffer.from(comic.mark.slice(0, -1)), [pdf, comic]), 'text');
});

test('XML whose root is in the XHTML namespace is a page, whatever precedes the root', () => {
  const root = '<html lang="de" xmlns="http://www.w3.org/1999/xhtml">';
  const doctype =
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">';
  const prologs = [
    '',
    '<?xml version="1.0"?>\n',
    `<?xml version="1.0"?>${doctype}\n`,
    '<!-- <html> -->',
    '<?xml-stylesheet href="a"?>',
  ];
  for (const mediaType of ['application/xml', 'text/xml'])
    for (const prolog of prologs)
      assert.equal(isXhtml(mediaType, Buffer.from(`${prolog}${root}<head/>`)), true, prolog);
  assert.equal(isXhtml('text/plain', Buffer.from(root)), false);
  for (const other of ['<rss>', '<html>', `<feed>${root}`, '', '<?xml version="1.0"?>'])
    assert.equal(isXhtml('text/xml', Buffer.from(other)), false, other);
});

test('XHTML in UTF-16 is a page, too', () => {
  const page = '\ufeff<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>';
  assert.equal(isXhtml('application/xml', Buffer.from(page, 'utf16le')), true);
  assert.equal(isXhtml('text/xml', Buffer.from(page, 'utf16le').swap16()), true);
});
