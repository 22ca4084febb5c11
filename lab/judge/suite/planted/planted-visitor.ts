/**
 * A scripted visitor of the suite that keeps every rule but one: the proof that each check can fail.
 *
 * It parses nothing. The script of a check says which requests a crawler that keeps the rule sends, and which one that
 * breaks it. Real crawlers prove that pages lead where the scripts go.
 */
import { Resolver } from 'node:dns/promises';
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type Check, hrefOf, type Pace, type Step } from '../check/check.ts';
import { privateAddress } from '../names/addresses.ts';
import { fill } from '../pages.ts';
import type { RunningSuite } from '../suite-server.ts';
import { askOverHttp2 } from './http2-visitor.ts';

export function honestSteps(check: Check, pace: Pace): readonly Step[] {
  if (check.honest !== undefined) return check.honest(pace);
  const keys = ['/robots.txt', '/', check.control, ...check.want.map((one) => [one].flat()[0]!)];
  return [...new Set(keys)].filter((key) => !check.never.includes(key)).map((key) => ({ key }));
}

/** Steps that break the check: an own script, else the first forbidden URL, else all but the last wanted one. */
export function plantedSteps(check: Check, pace: Pace): readonly Step[] {
  if (check.planted !== undefined) return check.planted(pace);
  const honest = honestSteps(check, pace);
  const [forbidden] = check.never;
  if (forbidden !== undefined) return [...honest, { key: forbidden, acceptsAll: true }];
  const last = check.want.at(-1);
  if (last === undefined) throw new RangeError(`${check.id}: give it a planted script, want or never`);
  return honest.filter(({ key }) => !last.includes(key) || key === check.control);
}

const agent = 'planted-visitor/1.0 (+https://crawler.example/about)';

type Web = Pick<RunningSuite, 'port' | 'ca' | 'nameOf' | 'nameServerPort'>;

export async function visitCheck(check: Check, web: Web, pace: Pace, steps: readonly Step[]): Promise<void> {
  const beside: Promise<void>[] = [];
  for (const [i, step] of steps.entries()) {
    // Time matters only to a check that looks at more than URLs.
    const waitMs = step.waitMs ?? (i === 0 || check.fault === undefined ? 0 : pace.delayMs);
    // A timer may end up to 1 ms early.
    if (waitMs > 0) await sleep(waitMs + 2);
    const visit = visitStep(check, web, pace, step);
    if (step.beside) beside.push(visit);
    else await visit;
  }
  await Promise.all(beside);
}

/** Any end is accepted: an answer, a broken connection, or bytes that are not HTTP. */
async function visitStep(check: Check, web: Web, pace: Pace, step: Step): Promise<void> {
  if (step.key.endsWith('?A')) return lookUp(fill(hrefOf(step.key.replace('?A', '/')), check, web), web);
  const url = fill(hrefOf(step.key), check, web);
  if (step.anyBytes) return takeAll(url, web.port);
  if (!url.startsWith('https:')) return ask(url, web.port, step);
  const socket = await shakeHands(new URL(url).hostname, web, step);
  if (socket?.alpnProtocol !== 'h2') return socket === undefined ? undefined : ask(url, web.port, step, socket);
  const paths = [step.key, ...(step.further ?? [])].map((key) => pathOf(fill(hrefOf(key), check, web)));
  const fields = Object.entries({ 'user-agent': agent, accept: '*/*', ...step.headers });
  const { isDeaf = false, bytesMax = Number.POSITIVE_INFINITY } = step;
  const { delayMs } = pace;
  await askOverHttp2(socket, { authority: authorityOf(url), paths, fields, delayMs, isDeaf, bytesMax });
}

/** Any answer is accepted. */
async function lookUp(url: string, { nameServerPort }: Web): Promise<void> {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${nameServerPort}`]);
  await resolver.resolve4(new URL(url).hostname).catch(() => {});
}

const authorityOf = (url: string) => /^https?:\/\/([^/]*)/.exec(url)![1]!;
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]*/, '');

/** Undefined: the handshake failed. */
function shakeHands(name: string, { port, ca }: Web, step: Step): Promise<TLSSocket | undefined> {
  const { acceptsAll, namesNoHost } = step;
  const lax = acceptsAll
    ? ({ rejectUnauthorized: false, minVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const)
    : {};
  const named = namesNoHost ? { rejectUnauthorized: false } : { servername: name };
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, ca, ALPNProtocols: ['h2', 'http/1.1'], ...lax, ...named };
    const socket = connectTls(options, () => resolve(socket));
    socket.on('error', () => {}).once('close', () => resolve(undefined));
  });
}

/** As to a proxy without TLS; with `secure`, as to the host. */
function ask(url: string, port: number, step: Step, secure?: TLSSocket): Promise<void> {
  const { method = 'GET', headers = {}, body, bytesMax, holdMs } = step;
  const isPrivate = step.key.startsWith('private:');
  const isProxied = secure === undefined && !isPrivate;
  return new Promise((resolve) => {
    const all = {
      host: authorityOf(url),
      'user-agent': agent,
      accept: '*/*',
      'accept-encoding': 'gzip',
      ...headers,
      ...lengthOf(body),
    };
    const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const asked: ClientRequest = request(
      {
        host: isPrivate ? privateAddress : '127.0.0.1',
        port,
        method,
        path: isProxied ? url : pathOf(url),
        headers: fields,
        setHost: false,
        insecureHTTPParser: true,
        // With an agent, Node would open a connection itself.
        ...(secure === undefined ? { agent: false } : { createConnection: () => secure }),
      },
      (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytesMax !== undefined && bytes >= bytesMax) asked.destroy();
        });
        response.on('error', () => resolve()).on('end', () => resolve());
      },
    );
    const timer = holdMs === undefined ? undefined : setTimeout(() => asked.destroy(), holdMs);
    asked.on('error', () => resolve());
    asked.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    asked.end(body);
  });
}

function lengthOf(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(body.length) };
}

function takeAll(url: string, port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => {}).on('close', () => resolve());
    socket.write(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: ${agent}\r\n\r\n`);
    socket.resume();
  });
}
