/**
 * A scripted visitor of the suite that keeps every rule but one: the proof that each check can fail.
 *
 * It parses nothing. The script of a check says which requests a crawler that keeps the rule sends, and which one that
 * breaks it. Real crawlers prove that pages lead where the scripts go.
 */
import { type ClientRequest, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, hrefOf, type Pace, type Step } from './check/check.ts';
import { fill } from './suite-server.ts';

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
  if (forbidden !== undefined) return [...honest, { key: forbidden }];
  const last = check.want.at(-1);
  if (last === undefined) throw new RangeError(`${check.id}: give it a planted script, want or never`);
  return honest.filter(({ key }) => !last.includes(key) || key === check.control);
}

const agent = 'planted-visitor/1.0 (+https://crawler.example/about)';

export async function visitCheck(check: Check, port: number, pace: Pace, steps: readonly Step[]): Promise<void> {
  const beside: Promise<void>[] = [];
  for (const [i, step] of steps.entries()) {
    // Time matters only to a check that looks at more than URLs.
    const waitMs = step.waitMs ?? (i === 0 || check.fault === undefined ? 0 : pace.delayMs);
    // A timer may end up to 1 ms early.
    if (waitMs > 0) await sleep(waitMs + 2);
    const visit = step.anyBytes ? takeAll(check, port, step) : ask(check, port, step);
    if (step.beside) beside.push(visit);
    else await visit;
  }
  await Promise.all(beside);
}

/** Any end is accepted: an answer, a broken connection, or bytes that are not HTTP. */
function ask(
  check: Check,
  port: number,
  { key, method = 'GET', headers = {}, body, bytesMax, holdMs }: Step,
): Promise<void> {
  const url = fill(hrefOf(key), check, port);
  const authority = /^http:\/\/([^/]*)/.exec(url)![1]!;
  return new Promise((resolve) => {
    const all = {
      host: authority,
      'user-agent': agent,
      accept: '*/*',
      'accept-encoding': 'gzip',
      ...headers,
      ...lengthOf(body),
    };
    const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const asked: ClientRequest = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: url,
        headers: fields,
        agent: false,
        setHost: false,
        insecureHTTPParser: true,
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

function takeAll(check: Check, port: number, { key }: Step): Promise<void> {
  const url = fill(hrefOf(key), check, port);
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => {}).on('close', () => resolve());
    socket.write(`GET ${url} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: ${agent}\r\n\r\n`);
    socket.resume();
  });
}
