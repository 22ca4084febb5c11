/** What was said on the wire, for records of it: the request with all that rules, plugins and the signature added. */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Headers } from './headers.ts';

export interface SentRequest {
  readonly method: string;
  /** As in the request line: a whole URL to a proxy that wants it so. */
  readonly target: string;
  /** Names in lower case and values in turn, without those of the connection. */
  readonly headers: Headers;
  /** Null: none. */
  readonly body: string | null;
  /** Names of headers that a rule calls secret; `body`: the body. */
  readonly secrets: readonly string[];
  /** The connection is closed behind the answer. Absent: it is kept. */
  readonly closes?: boolean;
}

/** Protocols of a connection. */
export interface Spoken {
  /** The outermost first, as WARC-Protocol names them: http/1.1 or h2, then tls/1.2 or tls/1.3. */
  readonly protocols: readonly string[];
  /** By its IANA name. Empty: no TLS. */
  readonly cipherSuite: string;
}

/** What was said on the wire, beside status, headers and bodies. */
export interface WireFacts {
  readonly sent: SentRequest;
  /** Absent: the connection is not known. */
  readonly spoken: Spoken | undefined;
  /** Reason phrase. Empty: none. */
  readonly statusText: string;
  /** Names and values in turn, as received; names are in the order of the response's headers. None where nothing is archived. */
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

/** Credentials, by their usual names; a signature can be sent again by whoever reads it, for as long as it holds. */
const secretName = /auth|cookie|token|secret|password|api-?key|session|^signature$|^(?:x-)?payment/;

/** As in a record: the connection's headers are there, secrets are not. */
export interface RequestHeaders {
  readonly headers: string[];
  readonly body: Buffer;
  /** Names with replaced values, each once; `body`: it was left out. */
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
