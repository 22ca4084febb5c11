/**
 * Spans of one URL in a fetcher: its lease, and within it robots, fetch, parse and publish.
 *
 * They exist only for a URL that its task marks as traced. Even if this process sends no spans, the contexts are passed
 * on in pages, links and results, since other processes may send theirs.
 */
import type { Outcome, Task } from '../../../schemas/types.ts';
import { leaseSpan } from '../../../topology/trace/journey.ts';
import {
  childOf,
  formatTraceparent,
  parseTraceparent,
  type TraceContext,
} from '../../../topology/trace/trace-context.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Span, SpanSink } from '../../runtime/tracing/spans.ts';
import type { HttpResponse } from '../http/client.ts';
import type { RobotsAnswer } from '../robots/cache.ts';

type Attributes = Span['attributes'];

export class UrlSpans {
  readonly #sink: SpanSink;
  readonly #clock: Clock;
  readonly #task: Task;
  readonly #url: string;
  readonly #queue: TraceContext;
  readonly #lease: TraceContext;
  #fetch: TraceContext;
  #fetches = 0;
  #outcome: Outcome | undefined;
  #published = 0;
  #reportedAtMs = 0;

  constructor(sink: SpanSink, clock: Clock, task: Task, url: string, queue: TraceContext) {
    this.#sink = sink;
    this.#clock = clock;
    this.#task = task;
    this.#url = url;
    this.#queue = queue;
    this.#lease = leaseSpan(queue);
    this.#fetch = childOf(this.#lease, 'fetch');
  }

  /** Span context in results, so that the frontier continues from the lease. */
  get leaseContext(): string {
    return formatTraceparent(this.#lease);
  }

  /** The context for links, so that their traces refer to the fetch. */
  get fetchContext(): string {
    return formatTraceparent(this.#fetch);
  }

  /** Span context in the page, so that its readers continue from there. */
  get publishContext(): string {
    return formatTraceparent(childOf(this.#lease, 'publish'));
  }

  robots(startMs: number, answer: RobotsAnswer | null): void {
    this.#end('robots', 'internal', startMs, this.#clock.nowMs(), answer === null ? 'not in time' : '', {
      'crawlstream.robots.status': answer?.robots.status ?? 'unknown',
      'crawlstream.robots.fresh': answer?.fresh ?? false,
    });
  }

  /** Called for each request: a request on a connection that had gone stale is repeated. */
  fetched({ status, failure, startMs, endMs, address, body, connectMs, firstByteMs, wire }: HttpResponse): void {
    this.#fetches += 1;
    if (this.#fetches > 1) this.#fetch = childOf(this.#lease, `fetch ${this.#fetches}`);
    const { hostname, port, protocol } = new URL(this.#url);
    const error = failure !== null ? `${failure.kind}: ${failure.detail}` : status >= 400 ? `status ${status}` : '';
    const attributes = {
      'http.request.method': wire?.sent.method ?? 'GET',
      ...(status > 0 && { 'http.response.status_code': status }),
      ...(address !== '' && { 'network.peer.address': address }),
      ...(this.#fetches > 1 && { 'http.request.resend_count': this.#fetches - 1 }),
      'url.full': this.#url,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      'crawlstream.body_bytes': body.length,
      'crawlstream.connect_ms': connectMs,
      'crawlstream.first_byte_ms': firstByteMs,
    };
    this.#sink({
      ...{ name: 'fetch', span: this.#fetch, parent: this.#lease, links: [], kind: 'client' },
      ...{ startMs, endMs, attributes, error },
    });
  }

  parsed(startMs: number, { kind, detail, links, linksDropped }: Outcome): void {
    this.#end('parse', 'internal', startMs, this.#clock.nowMs(), kind === 'parseFailed' ? detail : '', {
      'crawlstream.links': links,
      'crawlstream.links_dropped': linksDropped,
    });
  }

  /** `records`: groups of links, and a page, that must be durable before the result is sent. */
  reported(outcome: Outcome, records: number): void {
    this.#reportedAtMs = this.#clock.nowMs();
    this.#outcome = outcome;
    this.#published = records;
  }

  /** The reports are durable. */
  acked(): void {
    const nowMs = this.#clock.nowMs();
    const outcome = this.#outcome!;
    if (this.#published > 0) {
      const records = { 'crawlstream.records': this.#published };
      this.#end('publish', 'producer', this.#reportedAtMs, nowMs, '', records);
    }
    const { grantedAtMs, leaseId, partition, hostKey } = this.#task;
    this.#sink({
      ...{ name: 'lease', span: this.#lease, parent: this.#queue, links: [], kind: 'consumer' },
      startMs: grantedAtMs,
      endMs: nowMs,
      attributes: {
        'messaging.destination.name': 'tasks',
        'url.full': this.#url,
        'crawlstream.host': hostKey,
        'crawlstream.partition': partition,
        'crawlstream.lease': leaseId,
        'crawlstream.outcome': outcome.kind,
        ...(outcome.redirectUrl !== '' && { 'crawlstream.redirect': outcome.redirectUrl }),
      },
      error: isFine(outcome.kind) ? '' : outcome.detail,
    });
  }

  #end(name: string, kind: Span['kind'], startMs: number, endMs: number, error: string, attributes: Attributes): void {
    const span = childOf(this.#lease, name);
    this.#sink({ name, span, parent: this.#lease, links: [], kind, startMs, endMs, attributes, error });
  }
}

/** The details of such an outcome are no failure: a plugin that drops the page, or the canonical that redirects. */
function isFine(kind: Outcome['kind']): boolean {
  return kind === 'fetched' || kind === 'notModified' || kind === 'redirect';
}

/** undefined: the URL is not traced. */
export function urlSpans(sink: SpanSink, clock: Clock, task: Task, index: number): UrlSpans | undefined {
  const { url, traceparent } = task.urls[index]!;
  const queue = traceparent === '' ? null : parseTraceparent(traceparent);
  return queue === null ? undefined : new UrlSpans(sink, clock, task, url, queue);
}
