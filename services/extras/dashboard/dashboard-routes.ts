/**
 * The dashboard: its page at `/dashboard/`, the page's status (`/dashboard/events`, one JSON a second), and its
 * requests. `POST /hosts/KEY/block`, `/unblock`, `/delay`, `/limit` and `POST /crawl/pause`, `/resume` are control
 * calls, for the page and for other callers, as are `POST /crawl/seeds`, `/crawl/stop` and `/letters/replay`.
 *
 * Crawled data are hostile: nothing here turns them into markup, and the page may run no script and load no file but
 * ours (Content-Security-Policy). Explaining a URL, or showing its record and its history (`/story?url=URL`, which has a
 * page), reads much of a log: it is a control call too, one at a time. So are a search, the map of hosts and the
 * lists of duplicates and of URLs without a page.
 */
import { CrawlstreamError, invalid } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { HttpApp, HttpReply, HttpRequest } from '../../runtime/http/http-server.ts';
import type { CrawlView } from './crawl-view.ts';
import { streamTo } from './event-stream.ts';
import { dashboardLimits } from './limits.ts';
import { pageHeaders, publicPage, servePages } from './page-files.ts';
import {
  actsWithAmount,
  type CrawlPhase,
  crawlActs,
  type HostAct,
  type HostsAsked,
  hostActs,
  hostSorts,
} from './status.ts';
import { Viewers } from './viewers.ts';

export interface Dashboard {
  readonly routes: (app: HttpApp) => void;
  /** Sends the final phase to the viewers. */
  over(phase: CrawlPhase): Promise<void>;
}

/** A crawl that is looked at. */
export interface ShownCrawl {
  readonly viewers: Viewers;
  /** undefined while it is not up yet, or is stopping. */
  readonly view: () => CrawlView | undefined;
  isExplaining: boolean;
}

export function showCrawl(clock: Clock, view: () => CrawlView | undefined): ShownCrawl {
  return { viewers: new Viewers({ clock, view }), view, isExplaining: false };
}

/** Can calls about the crawl be answered now? */
export function isUp({ view }: ShownCrawl): boolean {
  return view() !== undefined;
}

/** `view`: undefined while this process is not up yet, or is stopping. */
export function createDashboard(clock: Clock, view: () => CrawlView | undefined): Dashboard {
  const crawl = showCrawl(clock, view);
  const routes = (app: HttpApp) => {
    app.addHook('preClose', (done) => {
      crawl.viewers.close();
      done();
    });
    dashboardRoutes(() => crawl)(app);
  };
  return { routes, over: (phase) => crawl.viewers.over(phase) };
}

/**
 * `of`: returns the crawl that a call is about; throws if the call is not allowed. `door`: admits calls. Absent: the
 * rules of any service.
 */
export function dashboardRoutes(of: (request: HttpRequest) => ShownCrawl, door?: RouteDoor): (app: HttpApp) => void {
  const now = (request: HttpRequest) => {
    const one = of(request).view();
    if (one !== undefined) return one;
    throw away('this crawl is starting or stopping: retry in a moment');
  };
  const reading = door ?? {};
  const costly = { ...door, config: { access: 'control' as const, ...door?.config, costly: true as const } };
  return (app) => {
    servePages(app, 'page/index.html');
    app.get('/dashboard/data', reading, async (request, reply) =>
      reply.headers(pageHeaders).send(await of(request).viewers.now()),
    );
    app.get('/dashboard/history', reading, async (request, reply) =>
      reply.headers(pageHeaders).send(await now(request).history()),
    );
    app.get('/dashboard/errors', reading, async (request, reply) =>
      reply.headers(pageHeaders).send(await now(request).errors()),
    );
    app.get('/dashboard/hosts', reading, async (request, reply) =>
      reply.headers(pageHeaders).send(await now(request).hosts(hostsAsked(request.query))),
    );
    app.get('/dashboard/host', reading, async (request, reply) => {
      const { host, from = '' } = request.query as { readonly host?: unknown; readonly from?: unknown };
      if (typeof host !== 'string' || host.trim() === '')
        throw invalid('host is missing: send the host key, as in host=example.org');
      if (typeof from !== 'string')
        throw invalid('from is given twice: send it once, with "next" of the previous page');
      return reply.headers(pageHeaders).send(await now(request).host(host.trim(), from));
    });
    app.get('/story', publicPage, (request, reply) =>
      reply.redirect(`dashboard/page/story.html${queryOf(request.url)}`),
    );
    costlyRoutes(app, costly, of, now);
    app.get('/dashboard/events', reading, (request, reply) => {
      const { viewers } = of(request);
      const taken = viewers.takenFor(request.ip);
      if (taken !== null) throw tooMany(`${taken} already show this crawl, which is the limit: close one`);
      // A stream has no end that a HEAD could wait for.
      if (request.method === 'HEAD') return reply.headers(pageHeaders).type('text/event-stream; charset=utf-8').send();
      reply.hijack();
      streamTo(reply.raw, pageHeaders, request.ip, viewers);
    });
    operatorRoutes(app, reading, now);
  };
}

