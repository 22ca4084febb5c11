/**
 * An archive over HTTP, read only: Memento (RFC 7089) for programs, pages for people.
 *
 *   /                                 start page
 *   /search?url=PREFIX                URLs with this prefix
 *   /captures/URL                     calendar and list of captures
 *   /timegate/URL                     302 to the memento nearest to Accept-Datetime (§4.1, pattern 1.1); without it, the newest
 *   /timemap/link/URL, /timemap/json/URL
 *   /web/14 DIGITS/URL                the memento; 302 to the nearest if none has that time
 *
 * A URL appears in a path unchanged, including its query. A browser that opens a page directly gets a frame around
 * the page, and nothing in the page can leave the frame.
 */

import { Readable } from 'node:stream';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import type { HttpReply as Reply, HttpRequest as Request, Routes } from '../../../runtime/http/http-server.ts';
import { headerOf } from '../http-message.ts';
import { surtOf } from '../surt.ts';
import type { ArchiveIndex, Survey } from './archive-index.ts';
import { askedMemento, askedUrl } from './asked-url.ts';
import { partOf, rangeOf } from './byte-range.ts';
import type { Capture } from './capture.ts';
import { contentOf, type Decode } from './content.ts';
import { httpDateOf, msOfDigits, msOfHttpDate } from './datetime.ts';
import { hostsOf, monthsOf, searched, shownCaptures } from './listed.ts';
import { openMemento } from './memento.ts';
import { capturesPage, framePage, homePage, problemPage, searchPage, styleHash } from './own-pages.ts';
import { PageTitles } from './page-titles.ts';
import { createLinker, pathOf } from './rewrite/linker.ts';
import { capturePolicy, everywhere, framePolicy, ownPolicy } from './shown-headers.ts';
import { jsonTimeMap, linkHeader, linkTimeMap, mementoOf } from './timemap.ts';

const withUrls = ['/captures-from/', '/captures/', '/timegate/', '/timemap/link/', '/timemap/json/', '/web/'];

/** The rest of these paths is a URL with its query, which goes into one parameter. */
export function replayTarget(target: string): string {
  const prefix = withUrls.find((one) => target.startsWith(one));
  if (prefix === undefined) return target;
  return `${prefix.slice(0, -1)}?of=${encodeURIComponent(target.slice(prefix.length))}`;
}

/** Answers from the archive: a method for each kind of path. */
class Replay {
  readonly #index: ArchiveIndex;
  readonly #decode: Decode;
  readonly #titles: PageTitles;

  constructor(index: ArchiveIndex, decode: Decode) {
    this.#index = index;
    this.#decode = decode;
    this.#titles = new PageTitles(index, decode);
  }

