/** A fleet as a process of its own, and its API as a client sees it. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandOptions, type Running, startCommand } from '../../../../lab/process/command.ts';
import type { CrawlAnswer } from '../../../../services/extras/fleet/fleet-schemas.ts';
import { listening, untilReady } from '../../cli/listening.ts';

export interface FleetClient {
  readonly running: Running;
  readonly base: string;
  call(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: unknown; readonly headers: Headers }>;
  /** Answers with a status that is not a success are failures. */
  create(body: object): Promise<CrawlAnswer>;
  get(name: string): Promise<CrawlAnswer>;
  list(): Promise<readonly CrawlAnswer[]>;
  /** Looks until `seen` says so, for a minute at most. */
  until(what: string, seen: (crawls: readonly CrawlAnswer[]) => boolean): Promise<readonly CrawlAnswer[]>;
  /** All from a cursor on. */
  pages(name: string, limit?: number): Promise<readonly { readonly url: string }[]>;
}

const patienceMs = 120_000;

export async function startFleet(
  data: string,
  flags: readonly string[] = [],
  options: CommandOptions = {},
): Promise<FleetClient> {
  const running = startCommand(['fleet', '--data', data, '--http', '0', ...flags], { patienceMs: 300_000, ...options });
  const base = await listening(running);
  await untilReady(base);
  return fleetClient(running, base, options);
}

/** The API at `base`, ready or not. */
export function fleetClient(running: Running, base: string, options: CommandOptions = {}): FleetClient {
  const call: FleetClient['call'] = async (method, path, body, more = {}) => {
    const token = options.env?.['CRAWLSTREAM_HTTP_TOKEN'];
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...more };
    const json = { 'content-type': 'application/json', ...headers };
    const init = body === undefined ? { method, headers } : { method, headers: json, body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, init);
    const text = await response.text();
    const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers.get('content-type') ?? '');
    const read = isJson && text.startsWith('{') ? JSON.parse(text) : text;
    return { status: response.status, body: read, headers: response.headers };
  };
  const good = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await call(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  };
  const list = async () => ((await good('GET', '/v1/crawls')) as { readonly crawls: readonly CrawlAnswer[] }).crawls;
  return {
    ...{ running, base, call, list },
    create: (body) => good('POST', '/v1/crawls', body) as Promise<CrawlAnswer>,
    get: (name) => good('GET', `/v1/crawls/${name}`) as Promise<CrawlAnswer>,
    async until(what, seen) {
      const endMs = Date.now() + patienceMs;
      for (;;) {
        const crawls = await list();
        if (seen(crawls)) return crawls;
        assert.ok(Date.now() < endMs, `waited for ${what}: ${JSON.stringify(crawls)}\n${running.output()}`);
        await sleep(50);
      }
    },
    async pages(name, limit = 1_000) {
      const pages: { readonly url: string }[] = [];
      for (let cursor = '0'; ; ) {
        const response = await fetch(`${base}/v1/crawls/${name}/pages?cursor=${cursor}&limit=${limit}`);
        const text = await response.text();
        assert.equal(response.status, 200, text);
        if (text === '') return pages;
        const lines = text.trimEnd().split('\n');
        assert.ok(lines.length <= limit, `${lines.length}`);
        for (const line of lines) pages.push(JSON.parse(line) as { readonly url: string });
        cursor = response.headers.get('x-cursor')!;
      }
    },
  };
}
