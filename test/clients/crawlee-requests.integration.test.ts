/** What Crawlee means by a request is kept: keys, bodies, headers, retries by both sides, failures. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { crawleeModules, crawleeProject, runCrawler } from './crawlee-run.ts';

const crawler = fileURLToPath(new URL('requests-crawler.mjs', import.meta.url));
crawleeModules();

interface Asked {
  readonly path: string;
  readonly method: string;
  readonly atMs: number;
  readonly agent: string;
  readonly body: string;
  readonly kept: string;
}

async function startSite() {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const path = request.url!;
    const kept = `${request.headers['x-kept'] ?? ''}`;
    const agent = request.headers['user-agent'] ?? '';
    asked.push({ path, method: request.method!, atMs: Date.now(), agent, body, kept });
    const times = asked.filter((one) => one.path === path).length;
    const type = { 'content-type': path === '/picture' ? 'image/png' : 'text/html' };
    if (path === '/robots.txt' || path === '/gone') response.writeHead(404, type).end();
    else if (path === '/busy' && times === 1) response.writeHead(503, { ...type, 'retry-after': '1' }).end();
    else if (path === '/always-busy') response.writeHead(500, type).end('<p>broken');
    else if (path === '/moved') response.writeHead(301, { location: '/moved-here' }).end();
    else response.writeHead(200, type).end(`<p>${request.method} ${path} ${body}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  return { asked, site: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

interface Line {
  readonly kind: 'handled' | 'failed';
  readonly path: string;
  readonly userData: Record<string, unknown>;
  readonly retryCount: number;
  readonly method: string;
  readonly body?: string;
  readonly why?: string;
}

test('unique keys, POST, headers, retries, failures and redirects work as in Crawlee', async () => {
  const { asked, site } = await startSite();
  const folder = temporaryFolder();
  const [data, called] = [join(folder, 'data'), join(folder, 'called')];
  const flags = ['--delay', '20ms', '--address-delay', '0', '--retries', '0.1s,0.1s,0.1s', '--allow-private'];
  const clients = ['--clients', 'only', '--http', '0', '--data', data, '--contact', 'me@example.org'];
  const crawl = startCommand(['crawl', ...clients, ...flags]);
  const base = await listening(crawl);
  await untilReady(base);
  const run = runCrawler(crawleeProject(), crawler, { CALLED: called, SITE: site, CRAWLSTREAM_URL: base });
  assert.equal(await run.ended, 0, run.output());
  crawl.child.kill('SIGINT');
  await crawl.ended;

  const lines = readFileSync(called, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const of = (path: string) => lines.filter((line) => line.path === path);
  const askedFor = (path: string) => asked.filter((one) => one.path === path);
  const one = (path: string) => {
    assert.equal(of(path).length, 1, `${path}: ${JSON.stringify(of(path))} ${run.output()}`);
    return of(path)[0]!;
  };

  assert.equal(of('/plain').length, 2, 'two keys of one URL; the same key is known');
  assert.deepEqual(
    askedFor('/plain')
      .map(({ kept }) => kept)
      .sort(),
    ['', 'é'],
  );
  assert.deepEqual(
    askedFor('/post')
      .map(({ method, body }) => `${method} ${body}`)
      .sort(),
    ['POST one', 'POST two'],
  );
  assert.ok(
    asked.every(({ path, agent }) => path === '/robots.txt' || agent === askedFor('/robots.txt')[0]!.agent),
    'robots.txt was asked for the User-Agent that was sent',
  );

  const failing = one('/handler-fails');
  assert.deepEqual([failing.kind, failing.retryCount, failing.userData['retried']], ['handled', 2, [0, 1]]);
  assert.equal(askedFor('/handler-fails').length, 3);
  const failed = one('/handler-always-fails');
  assert.deepEqual([failed.kind, failed.retryCount], ['failed', 2]);
  assert.equal(askedFor('/handler-always-fails').length, 3);

  const busy = one('/busy');
  assert.deepEqual([busy.kind, busy.retryCount, busy.userData['retried']], ['handled', 1, [0]]);
  const [first, second] = askedFor('/busy').map(({ atMs }) => atMs);
  assert.ok(second! - first! >= 1_000, 'Retry-After is kept');
  const paused = asked.filter(({ atMs }) => atMs > first! && atMs < first! + 1_000);
  assert.deepEqual(paused, [], 'by all requests to the host');
  const broken = one('/always-busy');
  assert.deepEqual([broken.kind, broken.retryCount], ['failed', 2]);
  assert.equal(askedFor('/always-busy').length, 3, 'Crawlee’s maxRequestRetries, not the crawl’s');

  assert.equal(one('/gone').kind, 'handled');
  const moved = one('/moved');
  assert.deepEqual([moved.userData['of'], moved.retryCount, moved.body], ['moved', 0, '<p>GET /moved-here ']);
  assert.match(one('/picture').why!, /image\/png/);
  assert.equal(one('/not-navigated').kind, 'handled');
  assert.equal(askedFor('/not-navigated').length, 0);

  const audit = await runCommand(['audit', '--data', data]);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);
  const explained = await runCommand(['explain', `${site}/handler-always-fails`, '--data', data]);
  assert.match(explained.stdout, /page \(fetched 200\)[\s\S]*failed \(refused\)/, explained.stdout + explained.stderr);
});
