/**
 * Fetches a page's subresources for a browser: scripts, styles and data, as politely as pages.
 *
 * They are paced like all requests (pace/paced-request.ts): each host has one permit and delay for all pages, its
 * address is paced, requested pauses are kept, and a blocked host is not contacted. The host's robots.txt is obeyed,
 * bodies are bounded, and recent responses are not requested again. Fetchers pace the same hosts separately: a host
 * with rendered pages sees one more client, which keeps its delay.
 */

import type { Request } from '../../../schemas/types.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { HttpResponse } from '../http/client.ts';
import { type Headers, headerOf } from '../http/headers.ts';
import { type RequestPurpose, requestRecord } from '../http/outcomes.ts';
import { keepPause, pacedRequest, type RequestPath } from '../pace/paced-request.ts';
import { originOf, type RobotsCache, type RobotsFetch } from '../robots/cache.ts';

export interface Subresource {
  readonly status: number;
  /** Without content coding: the body is plain. */
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface SubresourceLimits {
  readonly bodyBytesMax: number;
  /** Bytes of all that is kept. */
  readonly cacheBytesMax: number;
  readonly cacheMs: number;
}

/**
 * Why nothing is given: robots.txt forbids it or is unavailable, its host is blocked, its address is not for crawls, it could not
 * start by its time, or there was no whole answer.
 */
export type NotLoaded = 'robots' | 'blocked' | 'address' | 'late' | 'failed';

export interface Subresources {
  /** Null: refused for one of those reasons, which is counted. */
  get(url: string, page: LoadingPage, latestStartMs: number): Promise<Subresource | null>;
  stats(): Readonly<Record<NotLoaded, number>>;
}

/** The page that needs the subresource. */
export interface LoadingPage {
  readonly hostKey: string;
  /** Delay of the subresource's host. */
  readonly delayMs: number;
}

export interface SubresourceOptions {
  readonly requestPath: RequestPath;
  /** The policy's delay by host key, for hosts without other facts. */
  readonly delayOf: (hostKey: string) => number;
  readonly robots: RobotsCache;
  /** Headers such as User-Agent, by host key: names and values alternate. */
  readonly headersOf: (hostKey: string) => Headers;
  readonly limits: SubresourceLimits;
  /** Called with each request that was made. */
  readonly record: (request: Request) => void;
}

export function createSubresources(options: SubresourceOptions): Subresources {
  return new FetchedSubresources(options);
}

/** Its public acts are fields, since callers hand out single ones: `subresources.stats`. */
class FetchedSubresources implements Subresources {
  readonly #options: SubresourceOptions;
  /** In order of last use. */
  readonly #kept = new Map<string, { readonly answer: Subresource; readonly untilMs: number }>();
  readonly #underWay = new Map<string, Promise<Subresource | NotLoaded>>();
  readonly #notLoaded: Record<NotLoaded, number> = { robots: 0, blocked: 0, address: 0, late: 0, failed: 0 };
  #bytes = 0;

  constructor(options: SubresourceOptions) {
    this.#options = options;
  }

  async #paced(
    url: string,
    delayMs: number,
    latestStartMs: number,
    bodyBytesMax: number,
    purpose: Pick<RequestPurpose, 'kind' | 'hop' | 'robotsHash' | 'robotsAtMs'>,
  ) {
    const hostKey = hostKeyOf(url);
    const response = await pacedRequest(this.#options.requestPath, {
      ...{
        url,
        headers: this.#options.headersOf(hostKey),
        bodyBytesMax,
        hostKey,
        delayMs,
        delayFactor: 0,
        latestStartMs,
      },
      kind: purpose.kind === 'robots' ? 'robots' : 'requisite',
      record: (made, addressDelayMs) =>
        this.#options.record(requestRecord(url, { ...purpose, outcomeIndex: -1 }, delayMs, made, addressDelayMs)),
    });
    if (response !== null) keepPause(this.#options.requestPath, hostKey, response);
    return response;
  }