  async home(reply: Reply, files: number): Promise<Reply> {
    const { hosts, isMore } = await hostsOf(this.#index);
    return ownPage(reply, homePage(files, hosts, isMore));
  }

  async search(request: Request, reply: Reply): Promise<Reply> {
    const { url = '', after = '', parts = '' } = request.query as Readonly<Record<string, string>>;
    const prefix = askedUrl(url);
    if (prefix === null) return bad(reply, 'Enter the start of a URL, such as example.org/blog.');
    const withParts = parts === 'all';
    const { found, next } = await searched(this.#index, surtOf(prefix), after, withParts);
    const titles = await this.#titles.of(found);
    return ownPage(reply, searchPage({ prefix: url, withParts }, { found, titles }, next));
  }

  async captures(reply: Reply, text: string, fromMs: number): Promise<Reply> {
    const url = askedUrl(text);
    if (url === null) return bad(reply, 'Write /captures/ followed by a URL.');
    const months = await monthsOf(this.#index, url);
    if (months.size === 0) return absent(reply, url);
    const { rows, next } = await shownCaptures(this.#index, url, fromMs);
    return ownPage(reply, capturesPage(url, months, rows, next));
  }

  async timeGate(request: Request, reply: Reply, text: string): Promise<Reply> {
    const url = askedUrl(text);
    if (url === null) return bad(reply, 'Write /timegate/ followed by a URL.');
    const wanted = request.headers['accept-datetime'];
    const atMs = wanted === undefined ? Number.MAX_SAFE_INTEGER : msOfHttpDate(`${wanted}`);
    if (atMs === null) return bad(reply, 'Accept-Datetime is not a date such as Thu, 01 Jan 2026 00:00:00 GMT.');
    const survey = await this.#index.survey(url, atMs);
    reply.header('vary', 'accept-datetime');
    if (survey === null) return absent(reply, url);
    const origin = originOf(request);
    return redirect(reply, survey.best, { link: linkHeader(origin, url, survey) }, origin);
  }

  async timeMap(request: Request, reply: Reply, form: typeof linkTimeMap, type: string): Promise<Reply> {
    const url = askedUrl(restOf(request));
    if (url === null) return bad(reply, 'Write /timemap/link/ or /timemap/json/ followed by a URL.');
    const survey = await this.#index.survey(url, 0);
    if (survey === null) return absent(reply, url);
    return reply
      .headers({ ...everywhere, 'content-type': type })
      .send(Readable.from(form(this.#index, originOf(request), url, survey)));
  }

  async memento(request: Request, reply: Reply): Promise<Reply> {
    const { digits, url } = askedMemento(restOf(request));
    if (digits === undefined) return this.timeGate(request, reply, restOf(request));
    const atMs = msOfDigits(digits);
    if (atMs === null || url === null) return bad(reply, 'Write /web/, up to 14 digits, / and a URL.');
    const survey = await this.#index.survey(url, atMs);
    if (survey === null) return absent(reply, url);
    const { best } = survey;
    const origin = originOf(request);
    if (best.time !== digits || best.url !== url) return redirect(reply, best, {}, origin);
    return this.#show(request, reply, survey, origin);
  }

  async #show(request: Request, reply: Reply, survey: Survey, origin: string): Promise<Reply> {
    const { best } = survey;
    const of = await openMemento(this.#index, best);
    const headers = {
      ...everywhere,
      'content-security-policy': capturePolicy,
      'memento-datetime': httpDateOf(best.atMs),
      link: linkHeader(origin, best.url, survey),
    };
    const unable = async (said: string) => {
      await of.close();
      return ownPage(reply, problemPage('Cannot be shown', said, best.url), 502);
    };
    if (of.status < 200 || of.status > 599) return unable(`The site answered with status ${of.status}.`);
    const location = headerOf(of.headers, 'location');
    if (of.status >= 300 && of.status < 400 && location !== '') {
      const target = canParse(location, best.url) ? askedUrl(new URL(location, best.url).href) : null;
      if (target === null) return unable('It redirects to an invalid URL.');
      if (await this.#isShownFor(target, best)) {
        return unable(`It redirects to ${target}, which is not in this archive.`);
      }
      await of.close();
      return reply
        .code(of.status)
        .headers({ ...headers, location: pathOf(best.time, target) })
        .send();
    }
    // Others than these may have no body, or none that could be sent alone.
    if (of.status === 204 || of.status === 205 || of.status === 304) {
      await of.close();
      return reply.code(of.status).headers(headers).send();
    }
    const content = await contentOf(of, createLinker(best.time, best.url), accepts(request), this.#decode);
    const { body } = content;
    if (body === null) return unable('Its content coding cannot be decoded.');
    // All that a browser shows as a document with links in it.
    const isPage = /^(?:text\/html|[^;]*\bxml)\b/.test(content.headers['content-type'] ?? '');
    if (isPage && request.headers['sec-fetch-dest'] === 'document') {
      if (body instanceof Readable) body.destroy();
      return sendFrame(reply, headers, { ...best, status: of.status });
    }
    reply.headers({ ...headers, ...content.headers });
    // A partial response is all that was archived, so it is sent as a whole one.
    const status = of.status === 206 ? 200 : of.status;
    if (content.bytes === undefined || !(body instanceof Readable)) return reply.code(status).send(body);
    return sendStream(reply, status, body, content.bytes, request.headers.range);
  }

  /** Is this capture the nearest to its own time of `url`? */
  async #isShownFor(url: string, capture: Capture): Promise<boolean> {
    const next = await this.#index.survey(url, capture.atMs);
    return next?.best.file === capture.file && next.best.offset === capture.offset;
  }
}

export function replayRoutes(index: ArchiveIndex, files: number, decode: Decode): Routes {
  const replay = new Replay(index, decode);
  return (app) => {
    const get = (path: string, act: (request: Request, reply: Reply) => Promise<Reply>) =>
      app.get(path, async (request, reply) => {
        try {
          return await act(request, reply);
        } catch (error) {
          // A faulty file of the archive is not a bug, and affects only this capture.
          if (!(error instanceof CrawlstreamError)) throw error;
          return ownPage(reply, problemPage('Cannot be shown', error.message, null), 502);
        }
      });
    get('/', (_, reply) => replay.home(reply, files));
    get('/search', (request, reply) => replay.search(request, reply));
    get('/captures', (request, reply) => replay.captures(reply, restOf(request), 0));
    get('/captures-from', (request, reply) => {
      const [, digits = '', url = ''] = /^(\d{14})\/(.*)$/s.exec(restOf(request)) ?? [];
      return replay.captures(reply, url, msOfDigits(digits) ?? 0);
    });
    get('/timegate', (request, reply) => replay.timeGate(request, reply, restOf(request)));
    get('/timemap/link', (request, reply) => replay.timeMap(request, reply, linkTimeMap, 'application/link-format'));
    get('/timemap/json', (request, reply) => replay.timeMap(request, reply, jsonTimeMap, 'application/json'));
    get('/web', (request, reply) => replay.memento(request, reply));
  };
}

function ownPage(reply: Reply, html: string, status = 200): Reply {
  return reply
    .code(status)
    .headers({
      ...everywhere,
      'content-security-policy': ownPolicy(styleHash),
      'content-type': 'text/html; charset=utf-8',
    })
    .send(html);
}

function bad(reply: Reply, said: string): Reply {
  return ownPage(reply, problemPage('Invalid time or URL', said, null), 400);
}

function absent(reply: Reply, url: string): Reply {
  return ownPage(reply, problemPage('Not in this archive', `${url} was not captured.`, url), 404);
}

function redirect(reply: Reply, to: Capture, headers: Readonly<Record<string, string>>, origin: string): Reply {
  return reply
    .code(302)
    .headers({ ...everywhere, ...headers, location: mementoOf(origin, to) })
    .send();
}

/** Sends the frame that a browser shows around a page. */
function sendFrame(
  reply: Reply,
  headers: Readonly<Record<string, string>>,
  capture: Parameters<typeof framePage>[0],
): Reply {
  return reply
    .code(capture.status)
    .headers({
      ...headers,
      'content-security-policy': framePolicy(styleHash),
      'content-type': 'text/html; charset=utf-8',
    })
    .send(framePage(capture));
}

/** Sends a body of known length, or the part of it that `asked`, a Range header, names. */
function sendStream(reply: Reply, status: number, body: Readable, bytes: number, asked: string | undefined): Reply {
  const range = status === 200 ? rangeOf(asked, bytes) : null;
  reply.header('accept-ranges', 'bytes');
  if (range === null) return reply.code(status).header('content-length', bytes).send(body);
  if (range === 'none') {
    body.destroy();
    return reply.code(416).header('content-range', `bytes */${bytes}`).send();
  }
  return reply
    .code(206)
    .header('content-range', `bytes ${range.first}-${range.last}/${bytes}`)
    .header('content-length', range.last - range.first + 1)
    .send(Readable.from(partOf(body, range)));
}

/** The rest of the path, which `replayTarget` made a parameter. */
function restOf(request: Request): string {
  return `${(request.query as { readonly of?: string }).of ?? ''}`;
}

function originOf({ protocol, headers }: Request): string {
  const origin = `${protocol}://${headers.host ?? ''}`;
  return canParse(origin) ? new URL(origin).origin : '';
}

function accepts({ headers }: Request): string {
  return `${headers['accept-encoding'] ?? ''}`;
}
