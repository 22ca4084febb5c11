/** The request on the wire, for records: with the additions of rules, plugins and the signature. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Headers } from './headers.ts';

export interface SentRequest {
  readonly method: string;
  /** The target of the request line. For an HTTP proxy it is a whole URL. */
  readonly target: string;
  /** Names in lower case and values alternating, without headers of the connection. */
  readonly headers: Headers;
  /** Null: none. */
  readonly body: string | null;
  /** Names of headers that a rule marks as secret; `body`: the body. */
  readonly secrets: readonly string[];
  /** The connection is closed after the response. Absent: it is kept. */
  readonly closes?: boolean;
}

/** Protocols of a connection. */
export interface Spoken {
  /** The outermost first, as WARC-Protocol names them: http/1.1 or h2, then tls/1.2 or tls/1.3. */
  readonly protocols: readonly string[];
  /** By its IANA name. Empty: no TLS. */
  readonly cipherSuite: string;
}

/** Facts of the exchange on the wire, beside status, headers and bodies. */
export interface WireFacts {
  readonly sent: SentRequest;
  /** Absent: the connection is unknown. */
  readonly spoken: Spoken | undefined;
  /** Reason phrase. Empty: none. */
  readonly statusText: string;
  /**
   * Names and values alternating, as received; names are in the order of the response's headers. Empty without
   * archiving.
   */
  readonly rawHeaders: readonly Buffer[];
}

const plain: Spoken = { protocols: ['http/1.1'], cipherSuite: '' };

/** `isSecure`: TLS goes to the host itself, and not only to a proxy on the way. */
export function spokenOn(socket: Socket, isSecure: boolean): Spoken {
  if (!isSecure || !(socket instanceof TLSSocket)) return plain;
  const version = /^TLSv([\d.]+)$/.exec(socket.getProtocol() ?? '')?.[1];
  return {
    protocols: [
      socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1',
      ...(version === undefined ? [] : [`tls/${version === '1' ? '1.0' : version}`]),
    ],
    cipherSuite: socket.getCipher()?.standardName ?? '',
  };
}

/** Replaces the value of a secret in a record. */
export const redactedValue = '[redacted]';

/** Usual names of credentials. Signatures are included: a reader could send one again while it is valid. */
const secretName = /auth|cookie|token|secret|password|api-?key|session|^signature$|^(?:x-)?payment/;

/** The headers for a record: with those of the connection, without secrets. */
export interface RequestHeaders {
  readonly headers: string[];
  readonly body: Buffer;
  /** Names of replaced headers, each once; `body`: the body was left out. */
  readonly redacted: string[];
}

export function requestHeadersOf(
  { headers, body, secrets, closes }: SentRequest,
  authority: string,
  isHttp2: boolean,
): RequestHeaders {
  const redacted = new Set<string>();
  const lines = ['host', authority, ...(isHttp2 ? [] : ['connection', closes === true ? 'close' : 'keep-alive'])];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!;
    const isSecret = secretName.test(name) || secrets.includes(name);
    if (isSecret) redacted.add(name);
    lines.push(name, isSecret ? redactedValue : headers[i + 1]!);
  }
  if (body === null) return { headers: lines, body: Buffer.alloc(0), redacted: [...redacted] };
  lines.push('content-length', `${Buffer.byteLength(body)}`);
  if (!secrets.includes('body')) return { headers: lines, body: Buffer.from(body), redacted: [...redacted] };
  return { headers: lines, body: Buffer.alloc(0), redacted: [...redacted, 'body'] };
}
