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
  let chunked = false;
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'transfer-encoding' && value.toLowerCase() === 'chunked') chunked = true;
    headers.push(name, value);
  }
  const body = end < 0 ? Buffer.alloc(0) : block.subarray(end + 4);
  return { status, headers, body: chunked ? unchunked(body) : body };
}

/** RFC 9112 §7.1. Bodies that other tools stored without their chunks, under the same header, stay as they are. */
function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(body.toString('latin1', at, Math.min(lineEnd, at + 64)))?.[1];
    if (lineEnd < 0 || size === undefined) return parts.length === 0 ? body : Buffer.concat(parts);
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(parts);
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}
