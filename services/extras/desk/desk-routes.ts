/**
 * The page for webmasters over HTTP: forms that browsers send without scripts, and pages that may run none
 * (Content-Security-Policy).
 *
 * A GET changes nothing. A POST must come from the service's own page: with the cookie of its visitor, the seal in the
 * form of that visitor, and, if the browser names the origin, the service's origin.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlstreamError, hasCode } from '../../../topology/errors.ts';
import type { HttpApp, HttpReply, HttpRequest } from '../../runtime/http/http-server.ts';
import { productPackage } from '../../runtime/version.ts';
import { type Desk, TooManyError } from './desk.ts';
import { deskLimits } from './desk-limits.ts';
import { hostKeyOfVisitor } from './host-name.ts';
import type { Html } from './html.ts';
import { readOrder } from './orders.ts';
import { type Frame, hostPage, problemNote, problemPage, provePage, receiptNote, startPage } from './pages.ts';
import type { Sealer } from './sealed.ts';
import { newVisit, readVisit, type Visit, visitCookies, writeVisit } from './visit.ts';

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

export interface DeskRoutesOptions {
  /** Undefined while the process is not up yet, or is stopping. */
  readonly desk: () => Desk | undefined;
  readonly sealer: Sealer;
  readonly nowMs: () => number;
  /** Origin at which visitors reach the page. Undefined: the address in the request. */
  readonly origin: string | undefined;
  readonly isSecure: boolean;
  /** Only this machine reaches the service, so requests come from a proxy, which names their client. */
  readonly isBehindProxy: boolean;
  /** Called with each order, and each refused one. */
  readonly onOrder: (text: string) => void;
}

interface Called {
  readonly desk: Desk;
  readonly visit: Visit;
  readonly caller: string;
}

export function deskRoutes(options: DeskRoutesOptions): (app: HttpApp) => void {
  const answers = new DeskAnswers(options);
  return (app) => {
    app.register(async (own) => {
      own.removeAllContentTypeParsers();
      own.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: deskLimits.formBytesMax },
        (_, body, done) => done(null, body),
      );
      own.setErrorHandler(async (error: Error & { readonly statusCode?: number }, request, reply) => {
        const [status, text] = answerTo(error);
        if (status === 500) throw error;
        return answers.problem(request, reply, status, text);
      });
      addPages(own, answers);
      addForms(own, answers);
    });
  };
}

function addPages(own: HttpApp, answers: DeskAnswers): void {
  const style = join(productPackage.folder, 'services/extras/desk/page/desk.css');
  const open = { config: { access: 'public' } } as const;
  own.get('/', open, (request, reply) => answers.start(reply, answers.called(request)));
  own.get('/desk.css', open, async (_, reply) =>
    reply
      .headers({ ...headers, 'cache-control': 'no-cache' })
      .type('text/css; charset=utf-8')
      .send(await readFile(style)),
  );
  own.get('/host', open, async (request, reply) => {
    const call = answers.called(request);
    const hostKey = hostKeyOfVisitor((request.query as { readonly host?: string }).host ?? '');
    if (call.desk.proven(call.visit, hostKey) === undefined) return answers.prove(reply, call, hostKey, null);
    return answers.host(reply, call, hostKey, null);
  });
}

function addForms(own: HttpApp, answers: DeskAnswers): void {
  const posted = { config: { access: 'open' } } as const;
  own.post('/prove', posted, async (request, reply) => {
    const call = answers.called(request);
    const fields = answers.formOf(request, call);
    const hostKey = hostKeyOfVisitor(fields.get('host') ?? '');
    const how = fields.get('how') === 'dns' ? 'dns' : 'file';
    const { visit, look } = await call.desk.prove(call.visit, hostKey, how, call.caller);
    if (visit === null) return answers.prove(reply, call, hostKey, `${look.at}: ${look.problem}`, 403);
    return answers.toHost(reply, visit, hostKey);
  });
  own.post('/order', posted, async (request, reply) => {
    const call = answers.called(request);
    const fields = answers.formOf(request, call);
    const hostKey = hostKeyOfVisitor(fields.get('host') ?? '');
    const proof = call.desk.proven(call.visit, hostKey);
    if (proof === undefined) return answers.prove(reply, call, hostKey, 'Verify that you own this host first.', 403);
    try {
      const order = readOrder(fields);
      // An irreversible order needs a fresh proof.
      const again = order.name === 'remove' ? await call.desk.prove(call.visit, hostKey, proof.how, call.caller) : null;
      if (again?.visit === null)
        return answers.prove(reply, call, hostKey, `${again.look.at}: ${again.look.problem}`, 403);
      const { receipt, signed } = await call.desk.order(proof, order);
      answers.onOrder(`desk: ${order.name} of ${hostKey}, on control at ${receipt.control.join(' ')}`);
      return await answers.host(reply, call, hostKey, receiptNote(receipt, signed));
    } catch (error) {
      if (!(error instanceof CrawlstreamError) || error.code !== 'INVALID_ARGUMENT') throw error;
      answers.onOrder(`desk: refused for ${hostKey}: ${error.message}`);
      return answers.host(reply, call, hostKey, problemNote(error.message), 400);
    }
  });
}

/** Reads who calls and what a form says, and sends pages with the caller's cookie. */
class DeskAnswers {
  readonly #options: DeskRoutesOptions;
  readonly #cookies: ReturnType<typeof visitCookies>;
  readonly onOrder: DeskRoutesOptions['onOrder'];