  #delayOf(url: string, page: LoadingPage) {
    return hostKeyOf(url) === page.hostKey ? page.delayMs : Math.max(this.#options.delayOf(hostKeyOf(url)), 0);
  }

  #robotsFetch(page: LoadingPage, latestStartMs: number): RobotsFetch {
    return async (asked) => {
      const delayMs = this.#delayOf(asked.at(-1)!, page);
      const purpose = { kind: 'robots', hop: asked.length - 1, robotsHash: '', robotsAtMs: 0 } as const;
      const response = await this.#paced(asked.at(-1)!, delayMs, latestStartMs, robotsLimits.bodyBytesMax, purpose);
      return response === null ? null : robotsResponse(response);
    };
  }

  #forget(url: string) {
    this.#bytes -= this.#kept.get(url)?.answer.body.length ?? 0;
    this.#kept.delete(url);
  }

  async #fetchOne(url: string, page: LoadingPage, latestStartMs: number): Promise<Subresource | NotLoaded> {
    const notStarted = () => (this.#options.requestPath.isBlocked(hostKeyOf(url)) ? 'blocked' : 'late');
    const answer = await this.#options.robots.get(originOf(url), this.#robotsFetch(page, latestStartMs));
    if (answer === null) return notStarted();
    if (answer.robots.blockedAddress) return 'address';
    if (answer.robots.status === 'unreachable' || !isAllowed(answer.robots.rules, url)) return 'robots';
    const politeMs = Math.max(this.#delayOf(url, page), answer.robots.rules.crawlDelayMs ?? 0);
    const { hash: robotsHash, fetchedAtMs: robotsAtMs } = answer.robots;
    const purpose = { kind: 'other', hop: 0, robotsHash, robotsAtMs } as const;
    const response = await this.#paced(url, politeMs, latestStartMs, this.#options.limits.bodyBytesMax, purpose);
    if (response === null) return notStarted();
    if (response.failure?.kind === 'blockedAddress') return 'address';
    if (response.failure !== null || response.truncated) return 'failed';
    const { status, body } = response;
    const made = { status, headers: withoutCoding(response.headers), body };
    this.#forget(url);
    this.#kept.set(url, {
      answer: made,
      untilMs: this.#options.requestPath.ownClock.nowMs() + this.#options.limits.cacheMs,
    });
    this.#bytes += body.length;
    while (this.#bytes > this.#options.limits.cacheBytesMax && this.#kept.size > 1)
      this.#forget(this.#kept.keys().next().value!);
    return made;
  }

  readonly stats: Subresources['stats'] = () => ({ ...this.#notLoaded });
  readonly get: Subresources['get'] = async (url, page, latestStartMs) => {
    const known = this.#kept.get(url);
    if (known !== undefined && known.untilMs > this.#options.requestPath.ownClock.nowMs()) {
      this.#kept.delete(url);
      this.#kept.set(url, known);
      return known.answer;
    }
    let answer = this.#underWay.get(url);
    if (answer === undefined) {
      answer = this.#fetchOne(url, page, latestStartMs).finally(() => this.#underWay.delete(url));
      this.#underWay.set(url, answer);
    }
    const made = await answer;
    if (typeof made !== 'string') return made;
    this.#notLoaded[made] += 1;
    return null;
  };
}

function withoutCoding(headers: Headers): Headers {
  const plain: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!/^(content-encoding|content-length|transfer-encoding|connection)$/.test(headers[i]!)) {
      plain.push(headers[i]!, headers[i + 1]!);
    }
  }
  return plain;
}

function robotsResponse({ failure, status, headers, body }: HttpResponse) {
  return {
    status: failure === null ? status : 0,
    location: headerOf(headers, 'location') || null,
    body,
    retryAfterMs: 0,
    blockedAddress: failure?.kind === 'blockedAddress',
    detail: failure?.detail ?? '',
  };
}
