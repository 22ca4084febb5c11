/** The HTTP side of a service, while the service runs. */
import { readFileSync } from 'node:fs';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Opening } from '../../runtime/http/access.ts';
import { type MemberAccess, memberAsker } from '../../runtime/http/ask-member.ts';
import { httpLimits } from '../../runtime/http/http-limits.ts';
import type { Routes } from '../../runtime/http/http-server.ts';
import { isLoopbackHost, type ListenAddress } from '../../runtime/http/listen-address.ts';
import { openTlsPair, type TlsPair } from '../../runtime/http/tls-pair.ts';
import type { LogFields, LogLevel } from '../../runtime/logging/say.ts';
import { createService, type Service } from '../../runtime/metrics/service.ts';
import { errorOf } from '../../runtime/thrown.ts';
import { processSources } from './process-sources.ts';

export interface HttpFlags {
  /** Absent: nothing listens. */
  readonly http?: ListenAddress;
  /** Absent: probes alone are answered beyond loopback without a token. */
  readonly httpOpen?: Opening;
  /** Files in PEM. Absent: plain text. */
  readonly httpCert?: string;
  readonly httpKey?: string;
}

/** Next to the port of the metrics: for the HTTP side of a crawl that a person looks at. */
export const crawlAddress: ListenAddress = { host: '127.0.0.1', port: 9465 };

/** Access to other members of the crawl, which have the same token, and usually the same certificate. */
export function memberAccess({ httpCert: file = process.env['CRAWLSTREAM_HTTP_CERT'] }: HttpFlags): MemberAccess {
  const token = tokenOf(process.env);
  return { token, ...(file !== undefined && file !== '' && { certificate: () => readFileSync(file) }) };
}

export interface HttpSide {
  /** `frontier`, `fetcher`, … */
  readonly role: string;
  /** The service's own. */
  readonly routes?: readonly Routes[];
  /** services/runtime/http/http-server.ts */
  readonly rewriteUrl?: (target: string) => string;
  say(text: string, level?: LogLevel, fields?: LogFields): void;
}

/** Runs `act`, with the HTTP server of its service if the flags set one. */
export async function withHttp<T>(
  flags: HttpFlags,
  { role, routes = [], rewriteUrl, say: sayAll }: HttpSide,
  act: (service: Service) => Promise<T>,
): Promise<T> {
  const say = (text: string, level: LogLevel = 'info', fields: LogFields = {}) =>
    sayAll(text, level, { component: 'http', ...fields });
  const service = createService(role);
  const { probes } = service;
  const { http: listen, httpOpen: opened } = flags;
  if (listen === undefined) return act(service);
  const token = tokenOf(process.env);
  const tls = tlsOf(flags, say);
  const [{ startHttpServer }, { createExposition }] = await Promise.all([
    import('../../runtime/http/http-server.ts'),
    import('../../runtime/metrics/exposition.ts'),
  ]);
  const exposition = createExposition(
    () => processSources(service),
    (error) => say(`metrics: ${(error as Error).message}`, 'warn'),
    () => (service.crawl === undefined ? {} : { crawl: service.crawl }),
  );
  const onBug = (error: unknown) => say(`a bug, please report it: ${errorOf(error).stack}`, 'error');
  const server = await startHttpServer({
    listen,
    token,
    opened,
    tls,
    probes,
    metrics: exposition.scrape,
    routes,
    rewriteUrl,
    onBug,
    onCall: ({ id, ...call }) => {
      const level = call.status >= 500 ? 'warn' : 'info';
      say(`${call.method} ${call.path}: ${call.status}`, level, { request_id: id, ...call });
    },
  });
  service.listensOn = server.address;
  service.isSecure = tls !== undefined;
  service.isOpenToAll = opened === 'reads';
  service.askMember = memberAsker(memberAccess(flags));
  say(`listening on http${tls === undefined ? '' : 's'}://${server.address}`);
  if (!isLoopbackHost(listen.host)) {
    if (token === undefined && opened !== 'reads') {
      say('other machines can only call the probes; to allow more, set CRAWLSTREAM_HTTP_TOKEN');
    } else if (token !== undefined && tls === undefined) {
      say('the token is sent unencrypted: add --http-cert and --http-key, or use a protected network');
    }
  }
  const closing = new AbortController();
  void service.lag.run(closing.signal);
  try {
    return await act(service);
  } finally {
    closing.abort();
    await server.close();
  }
}

function tlsOf({ httpCert: cert, httpKey: key }: HttpFlags, say: (text: string) => void): TlsPair | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) {
    return openTlsPair({ cert, key, options: ['--http-cert', '--http-key'] }, say);
  }
  const [given, missing] = cert === undefined ? ['--http-key', '--http-cert'] : ['--http-cert', '--http-key'];
  throw new CrawlstreamError('INVALID_ARGUMENT', `${given} without ${missing}: give both, or neither`);
}

function tokenOf({ CRAWLSTREAM_HTTP_TOKEN: token }: NodeJS.ProcessEnv): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (token.length >= httpLimits.tokenCharsMin && /^\S+$/.test(token)) return token;
  const remedy = `use at least ${httpLimits.tokenCharsMin} characters without white space, as in the output of openssl rand -hex 32`;
  throw new CrawlstreamError('INVALID_ARGUMENT', `CRAWLSTREAM_HTTP_TOKEN is too short or has white space: ${remedy}`);
}
