/** One WAT record's JSON: the metadata of a WARC record, of its HTTP message and of its page. */
import type { HttpMessage } from '../http-message.ts';
import type { ReadRecord } from '../warc-reader.ts';
import { digestOf } from '../warc-record.ts';
import type { DerivedPage } from './derive.ts';

/** Most links listed for one page. */
const linksMax = 2_000;

export function watBlock(
  filename: string,
  { type, fields, block }: ReadRecord,
  message: HttpMessage | null,
  page: DerivedPage | null,
): Buffer {
  const contentType = fields.get('content-type') ?? '';
  const envelope = {
    Format: 'WARC',
    'WARC-Header-Metadata': spelled(fields),
    'Block-Digest': fields.get('warc-block-digest') ?? digestOf(block),
    'Actual-Content-Length': `${block.length}`,
    'Payload-Metadata': {
      'Actual-Content-Type': contentType,
      ...(type === 'request' && { 'HTTP-Request-Metadata': requestOf(block) }),
      ...(contentType === 'application/warc-fields' && { 'WARC-Info-Metadata': linesOf(block) }),
      ...(message !== null && { 'HTTP-Response-Metadata': responseOf(block, message, page) }),
    },
  };
  const container = { Filename: filename, Compressed: filename.endsWith('.gz') };
  return Buffer.from(JSON.stringify({ Container: container, Envelope: envelope }));
}

function responseOf(block: Buffer, { status, headers, body }: HttpMessage, page: DerivedPage | null) {
  const [, version = '', reason = ''] = /^(HTTP\/\S+) \d+ ?([^\r\n]*)/.exec(block.toString('latin1', 0, 500)) ?? [];
  return {
    'Response-Message': { Version: version, Status: `${status}`, Reason: reason },
    'Headers-Length': `${headLength(block)}`,
    Headers: pairs(headers),
    'Entity-Length': `${body.length}`,
    'Entity-Digest': digestOf(body),
    ...(page !== null && { 'HTML-Metadata': htmlOf(page) }),
  };
}

function htmlOf({ title, canonical, links, language }: DerivedPage) {
  return {
    Head: {
      ...(title !== '' && { Title: title }),
      ...(canonical !== '' && { Link: [{ path: 'LINK@/href', url: canonical, rel: 'canonical' }] }),
      ...(language !== '' && { Metas: [{ name: 'language', content: language }] }),
    },
    Links: links.slice(0, linksMax).map((url) => ({ path: 'A@/href', url })),
  };
}

function requestOf(block: Buffer) {
  const [line = '', ...lines] = block.toString('latin1', 0, headLength(block)).split('\r\n');
  const [method = '', target = '', version = ''] = line.split(' ');
  return {
    'Request-Message': { Method: method, Path: target, Version: version },
    'Headers-Length': `${headLength(block)}`,
    Headers: Object.fromEntries(lines.filter((one) => one.includes(':')).map(pairOf)),
    'Entity-Length': `${block.length - headLength(block)}`,
  };
}

function headLength(block: Buffer): number {
  const end = block.indexOf('\r\n\r\n');
  return end < 0 ? block.length : end + 4;
}

function linesOf(block: Buffer) {
  const lines = block.toString('utf8').split('\r\n');
  return Object.fromEntries(lines.filter((one) => one.includes(':')).map(pairOf));
}

function pairOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function pairs(headers: readonly string[]): Record<string, string> {
  const named: [string, string][] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) named.push([headers[i]!, headers[i + 1]!]);
  return Object.fromEntries(named);
}

/** Names as the standard spells them. */
function spelled(fields: ReadonlyMap<string, string>): Record<string, string> {
  const capital = (word: string) =>
    /^(warc|id|uri|ip)$/.test(word) ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1);
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name.split('-').filter(Boolean).map(capital).join('-'), value]),
  );
}
