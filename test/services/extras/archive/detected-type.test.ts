import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectedType } from '../../../../services/extras/archive/detected-type.ts';

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

test('a body is a text unless it has a control character that no text has (MIME Sniffing §7.1)', () => {
  const binary = [0x00, 0x01, 0x07, 0x08, 0x0b, 0x0e, 0x1a, 0x1c, 0x1f];
  for (let byte = 0; byte <= 0xff; byte++) {
    const type = detectedType('', Buffer.from([0x61, byte, 0x62]));
    const isBinary = byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte);
    assert.equal(type, isBinary ? 'application/octet-stream' : 'text/plain', `${byte}`);
  }
  for (const byte of binary) assert.equal(detectedType('text/css', Buffer.from([byte])), 'application/octet-stream');
});

test('each signature of a type is recognised by its bytes, and not by fewer', () => {
  for (const [type, hex] of [
    ['application/pdf', '255044462d'],
    ['image/png', '89504e470d0a1a0a'],
    ['image/jpeg', 'ffd8ff'],
    ['image/gif', '474946383761'],
    ['image/gif', '474946383961'],
    ['image/webp', '5249464601020304574542505650'],
    ['image/bmp', '424d'],
    ['image/x-icon', '00000100'],
    ['audio/mpeg', '494433'],
    ['application/ogg', '4f67675300'],
    ['audio/wave', '524946460102030457415645'],
    ['video/mp4', '0102030466747970'],
    ['video/webm', '1a45dfa3'],
    ['font/woff', '774f4646'],
    ['font/woff2', '774f4632'],
    ['application/gzip', '1f8b08'],
    ['application/vnd.rar', '526172211a07'],
    ['application/zip', '504b0304'],
  ] as const) {
    const bytes = Buffer.from(hex, 'hex');
    assert.equal(detectedType('text/html', Buffer.concat([bytes, Buffer.from('rest')])), type);
    assert.equal(detectedType('text/html', bytes), type);
    assert.notEqual(detectedType('text/html', bytes.subarray(0, -1)), type);
    assert.notEqual(detectedType('text/html', Buffer.concat([Buffer.from(' '), bytes])), type);
  }
});
