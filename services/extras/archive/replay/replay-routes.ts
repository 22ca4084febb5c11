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

export function replayRoutes(index: ArchiveIndex, files: number, decode: Decode): Routes {
  const ownPage = (reply: Reply, html: string, status = 200) =>
    reply
      .code(status)
      .headers({
        ...everywhere,
        'content-security-policy': ownPolicy(styleHash),
        'content-type': 'text/html; charset=utf-8',
      })
      .send(html);
  const bad = (reply: Reply, said: string) => ownPage(reply, problemPage('Invalid time or URL', said, null), 400);
  const absent = (reply: Reply, url: string) =>
    ownPage(reply, problemPage('Not in this archive', `${url} was not captured.`, url), 404);
  const of = (request: Request) => `${(request.query as { readonly of?: string }).of ?? ''}`;

  const redirect = (reply: Reply, capture: Capture, headers: Readonly<Record<string, string>>, origin: string) =>
    reply
      .code(302)
      .headers({ ...everywhere, ...headers, location: mementoOf(origin, capture) })
      .send();

  const timeGate = async (request: Request, reply: Reply, text: string) => {
    const url = askedUrl(text);
    if (url === null) return bad(reply, 'Write /timegate/ followed by a URL.');
    const wanted = request.headers['accept-datetime'];
    const atMs = wanted === undefined ? Number.MAX_SAFE_INTEGER : msOfHttpDate(`${wanted}`);
    if (atMs === null) return bad(reply, 'Accept-Datetime is not a date such as Thu, 01 Jan 2026 00:00:00 GMT.');
    const survey = await index.survey(url, atMs);
    reply.header('vary', 'accept-datetime');
    if (survey === null) return absent(reply, url);
    const origin = originOf(request);
    return redirect(reply, survey.best, { link: linkHeader(origin, url, survey) }, origin);
  };

  const timeMap = async (request: Request, reply: Reply, form: typeof linkTimeMap, type: string) => {
    const url = askedUrl(of(request));
    if (url === null) return bad(reply, 'Write /timemap/link/ or /timemap/json/ followed by a URL.');
    const survey = await index.survey(url, 0);
    if (survey === null) return absent(reply, url);
    return reply
      .headers({ ...everywhere, 'content-type': type })
      .send(Readable.from(form(index, originOf(request), url, survey)));
  };

  const memento = async (request: Request, reply: Reply) => {
    const { digits, url } = askedMemento(of(request));
    if (digits === undefined) return timeGate(request, reply, of(request));
    const atMs = msOfDigits(digits);
    if (atMs === null || url === null) return bad(reply, 'Write /web/, up to 14 digits, / and a URL.');
    const survey = await index.survey(url, atMs);
    if (survey === null) return absent(reply, url);
    const { best } = survey;
    const origin = originOf(request);
    if (best.time !== digits || best.url !== url) return redirect(reply, best, {}, origin);
    return shown(request, reply, survey, origin);
  };

  const shown = async (request: Request, reply: Reply, survey: Survey, origin: string) => {
    const { best } = survey;
    const of = await openMemento(index, best);
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
      const next = await index.survey(target, best.atMs);
      if (next?.best.file === best.file && next.best.offset === best.offset) {
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
    const content = await contentOf(of, createLinker(best.time, best.url), accepts(request), decode);
    const { body } = content;
    if (body === null) return unable('Its content coding cannot be decoded.');
    // All that a browser shows as a document with links in it.
    const isPage = /^(?:text\/html|[^;]*\bxml)\b/.test(content.headers['content-type'] ?? '');
    if (isPage && request.headers['sec-fetch-dest'] === 'document') {
      if (body instanceof Readable) body.destroy();
      return reply
        .code(of.status)
        .headers({
          ...headers,
          'content-security-policy': framePolicy(styleHash),
          'content-type': 'text/html; charset=utf-8',
        })
        .send(framePage({ ...best, status: of.status }));
    }
    // A partial response is all that was archived, so it is sent as a whole one.
    const status = of.status === 206 ? 200 : of.status;
    reply.headers({ ...headers, ...content.headers });
    if (content.bytes === undefined || !(body instanceof Readable)) return reply.code(status).send(body);
    const range = status === 200 ? rangeOf(request.headers.range, content.bytes) : null;
    reply.header('accept-ranges', 'bytes');
    if (range === null) return reply.code(status).header('content-length', content.bytes).send(body);
    if (range === 'none') {
      body.destroy();
      return reply.code(416).header('content-range', `bytes */${content.bytes}`).send();
    }
    return reply
      .code(206)
      .header('content-range', `bytes ${range.first}-${range.last}/${content.bytes}`)
      .header('content-length', range.last - range.first + 1)
      .send(Readable.from(partOf(body, range)));
  };

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
    get('/', async (_, reply) => {
      const { hosts, isMore } = await hostsOf(index);
      return ownPage(reply, homePage(files, hosts, isMore));
    });
    get('/search', async (request, reply) => {
      const { url = '', after = '' } = request.query as { readonly url?: string; readonly after?: string };
      const prefix = askedUrl(url);
      if (prefix === null) return bad(reply, 'Enter the start of a URL, such as example.org/blog.');
      const { found, next } = await searched(index, surtOf(prefix), after);
      return ownPage(reply, searchPage(url, found, next));
    });
    const captures = async (reply: Reply, text: string, fromMs: number) => {
      const url = askedUrl(text);
      if (url === null) return bad(reply, 'Write /captures/ followed by a URL.');
      const months = await monthsOf(index, url);
      if (months.size === 0) return absent(reply, url);
      const { rows, next } = await shownCaptures(index, url, fromMs);
      return ownPage(reply, capturesPage(url, months, rows, next));
    };
    get('/captures', (request, reply) => captures(reply, of(request), 0));
    get('/captures-from', (request, reply) => {
      const [, digits = '', url = ''] = /^(\d{14})\/(.*)$/s.exec(of(request)) ?? [];
      return captures(reply, url, msOfDigits(digits) ?? 0);
    });
    get('/timegate', (request, reply) => timeGate(request, reply, of(request)));
    get('/timemap/link', (request, reply) => timeMap(request, reply, linkTimeMap, 'application/link-format'));
    get('/timemap/json', (request, reply) => timeMap(request, reply, jsonTimeMap, 'application/json'));
    get('/web', memento);
  };
}

function originOf({ protocol, headers }: Request): string {
  const origin = `${protocol}://${headers.host ?? ''}`;
  return canParse(origin) ? new URL(origin).origin : '';
}

function accepts({ headers }: Request): string {
  return `${headers['accept-encoding'] ?? ''}`;
}
