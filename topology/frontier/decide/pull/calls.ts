/**
 * Calls of the pull API, as input of the frontier: put URLs, get URLs to fetch, control a queue.
 *
 * They come directly from a socket and are in no topic. Only the changelog holds the decisions, and a call is
 * answered when its commit is durable. A call that a crash loses was never answered, so its client asks again.
 */
import type { KnownFrom } from '../../changes/changes.ts';
import type { Entry } from '../../changes/entry.ts';

/** In the order of the numbers on the wire. */
export const putStatuses = { ok: 0, skipped: 1, fail: 2 } as const;

/** A URL that a client has found or reports. Key and URL were checked; the URL is kept unchanged. */
export interface PutItem {
  readonly known: boolean;
  readonly key: string;
  readonly url: string;
  /** The client's metadata, unchanged. */
  readonly metadata: Uint8Array;
  /** For a known URL, when it is available again, ms; 0: never. */
  readonly dueAtMs: number;
  /** Front queue, 0 first. */
  readonly frontQueue: number;
}

interface Answered {
  /** Called once: the changes of the call are durable, or `error` says that they may not be. */
  readonly onDone: (error?: unknown) => void;
}

export interface PutCall extends Answered {
  readonly kind: 'put';
  readonly items: readonly PutItem[];
  /** The status of each item from `putStatuses`, written as it is decided. */
  readonly statuses: Uint8Array;
  /** Number of items decided. */
  next: number;
}

export interface GetCall extends Answered {
  readonly kind: 'get';
  /** null: of any queue. */
  readonly key: string | null;
  /** Limits on queues, and on URLs per queue. */
  queues: number;
  readonly urlsPerQueue: number;
  readonly leaseMs: number;
  /** Ids of granted leases, and their URLs. */
  readonly leases: number[];
  readonly urls: PulledUrl[];
}

export interface PulledUrl {
  readonly key: string;
  readonly entry: Entry;
}

/** A command for one queue, or for all of them. Settings for all queues are policy, and come by `control`. */
export type QueueOrder =
  | { readonly kind: 'delay'; readonly key: string; readonly delayMs: number }
  | { readonly kind: 'block'; readonly key: string; readonly untilMs: number }
  /** Number of finished URLs after which the queue pauses; 0: never. */
  | { readonly kind: 'limit'; readonly key: string; readonly done: number }
  | { readonly kind: 'drop'; readonly key: string }
  | { readonly kind: 'dropAll' }
  | { readonly kind: 'forget'; readonly key: string; readonly urls: readonly ForgottenUrl[] };

/** A URL of a queue, and its place when it was read. */
export interface ForgottenUrl {
  readonly from: KnownFrom;
  readonly entry: Entry;
}

export interface QueueCall extends Answered {
  readonly kind: 'queue';
  readonly order: QueueOrder;
  /** Number of URLs that were removed. */
  gone: number;
  /** `forget`: URLs decided; `dropAll`: hosts. */
  next: number;
}

export type Call = PutCall | GetCall | QueueCall;
