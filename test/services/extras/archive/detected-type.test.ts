import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectedType } from '../../../../services/extras/archive/columnar/detected-type.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');

test('a payload’s type follows its first bytes, whatever was declared', () => {
  const shown: readonly (readonly [declared: string, body: string, type: string])[] = [
    ['text/html', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png'],
    ['text/html', 'RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
    ['', 'RIFF\x24\0\0\0WAVEfmt ', 'audio/wave'],
    ['', '\0\0\0\x18ftypmp42', 'video/mp4'],
    ['text/plain', '  \n<!DOCTYPE html><html>', 'text/html'],
    ['text/html', '<?xml version="1.0"?>\n<rss version="2.0">', 'application/rss+xml'],
    ['text/xml', '<feed xmlns="http://www.w3.org/2005/Atom">', 'application/atom+xml'],
    ['text/html', '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml">', 'application/xhtml+xml'],
    ['application/soap+xml', '<?xml version="1.0"?><e/>', 'application/soap+xml'],
    ['text/html', 'PK\x03\x04\x14', 'application/zip'],
    ['application/vnd.oasis.opendocument.text', 'PK\x03\x04\x14', 'application/vnd.oasis.opendocument.text'],
    ['image/png', 'not a picture', 'text/plain'],
    ['application/json', '{"a":1}', 'application/json'],
    ['text/plain', 'a\x01b', 'application/octet-stream'],
    ['application/x-own', 'a\x01b', 'application/x-own'],
    ['', '', 'application/octet-stream'],
    ['text/css', '', 'text/css'],
  ];
  for (const [declared, body, type] of shown)
    assert.equal(detectedType(declared, bytes(body)), type, `${declared}: ${body}`);
});
