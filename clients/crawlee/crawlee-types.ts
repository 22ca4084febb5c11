/** The used part of Crawlee 3 as types: users pass their copy of Crawlee in. */
import type { Readable } from 'node:stream';

export interface CrawleeRequest {
  id?: string;
  url: string;
  loadedUrl?: string;
  uniqueKey: string;
  method: string;
  payload?: string | Uint8Array;
  noRetry: boolean;
  retryCount: number;
  errorMessages: string[];
  handledAt?: string;
  headers?: Record<string, string>;
  userData: Record<string, unknown>;
  crawlDepth: number;
  /** Crawlee's RequestState. */
  state: number;
}

/** 5: in Crawlee's error handling. 7: skipped. */
export const requestStates = { errorHandler: 5, skipped: 7 } as const;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface Session {
  markGood(): void;
}

export interface HttpRequest {
  readonly [name: string]: unknown;
  readonly url: string | URL;
  readonly headers?: Headers;
  readonly sessionToken?: object;
}

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Headers;
  readonly url: string;
}

/** Crawlee's BaseHttpClient. */
export interface HttpClient {
  sendRequest(request: HttpRequest): Promise<HttpResponse>;
  stream(
    request: HttpRequest,
    onRedirect?: (response: HttpResponse, next: { url?: string | URL; headers: Headers }) => void,
  ): Promise<HttpResponse & { readonly stream: Readable }>;
}

interface RequestClass {
  new (options: never): object;
  computeUniqueKey(options: { url: string }): string;
}

/** `import * as crawlee from 'crawlee'`, or any package of Crawlee's that has crawlers. */
export interface Crawlee {
  readonly Request: RequestClass;
  readonly RetryRequestError: new (message: string) => Error;
  readonly GotScrapingHttpClient: new () => object;
  readonly log: { warning(message: string): void; debug(message: string): void };
}

/** A request to add, as in `addRequests`. */
export type Source = string | (Partial<CrawleeRequest> & { readonly requestsFromUrl?: string });

export interface AddOptions {
  readonly forefront?: boolean;
  readonly waitForAllRequestsToBeAdded?: boolean;
  readonly batchSize?: number;
  readonly maxNewRequests?: number;
}

export interface Added {
  readonly requestId: string;
  readonly uniqueKey: string;
  readonly wasAlreadyPresent: boolean;
  readonly wasAlreadyHandled: boolean;
}

export interface AddedBatch {
  readonly addedRequests: Added[];
  readonly waitForAllRequestsToBeAdded: Promise<Added[]>;
  readonly requestsOverLimit?: Source[];
}
