/**
 * A situation of a fetch: the behaviour of a server, in terms that HTTP/1.1 and HTTP/2 share, and the one outcome
 * expected over every way.
 */

/** Name and value; each character is a byte. */
export type Field = readonly [name: string, value: string];
export type Version = 'HTTP/1.1' | 'HTTP/2';

/** Places in an answer, in order. In HTTP/2, a chunk is a DATA frame, and its size the head of the frame. */
export const places = [
  'before the head',
  'in the head',
  'behind the head',
  'behind a chunk',
  'in a chunk size',
  'in a chunk',
  'before the last chunk',
  'in the last chunk',
  'at the end',
] as const;
export type Place = (typeof places)[number];

/** `close`: the end of the connection in order; `reset`: by TCP's reset; `silence`: nothing more comes. A number: RST_STREAM with this code. */
export type Break = 'close' | 'reset' | 'silence' | number;

export interface Answer {
  readonly status: number;
  readonly fields: readonly Field[];
  /** Bytes in its content coding. */
  readonly body: Buffer;
  /** How HTTP/1.1 marks the end of the body. HTTP/2 marks it by END_STREAM, with `length` also by Content-Length. */
  readonly framing: 'length' | 'chunks' | 'close';
  /** Responses with a status of 1xx before this one. */
  readonly interims?: readonly { readonly status: number; readonly fields: readonly Field[] }[];
  readonly trailers?: readonly Field[];
  /** Place at which the answer stops, and how. Absent: it does not. */
  readonly broken?: { readonly at: Place; readonly by: Break };
  /** Places of pauses, with their lengths. ms */
  readonly waits?: { readonly at: Place; readonly ms: number };
  /** The body is sent in this many parts, with this time between them. ms */
  readonly drips?: { readonly parts: number; readonly ms: number };
  /** HTTP/1.1: the connection ends after the answer. HTTP/2: GOAWAY does so. */
  readonly closes?: boolean;
  /** HTTP/2 alone: the server sends this as MAX_CONCURRENT_STREAMS before it answers. */
  readonly streamsMax?: number;
  /** HTTP/1.1 alone: these bytes instead of all the above. */
  readonly bytes?: string;
  /** HTTP/2 alone: frames after the head, instead of the body. */
  readonly frames?: readonly Frame[];
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly payload: Buffer;
  /** Absent: that of the request. */
  readonly stream?: number;
}

/**
 * The fate of a connection before a request: no listener, closed at once, reset at once, no byte, or text that is not
 * TLS.
 */
export type Arrival = 'refused' | 'closed' | 'reset' | 'silent' | 'noTls';

/** One request as its server saw it. */
export interface Asked {
  readonly path: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly atMs: number;
}

/** State of a URL after the crawl. */
export interface UrlRow {
  readonly outcome: string;
  readonly status: number;
  readonly redirectUrl?: string;
}

export interface PageRow {
  readonly text: string;
  readonly title: string;
  readonly truncated: boolean;
  readonly noindex: boolean;
  readonly outlinks: readonly string[];
}

/** All observations of one situation over one way. Paths are without the origin. */
export interface Seen {
  readonly origin: string;
  readonly urls: ReadonlyMap<string, UrlRow>;
  readonly pages: ReadonlyMap<string, PageRow>;
  readonly asked: readonly Asked[];
}

/** The ways that it applies to. Absent: all. */
export interface Where {
  readonly version?: Version;
  /** As in `ways`. */
  readonly through?: readonly string[];
  readonly secure?: boolean;
  /** On a new connection. */
  readonly isFresh?: boolean;
}

export interface Difference {
  readonly where: Where;
  readonly expects: string;
  /** Names the section of the RFC. */
  readonly reason: string;
}

export interface Situation {
  readonly group: string;
  readonly name: string;
  /** Answers to `/`, in order; the last one is repeated for further requests. */
  readonly page: readonly Answer[];
  /** Absent: 404. */
  readonly robots?: readonly Answer[];
  readonly paths?: Readonly<Record<string, readonly Answer[]>>;
  /** Absent: `/`. */
  readonly seeds?: readonly string[];
  readonly arrival?: Arrival;
  /** Settings of its crawl. Absent: a crawl with one visit for each URL, without retries. */
  readonly crawl?: 'retries' | 'visits';
  /** It takes seconds: not part of the short run. */
  readonly isSlow?: true;
  /** Ways over which it is possible, with the reason. Absent: all. */
  readonly only?: { readonly where: Where; readonly reason: string };
  /** The outcome in words. */
  readonly outcomeOf: (seen: Seen) => string;
  readonly expects: string;
  readonly differs?: readonly Difference[];
}
