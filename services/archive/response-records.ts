/**
 * The WARC records of one response: request, response (or revisit), metadata.
 *
 * A payload that was archived before, under whatever URL, becomes a revisit (WARC 1.1 §6.7.2, profile
 * identical-payload-digest): its headers, and a pointer to where the payload is.
 */
import { STATUS_CODES } from 'node:http';
import type { Response } from '../../schemas/types.ts';
import { recordId, type WarcRecord, warcDate } from './warc-record.ts';

/** Where a payload was archived first. */
export interface FirstSight {
  readonly url: string;
  readonly atMs: number;
}

export interface Archived {
  /** Request, response or revisit, metadata. */
  readonly records: readonly [WarcRecord, WarcRecord, WarcRecord];
  readonly isRevisit: boolean;
}

const revisitProfile = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest';

/** `identity`: the response's own, as topic, partition and offset. `warcinfo`: the id of the file's first record. */
export function recordsOfResponse(
  response: Response,
  identity: string,
  warcinfo: string,
  payloadDigest: string,
  first: FirstSight | undefined,
): Archived {
  const { url, fetchedAtMs, durationMs } = response;
  const common = { url, atMs: fetchedAtMs } as const;
  const responseId = recordId(`${identity} response`);
  const inFile = ['WARC-Warcinfo-ID', warcinfo] as const;
  const concurrent = ['WARC-Concurrent-To', responseId] as const;
  const address: [string, string][] = response.address === '' ? [] : [['WARC-IP-Address', response.address]];
  const head = headOf(response);
  const body = Buffer.from(response.body.buffer, response.body.byteOffset, response.body.byteLength);
  const request: WarcRecord = {
    ...common,
    type: 'request',
    identity: `${identity} request`,
    contentType: 'application/http; msgtype=request',
    fields: [inFile, concurrent, ...address],
    block: requestBlock(response),
  };
  const answer: WarcRecord = {
    ...common,
    type: first === undefined ? 'response' : 'revisit',
    identity: `${identity} response`,
    contentType: 'application/http; msgtype=response',
    fields: [
      inFile,
      ...address,
      ['WARC-Payload-Digest', payloadDigest],
      ...(first === undefined
        ? response.truncated
          ? [['WARC-Truncated', 'length'] as const]
          : []
        : [
            ['WARC-Profile', revisitProfile] as const,
            ['WARC-Refers-To-Target-URI', first.url] as const,
            ['WARC-Refers-To-Date', warcDate(first.atMs)] as const,
          ]),
    ],
    block: first === undefined ? Buffer.concat([head, body]) : head,
  };
  const metadata: WarcRecord = {
    ...common,
    type: 'metadata',
    identity: `${identity} metadata`,
    contentType: 'application/warc-fields',
    fields: [inFile, concurrent],
    block: Buffer.from(`fetchTimeMs: ${durationMs}\r\n`),
  };
  return { records: [request, answer, metadata], isRevisit: first !== undefined };
}

function requestBlock({ url, requestHeaders }: Response): Buffer {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const authority = url.slice(url.indexOf('//') + 2, start === -1 ? undefined : start);
  const path = start === -1 ? '/' : url.slice(start);
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${authority}\r\n${headerLines(requestHeaders)}\r\n`, 'latin1');
}

/**
 * The body is stored as it came, but without its transfer coding, so that header would describe something that is gone.
 */
function headOf({ status, headers }: Response): Buffer {
  const kept = headers.map((text, i) =>
    i % 2 === 0 && text === 'transfer-encoding' ? 'x-crawler-transfer-encoding' : text,
  );
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${headerLines(kept)}\r\n`, 'latin1');
}

function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i + 1 < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}
