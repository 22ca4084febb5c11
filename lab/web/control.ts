/**
 * The control interface of a web in a separate process, on 127.0.0.1 by that name (no host of the web has it):
 *
 *   POST /__control/report?delayMs=250[&NAME=VALUE …, the other options of check.ts]   → CheckReport
 *   POST /__control/requests   → one JSON line per request
 *   POST /__control/reset      → forgets the requests, and flaky URLs fail once more
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CheckOptions, checkCrawl } from './check.ts';
import type { WebPlan } from './plan.ts';
import type { RunningWeb } from './server.ts';

/** `web` is called at each request, since the server exists only after its control does. */
export function createControl(plan: WebPlan, web: () => RunningWeb) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const reply = (status: number, body: string): void => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    };
    request.resume();
    if (request.method !== 'POST') {
      reply(405, '{"error":"control is by POST"}\n');
      return;
    }
    switch (url.pathname) {
      case '/__control/report': {
        const options = readOptions(url.searchParams);
        if (typeof options === 'string') {
          reply(400, `${JSON.stringify({ error: options })}\n`);
          return;
        }
        const report = checkCrawl(plan, web().requests(), { ...options, dropped: web().dropped });
        reply(200, `${JSON.stringify(report)}\n`);
        return;
      }
      case '/__control/requests': {
        response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
        for (const record of web().requests()) response.write(`${JSON.stringify(record)}\n`);
        response.end();
        return;
      }
      case '/__control/reset':
        web().reset();
        reply(200, '{}\n');
        return;
      default:
        reply(404, '{"error":"report, requests or reset"}\n');
    }
  };
}

function readOptions(query: URLSearchParams): CheckOptions | string {
  const options: { -readonly [K in keyof CheckOptions]: CheckOptions[K] } = { delayMs: 0 };
  for (const [name, value] of query) {
    if (name === 'sitemaps' || name === 'crawlDelays') options[name] = value !== 'false';
    else if (name === 'connections') {
      const [, host, count] = /^(.+)=(\d+)$/.exec(value) ?? [];
      if (host === undefined) return 'connections must be HOST=N';
      options.connections = { ...options.connections, [host]: Number(count) };
    } else if (name !== 'delayMs' && name !== 'crawlDelayCapMs' && name !== 'abortToleranceMs')
      return `${name} is no option of a report`;
    else if (value === '' || !(Number(value) >= 0)) return `${name} must be a number from 0`;
    else options[name] = Number(value);
  }
  return options;
}