/** Questions that read much of the crawl's data: one at a time. */
function costlyRoutes(
  app: HttpApp,
  options: RouteDoor,
  of: (request: HttpRequest) => ShownCrawl,
  now: (request: HttpRequest) => CrawlView,
): void {
  type Answer = (view: CrawlView, gone: AbortSignal) => Promise<object>;
  const alone = (path: string, answerOf: (request: HttpRequest) => Answer) =>
    app.get(`/dashboard/${path}`, options, async (request, reply) => {
      const crawl = of(request);
      const answer = answerOf(request);
      if (crawl.isExplaining) throw tooMany('another question is being answered: retry in a moment');
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      crawl.isExplaining = true;
      try {
        return await reply.headers(pageHeaders).send(await answer(now(request), gone.signal));
      } finally {
        crawl.isExplaining = false;
      }
    });
  for (const question of ['explain', 'story', 'record'] as const) {
    alone(question, ({ query }) => {
      const { url } = query as { readonly url?: unknown };
      if (typeof url === 'string' && url.trim() !== '') return (view, gone) => view[question](url.trim(), gone);
      throw invalid('url is missing: send the URL, as in url=https%3A%2F%2Fexample.org%2F');
    });
  }
  alone('search', ({ query }) => {
    const { words = '' } = query as { readonly words?: string };
    if (words.length <= dashboardLimits.searchCharsMax) return (view, gone) => view.search(words, gone);
    throw invalid(`words: ${words.length} characters are more than ${dashboardLimits.searchCharsMax}: shorten them`);
  });
  alone('map', () => (view, gone) => view.hostMap(gone));
  alone('duplicates', () => (view, gone) => view.duplicates(gone));
  alone('failures', () => (view, gone) => view.failures(gone));
  // Only its status counts: it is that of every call of an operator, here and at the service that is shown.
  app.get('/dashboard/rights', options, async (request, reply) => {
    const view = of(request).view();
    if (view !== undefined && !(await view.mayOperate()))
      throw refused('the service that is shown refuses the calls of operators: give its CRAWLSTREAM_HTTP_TOKEN');
    return reply.headers(pageHeaders).send({});
  });
}

/** Calls that change the crawl: control calls, since they are no reads. */
function operatorRoutes(app: HttpApp, options: RouteDoor, now: (request: HttpRequest) => CrawlView): void {
  for (const act of hostActs) {
    app.post(`/hosts/:key/${act}`, options, async (request, reply) => {
      const { key } = request.params as { readonly key: string };
      const amount = amountOf(act, request.body);
      const host = await now(request).act(act, key, byOf(request), amount);
      return reply.code(202).send(actsWithAmount.has(act) ? { host, act, amount } : { host, act });
    });
  }
  app.post('/crawl/seeds', options, async (request, reply) =>
    reply.code(202).send(await now(request).addSeeds(textsOf('urls', request.body))),
  );
  app.post('/letters/replay', options, async (request, reply) =>
    reply.code(202).send({ replayed: await now(request).replay(textsOf('ids', request.body)) }),
  );
  for (const act of crawlActs) {
    app.post(`/crawl/${act}`, options, async (request, reply) => {
      const changed = await now(request).steer(act, byOf(request));
      return reply.code(202).send({ act, changed });
    });
  }
}

/** Access control of a route. */
export interface RouteDoor {
  readonly config?: { readonly access: 'keyed' | 'control'; readonly costly?: true };
  readonly onRequest?: (request: HttpRequest, reply: HttpReply) => Promise<void>;
}

/** With what `byOf` adds. */
const byCharsMax = 200;

interface Asked {
  readonly body: unknown;
  readonly ip: string;
  readonly id: string;
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

function hostsAsked(query: unknown): HostsAsked {
  const { search = '', sort = 'queued', limit = '50' } = query as Readonly<Record<string, string>>;
  const { hostsMax, searchCharsMax } = dashboardLimits;
  const known = hostSorts.find((one) => one === sort);
  if (known === undefined) throw invalid(`sort ${JSON.stringify(sort)}: give one of ${hostSorts.join(', ')}`);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > hostsMax)
    throw invalid(`limit ${JSON.stringify(limit)}: give a number from 1 to ${hostsMax}`);
  if (search.length > searchCharsMax) throw invalid(`search is longer than ${searchCharsMax} characters: shorten it`);
  return { search, sort: known, limit: Number(limit) };
}

function textsOf(name: 'urls' | 'ids', body: unknown): string[] {
  const given = ((body ?? {}) as Readonly<Record<string, unknown>>)[name];
  const texts = Array.isArray(given) ? given : [];
  if (texts.length > 0 && texts.length <= dashboardLimits.sentAtOnce && texts.every((one) => typeof one === 'string'))
    return texts;
  throw invalid(`${name}: give 1 to ${dashboardLimits.sentAtOnce} texts, as in {"${name}": ["…"]}`);
}

/** null: the policy decides. */
function amountOf(act: HostAct, body: unknown): number | null {
  if (!actsWithAmount.has(act)) return null;
  const { amount } = (body ?? {}) as { readonly amount?: unknown };
  if (amount === null) return null;
  const most = act === 'delay' ? crawlLimits.delayMsMax : Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(amount) && (amount as number) >= 0 && (amount as number) <= most) return amount as number;
  const what = act === 'delay' ? `ms from 0 to ${most}` : 'pages';
  throw invalid(
    `amount ${JSON.stringify(amount)}: give a whole number of ${what}, or null for the value of the policy`,
  );
}

/**
 * Names the author of an order for the record: caller and request id. The id links the order to the log of that process.
 */
function byOf({ body, ip, id }: Asked): string {
  const { by: given } = (body ?? {}) as { readonly by?: unknown };
  const by = typeof given === 'string' && given !== '' && given.length <= byCharsMax ? given : `dashboard from ${ip}`;
  // A separate dashboard passes on the name of its caller.
  return by.includes(', request ') ? by : `${by}, request ${id}`;
}

function tooMany(message: string): Error {
  return Object.assign(new Error(message), { statusCode: 429, code: 'TOO_MANY' });
}

function refused(message: string): Error {
  return Object.assign(new Error(message), { statusCode: 403, code: 'REFUSED' });
}

function away(message: string): CrawlstreamError {
  return new CrawlstreamError('NOT_READY', message);
}
