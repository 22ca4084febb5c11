/**
 * The WARC records of one exchange: request, response (or revisit), metadata. Without an answer, there is no
 * response; if nothing was sent, there is only metadata.
 *
 * A payload that was archived before, under any URL, becomes a revisit (WARC 1.1 §6.7.2, profile
 * identical-payload-digest): its headers, and a pointer to the payload. So does a 304 (§6.7.3, profile
 * server-not-modified), if the archive has the unchanged response. HTTP/2 is written in the form of HTTP/1.1, as in
 * other archives, and WARC-Protocol names the protocol used.
 */
import { STATUS_CODES } from 'node:http';
import type { Response } from '../../../schemas/types.ts';
import type { FirstCapture } from './captures.ts';
import { isPacked } from './detected-type.ts';
import { headerOf } from './http-message.ts';
import { digestOf, namedDigest, recordId, type WarcRecord, warcDate } from './warc-record.ts';

/** The earlier capture of a payload, and the evidence for it. */
export interface Met extends FirstCapture {
  /** Digest of the payload. */
  readonly digest: string;
  readonly profile: 'identical-payload-digest' | 'server-not-modified';
}

export interface Archived {
  /** Absent: nothing was sent. */
  readonly request?: WarcRecord;
  /** Response or revisit. Absent: there was no answer. */
  readonly answer?: WarcRecord;
  readonly metadata: WarcRecord;
}

/** Made of a page here, and by no exchange: the document as a browser's scripts left it. */
export function isRendered({ kind }: Response): boolean {
  return kind === 'rendered';
}

/** WARC 1.1 §6.8: another version of a page's content. `bodyPath` as for records of responses. */
export function renderedRecord(
  response: Response,
  identity: string,
  warcinfo: string,
  bodyPath: string | null,
): WarcRecord {
  const isLost = response.bodyFile !== '' && bodyPath === null;
  const at = response.headers.indexOf('content-type');
  return {
    type: 'conversion',
    identity: `${identity} conversion`,
    url: response.url,
    atMs: capturedAtMs(response),
    contentType: response.headers[at + 1]!,
    fields: [['WARC-Warcinfo-ID', warcinfo], ...truncation(response, isLost)],
    block: bytesOf(response.body),
    ...(bodyPath !== null && { rest: { path: bodyPath, bytes: response.bodyBytes } }),
  };
}

/** Decides by the time of the fetch, so that the same responses give the same files whenever they are read. */
export function mayArchive({ noArchiveFromMs, fetchedAtMs }: Response): boolean {
  return noArchiveFromMs < 0 || noArchiveFromMs > fetchedAtMs;
}

export function payloadDigest({ body, bodyFile, bodyDigest }: Response): string {
  return bodyFile === '' ? digestOf(body) : namedDigest(Buffer.from(bodyDigest, 'hex'));
}

const revisitProfiles = 'http://netpreserve.org/warc/1.1/revisit/';

/** The instant at which capture began (WARC 1.1 §5.4). */
export function capturedAtMs({ fetchedAtMs, durationMs }: Response): number {
  return fetchedAtMs - durationMs;
}

/**
 * `identity`: the response's own, as topic, partition and offset. `warcinfo`: the id of the file's first record.
 * `bodyPath`: of a body that is a file; null: it is lost.
 */