  constructor(options: DeskRoutesOptions) {
    this.#options = options;
    this.#cookies = visitCookies(options.origin === undefined ? options.isSecure : options.origin.startsWith('https:'));
    this.onOrder = options.onOrder;
  }

  /** Throws if the service is not up, or gets too many requests of this caller. */
  called(request: HttpRequest): Called {
    const desk = this.#options.desk();
    if (desk === undefined)
      throw new CrawlstreamError('NOT_READY', 'this service is starting or stopping: try again in a moment');
    const caller = callerOf(request, this.#options.isBehindProxy);
    if (!desk.takesCall(caller)) throw new TooManyError('too many requests: try again in a minute');
    return { desk, caller, visit: this.#visitOf(request) ?? newVisit() };
  }

  #visitOf(request: HttpRequest): Visit | undefined {
    const { sealer, nowMs } = this.#options;
    return readVisit(sealer, this.#cookies.read(request.headers.cookie), nowMs());
  }

  /** The fields of one of our forms, or the refusal of a foreign one. */
  formOf(request: HttpRequest, { visit }: Called): ReadonlyMap<string, string> {
    const { origin, host } = request.headers;
    const own = this.#options.origin ?? `${this.#options.isSecure ? 'https' : 'http'}://${host}`;
    const site = request.headers['sec-fetch-site'];
    const fields = fieldsOf(request.body);
    const isElsewhere = (origin !== undefined && origin !== own) || (site !== undefined && site !== 'same-origin');
    if (isElsewhere || !this.#options.sealer.isSealOf(fields.get('form') ?? '', 'form', visit.visitor))
      throw new ForbiddenError('this form does not belong to your session: load its page again with cookies enabled');
    return fields;
  }

  start(reply: HttpReply, call: Called): HttpReply {
    return this.#send(reply, call.visit, startPage(this.#frameOf(call)));
  }

  prove(reply: HttpReply, call: Called, hostKey: string, problem: string | null, status = 200): HttpReply {
    const challenge = call.desk.challenge(call.visit, hostKey);
    return this.#send(reply, call.visit, provePage(this.#frameOf(call), hostKey, challenge, problem), status);
  }

  async host(reply: HttpReply, call: Called, hostKey: string, note: Html | null, status = 200): Promise<HttpReply> {
    const [inForce, account] = [await call.desk.inForce(hostKey), await call.desk.account(hostKey)];
    return this.#send(reply, call.visit, hostPage(this.#frameOf(call), hostKey, inForce, account, note), status);
  }

  /** Leads a visitor, who has just proved a host, to its page. */
  toHost(reply: HttpReply, visit: Visit, hostKey: string): HttpReply {
    reply.headers({ ...headers, 'set-cookie': this.#cookieOf(visit) });
    return reply.redirect(`host?host=${encodeURIComponent(hostKey)}`, 303);
  }

  problem(request: HttpRequest, reply: HttpReply, status: number, text: string): HttpReply {
    if (status === 429 || status === 503) reply.header('retry-after', '60');
    const crawl = this.#options.desk()?.crawl ?? '';
    const frame = { crawl, form: '', hosts: hostsOf(this.#visitOf(request)) };
    return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(problemPage(frame, text));
  }

  #send(reply: HttpReply, visit: Visit, text: string, status = 200): HttpReply {
    return reply
      .code(status)
      .headers({ ...headers, 'set-cookie': this.#cookieOf(visit) })
      .type('text/html; charset=utf-8')
      .send(text);
  }

  #frameOf({ desk, visit }: Called): Frame {
    return { crawl: desk.crawl, form: this.#options.sealer.seal('form', visit.visitor), hosts: hostsOf(visit) };
  }

  #cookieOf(visit: Visit): string {
    return this.#cookies.write(writeVisit(this.#options.sealer, visit));
  }
}

function hostsOf(visit: Visit | undefined): readonly string[] {
  return visit?.proven.map(({ hostKey }) => hostKey) ?? [];
}

class ForbiddenError extends Error {}

function answerTo(error: Error & { readonly statusCode?: number }): readonly [status: number, text: string] {
  if (error instanceof TooManyError) return [429, error.message];
  if (error instanceof ForbiddenError) return [403, error.message];
  if (error instanceof CrawlstreamError) {
    if (error.code === 'INVALID_ARGUMENT') return [400, error.message];
    if (hasCode(error, 'NOT_READY', 'BUSY', 'DATA_FOLDER_LOCKED')) return [503, error.message];
    // Visitors need not know the addresses of the brokers.
    if (error.retriable) return [503, 'the crawl cannot be reached now: try again in a minute'];
  }
  const { statusCode = 500 } = error;
  return statusCode < 500 ? [statusCode, error.message] : [500, ''];
}

/** A field that occurs twice is refused, because different parts of the code could read different values. */
function fieldsOf(body: unknown): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(typeof body === 'string' ? body : '')) {
    if (fields.has(name))
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        'a form field was sent twice: load the page again and send the form once',
      );
    fields.set(name, value);
  }
  return fields;
}

/**
 * The client for rate limits: an address or, for IPv6, a network of 64 bits, which any customer has. Behind a proxy,
 * the last address that the proxy names, because the caller controls the earlier ones.
 */
function callerOf({ ip, headers: sent }: HttpRequest, isBehindProxy: boolean): string {
  const forwarded = isBehindProxy ? `${sent['x-forwarded-for'] ?? ''}`.split(',').at(-1)!.trim() : '';
  const address = forwarded === '' ? ip : forwarded;
  return address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address;
}
