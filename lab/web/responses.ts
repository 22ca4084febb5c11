/**
 * The server's response to a request: status, headers, body, and its delay. It knows no sockets.
 *
 * State: which flaky URLs have failed once. Everything else follows from the plan.
 */
import { gzipBody, type Prose, plainBody, pressProse } from './gzip.ts';
import { movedName } from './hosts.ts';
import { pagePieces } from './page.ts';
import type { WebPlan } from './plan.ts';
import { fraction, mix } from './random.ts';
import { pagePath, type Resource } from './resources.ts';
import { sections } from './text.ts';

export interface Ask {
  readonly host: number;
  readonly target: string;
  readonly port: number;
  readonly gzip: boolean;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
}

export interface Answer {
  readonly status: number;
  /** Names and values in turn; no Content-Length. */
  readonly headers: string[];
  readonly body: Buffer;
  /** Time to wait first, ms. */
  readonly waitMs: number;
}

export interface Responder {
  answer(ask: Ask, resource: Resource | undefined): Answer;
  /** Flaky URLs fail once more. */
  reset(): void;
}

const nothing = Buffer.alloc(0);
const html = 'text/html; charset=utf-8';
const text = 'text/plain; charset=utf-8';

/** 1 January 2026: pages were last modified in the year before it. */
const newestMs = 1_767_225_600_000;
const yearSeconds = 365 * 86_400;

export function createResponder(plan: WebPlan): Responder {
  const { options } = plan;
  const prose: Prose = pressProse(sections(options.seed));
  const failedOnce = new Set<string>();

  const page = (ask: Ask, resource: Resource): Answer => {
    const key = resource.index < 0 ? mix(resource.path.length, 70) : resource.index;
    const headers = ['Content-Type', html];
    const isSlow = resource.kind === 'page' && fraction(options.seed, 71, ask.host, key) < options.slow;
    const waitMs = isSlow ? options.slowMs : 0;
    if (resource.index >= 0 && fraction(options.seed, 72, ask.host, key) < options.validators) {
      const { etag, lastModified } = validatorsOf(options.seed, ask.host, key);
      if (etag !== '') headers.push('ETag', etag);
      if (lastModified !== '') headers.push('Last-Modified', lastModified);
      if (isUnchanged(ask, etag, lastModified)) return { status: 304, headers, body: nothing, waitMs };
    }
    const pieces = pagePieces(plan, ask.host, resource, ask.port, prose.lengths);
    if (!ask.gzip) return { status: 200, headers, body: plainBody(pieces, prose), waitMs };
    headers.push('Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding');
    return { status: 200, headers, body: gzipBody(pieces, prose), waitMs };
  };

  const infra = (ask: Ask, resource: Resource): Answer => {
    if (resource.target !== undefined) return redirect(ask, resource, resource.target);
    if (resource.status !== 200) return short(resource.status, text, 'Not available.\n');
    if (resource.path === '/sitemap.xml') return short(200, 'application/xml', plan.sitemap(ask.host, ask.port));
    const moved = plan.hostOf(movedName(resource.path));
    return short(200, text, plan.robots(moved < 0 ? ask.host : moved, ask.port));
  };

  const redirect = (ask: Ask, resource: Resource, target: NonNullable<Resource['target']>): Answer => {
    // Both forms of Location that RFC 9110 §10.2.2 allows.
    const relative = target.host === ask.host && resource.path.length % 2 === 0;
    const location = relative ? target.path : plan.url(target.host, target.path, ask.port);
    return { status: resource.status, headers: ['Location', location], body: nothing, waitMs: 0 };
  };

  const throttled = (): Answer => ({
    status: 429,
    headers: ['Content-Type', text, 'Retry-After', String(options.retryAfterSeconds)],
    body: Buffer.from('Too many requests.\n'),
    waitMs: 0,
  });

  return {
    answer(ask, resource) {
      if (resource === undefined) return short(404, html, '<!doctype html><title>Not found</title>\n');
      switch (resource.kind) {
        case 'infra':
          return infra(ask, resource);
        case 'redirect':
        case 'loop':
          return redirect(ask, resource, resource.target ?? { host: ask.host, path: pagePath(0) });
        case 'missing':
        case 'error':
          return short(resource.status, html, `<!doctype html><title>${resource.status}</title>\n`);
        case 'flaky': {
          const key = `${ask.host}${resource.path}`;
          if (failedOnce.has(key)) return page(ask, resource);
          failedOnce.add(key);
          if (plan.traits(ask.host).throttled) return throttled();
          return short(500, html, '<!doctype html><title>Try again</title>\n');
        }
        default:
          return page(ask, resource);
      }
    },
    reset: () => failedOnce.clear(),
  };
}

function short(status: number, type: string, body: string): Answer {
  return { status, headers: ['Content-Type', type], body: Buffer.from(body), waitMs: 0 };
}

/** ETag alone, Last-Modified alone, or both. Empty: not sent. */
function validatorsOf(seed: number, host: number, key: number): { etag: string; lastModified: string } {
  const dice = mix(seed, 73, host, key);
  const form = dice % 3;
  const etag = `"${dice.toString(16).padStart(8, '0')}"`;
  return {
    etag: form === 1 ? '' : form === 0 ? etag : `W/${etag}`,
    lastModified: form === 0 ? '' : new Date(newestMs - (dice % yearSeconds) * 1000).toUTCString(),
  };
}

/** RFC 9110 §13.2.2: If-None-Match alone decides if it is present; weak comparison. */
function isUnchanged(ask: Ask, etag: string, lastModified: string): boolean {
  if (ask.ifNoneMatch !== undefined) {
    if (ask.ifNoneMatch.trim() === '*') return true;
    return etag !== '' && ask.ifNoneMatch.split(',').some((tag) => opaque(tag.trim()) === opaque(etag));
  }
  if (ask.ifModifiedSince === undefined || lastModified === '') return false;
  return Date.parse(ask.ifModifiedSince) >= Date.parse(lastModified);
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}