export function recordsOfResponse(
  response: Response,
  identity: string,
  warcinfo: string,
  payloadDigest: string,
  met: Met | undefined,
  bodyPath: string | null = null,
): Archived {
  const common = { url: response.url, atMs: capturedAtMs(response) } as const;
  const inFile = ['WARC-Warcinfo-ID', warcinfo] as const;
  const hasAnswer = response.status !== 0;
  const concurrent: Field[] = hasAnswer ? [['WARC-Concurrent-To', recordId(`${identity} response`)]] : [];
  const connection = connectionFields(response);
  const head = headOf(response);
  const body = bytesOf(response.body);
  const isLost = response.bodyFile !== '' && bodyPath === null && met === undefined;
  const request: WarcRecord = {
    ...common,
    type: 'request',
    identity: `${identity} request`,
    contentType: 'application/http; msgtype=request',
    fields: [inFile, ...concurrent, ...connection],
    block: requestBlock(response),
  };
  const answer: WarcRecord = {
    ...common,
    type: met === undefined ? 'response' : 'revisit',
    identity: `${identity} response`,
    contentType: 'application/http; msgtype=response',
    fields: [
      inFile,
      ...connection,
      // The record lacks the payload, so it must not have its digest.
      ...(isLost ? [] : [['WARC-Payload-Digest', payloadDigest] as const]),
      ...(met === undefined ? truncation(response, isLost) : pointer(met)),
    ],
    block: met === undefined ? Buffer.concat([head, body]) : head,
    ...(met === undefined && isCompressed(response.headers, body) && { packedBytes: body.length }),
    ...(bodyPath !== null && met === undefined && { rest: { path: bodyPath, bytes: response.bodyBytes } }),
  };
  const metadata: WarcRecord = {
    ...common,
    type: 'metadata',
    identity: `${identity} metadata`,
    contentType: 'application/warc-fields',
    fields: [inFile, ...concurrent],
    block: Buffer.from(metadataLines(response, isLost)),
  };
  const wasSent = hasAnswer || response.requestHeaders.length > 0;
  return { ...(wasSent && { request }), ...(hasAnswer && { answer }), metadata };
}

type Field = readonly [name: string, value: string];

function connectionFields({ address, protocols, cipherSuite }: Response): Field[] {
  return [
    ...(address === '' ? [] : [['WARC-IP-Address', address] as const]),
    ...protocols.map((protocol) => ['WARC-Protocol', protocol] as const),
    ...(cipherSuite === '' ? [] : [['WARC-Cipher-Suite', cipherSuite] as const]),
  ];
}

function truncation({ truncated, truncatedBy }: Response, isLost: boolean): Field[] {
  if (isLost) return [['WARC-Truncated', 'unspecified']];
  return truncated ? [['WARC-Truncated', truncatedBy || 'length']] : [];
}

/** A body in Brotli has no sign in its first bytes, so its header decides. */
function isCompressed(headers: readonly string[], body: Buffer): boolean {
  return isPacked(body) || /\b(?:br|zstd)\b/i.test(headerOf(headers, 'content-encoding'));
}

function pointer({ url, atMs, profile }: Met): Field[] {
  return [
    ['WARC-Profile', revisitProfiles + profile],
    ['WARC-Refers-To-Target-URI', url],
    ['WARC-Refers-To-Date', warcDate(atMs)],
  ];
}

function requestBlock(response: Response): Buffer {
  const { url, requestMethod, requestTarget, requestHeaders, requestBody } = response;
  const { host, pathname, search } = new URL(url);
  const hasHost = requestHeaders.some((text, at) => at % 2 === 0 && text === 'host');
  const head =
    `${requestMethod} ${requestTarget || pathname + search} HTTP/1.1\r\n` +
    `${hasHost ? '' : `host: ${host}\r\n`}${headerLines(requestHeaders)}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytesOf(requestBody)]);
}

/** The body is stored as received but without its transfer coding, so the header of that coding would be wrong. */
function headOf({ status, statusText, headers, headerNames }: Response): Buffer {
  const kept = headers.map((text, i) => {
    if (i % 2 === 1) return text;
    return text === 'transfer-encoding' ? 'x-crawler-transfer-encoding' : (headerNames[i / 2] ?? text);
  });
  const reason = statusText || (STATUS_CODES[status] ?? 'Unknown');
  return Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${headerLines(kept)}\r\n`, 'latin1');
}

function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i + 1 < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

/** Known fields with a value. */
function metadataLines(response: Response, isLost: boolean): string {
  const { durationMs, kind, depth, failure, detail, redacted, policyVersion, policyHash } = response;
  const fields: Field[] = [
    ['fetchTimeMs', `${durationMs}`],
    ['requestedAs', kind],
    ['depth', depth < 0 ? '' : `${depth}`],
    ['failure', failure],
    ['failureDetail', detail.replaceAll(/[\r\n]+/g, ' ')],
    ['bodyLost', isLost ? 'its file no longer exists' : ''],
    ['requestRedacted', redacted.join(', ')],
    ['policyVersion', policyVersion === 0 ? '' : `${policyVersion}`],
    ['policyHash', policyHash],
  ];
  return fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function bytesOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
