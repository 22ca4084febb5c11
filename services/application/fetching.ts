/** Fetching options for programs that run the application. */
export { parseResolveOverride } from '../fetcher/connect/resolve-override.ts';
export type { FetcherConfig } from '../fetcher/fetcher-config.ts';
export type { FetcherOptions } from '../fetcher/fetcher-options.ts';
export type {
  FetchHooks,
  FoundUrl,
  HookDocument,
  HookOffer,
  HookParsed,
  HookPayment,
  HookRequest,
  HookResponse,
} from '../fetcher/hooks/fetch-hooks.ts';
export type { HttpResponse } from '../fetcher/http/client.ts';
export { createFetchClient, type FetchFunction, type FetchInit } from '../fetcher/http/fetch-client.ts';
