/**
 * Clients that fetch instead of us: this fetcher decides which URL is fetched when, and clients report the results.
 *
 * Leases, robots.txt, delays and reports stay here, so on the log a page that a client fetched is like any other. Times
 * are those of this machine.
 */
import type { OutcomeKind } from '../../../schemas/types.ts';

/** One URL to be fetched by a client: its host may be contacted now. */
export interface ClientUrl {
  readonly url: string;
  readonly hostKey: string;
  readonly depth: number;
  readonly hop: number;
  readonly attempt: number;
  /** Validators of the last visit; empty: none. */
  readonly etag: string;
  readonly lastModified: string;
  /** The URL's payload. */
  readonly payload: string;
  /** User-Agent for which robots.txt was evaluated. */
  readonly userAgent: string;
  /** Kept between the completion of a request to the host and the next start, ms. */
  readonly delayMs: number;
  /** Latest time at which a client may get it, ms. */
  readonly latestStartMs: number;
  /** Latest end of a client's lease, ms since the Unix epoch. */
  readonly deadlineMs: number;
}

/** The reason for a missing response. */
export interface ClientFailure {
  readonly kind: 'dnsFailed' | 'connectionFailed' | 'tlsFailed' | 'timeout' | 'badResponse' | 'refused';
  readonly detail: string;
}

/** Its outcome. */
export interface Report {
  /**
   * Kinds that no status shows; `returned`, `robotsDenied`: no request was made. null: the status and `failure` show
   * the kind.
   */
  readonly kind: Extract<OutcomeKind, 'returned' | 'robotsDenied' | 'tooLarge'> | null;
  /** 0: no response. */
  readonly status: number;
  readonly failure: ClientFailure | null;
  readonly detail: string;
  /** Names, in lower case, and values, alternating. */
  readonly headers: readonly string[];
  /** Start and completion of the request. */
  readonly startMs: number;
  readonly endMs: number;
  /** Bytes of the body; 0: unknown. */
  readonly bytes: number;
  /** Hexadecimal; empty: unknown. */
  readonly contentHash: string;
  readonly title: string;
  readonly text: string;
  /** Links that the client has published. */
  readonly links: number;
  /** The body, to be parsed here; null: the client has parsed it. */
  readonly body: Buffer | null;
  /** The client has used the response: it must not be retried, whatever its status. */
  readonly final: boolean;
  /** Publish the links found in `body`. */
  readonly follow: boolean;
}

/** A client with room for one more URL. */
export interface LeaseClient {
  /** Resolves when its client has reported, or its time is over. Never rejects. */
  hand(clientUrl: ClientUrl): Promise<Report>;
  /** Reports to the client that it gets no URL after all. */
  pass(): void;
}

export interface Outside {
  /** True: clients alone fetch pages. False: this fetcher fetches what no client asks for, and nothing was given along with. */
  readonly only: boolean;
  /** Resolves to a client with room; null: none came in time. */
  client(untilMs: number, signal: AbortSignal): Promise<LeaseClient | null>;
  /** Returns a client that has room now; null: there is none. */
  clientNow(): LeaseClient | null;
  /**
   * Begins a lease, which may soon have a URL to hand out. Returns a function to call when it has one, or ends: then
   * the lease no longer counts.
   */
  begin(): () => void;
  /** Number of further leases that clients could use. */
  readonly leasesWanted: number;
  /** Called when more leases may be wanted. */
  onWanted(wanted: () => void): void;
  /** Stops handing out URLs; leased URLs return within `graceMs`. */
  stop(graceMs: number): Promise<void>;
}
