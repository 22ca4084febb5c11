import { isChunked, unchunked } from './chunked.ts';

/** An HTTP response in a WARC record, parsed: status, headers, and the body without its transfer coding. */
export interface HttpMessage {
  readonly status: number;
  /** Names in lower case and values alternating. */
  readonly headers: readonly string[];
  /** Still in its content coding. */
  readonly body: Buffer;
}

/** `headers`: names in lower case and values alternating. Empty: there is no such header. */
export function headerOf(headers: readonly string[], name: string): string {
  for (let at = 0; at + 1 < headers.length; at += 2) if (headers[at] === name) return headers[at + 1]!;
  return '';
}

/** Null: the block is not an HTTP response. */
export function httpMessageOf(block: Buffer): HttpMessage | null {
  const end = block.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = block.toString('latin1', 0, end < 0 ? block.length : end).split('\r\n');
  const status = Number(/^HTTP\/\d(?:\.\d)? (\d{3})/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return null;
  const headers: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.push(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const body = end < 0 ? Buffer.alloc(0) : block.subarray(end + 4);
  return { status, headers, body: isChunked(headers) ? unchunked(body) : body };
}
