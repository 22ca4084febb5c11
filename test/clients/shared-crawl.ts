/** Scrapy, Crawlee, a client by HTTP, one by gRPC and our own fetcher in one crawl, until it has nothing left. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Answer, answerOf, LeaseClient, type LeasedUrl } from '../../clients/typescript/lease-client.ts';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { crawleeModules, crawleeProject, runCrawler } from './crawlee-run.ts';
import { grpcPython, leasesAt, runGrpcClient } from './grpc-run.ts';
import { calledIn, runSpider, scrapyPython } from './scrapy-run.ts';

const spider = fileURLToPath(new URL('shared-spider.py', import.meta.url));
const crawler = fileURLToPath(new URL('shared-crawler.mjs', import.meta.url));
crawleeModules();
grpcPython();
scrapyPython();

/** What a hostile server may cost a client: a body that never ends, or never begins. */
const [patienceMs, bodyCharsMax] = [10_000, 2_000_000];

async function fetchUrl({ url, userAgent }: LeasedUrl): Promise<Answer> {
  const signal = AbortSignal.timeout(patienceMs);
  const response = await fetch(url, { headers: { 'user-agent': userAgent }, redirect: 'manual', signal });
  const [decoder, chunks] = [new TextDecoder(), [] as string[]];
  let chars = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(decoder.decode(chunk as Uint8Array, { stream: true }));
    chars += chunks.at(-1)!.length;
    if (chars > bodyCharsMax) return { failure: 'tooLarge' };
  }
  const isPage = response.status === 200 && (response.headers.get('content-type') ?? '').startsWith('text/html');
  const hrefs = [...chunks.join('').matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
  const urls = hrefs.filter((href) => URL.canParse(href, url)).map((href) => ({ url: new URL(href, url).href }));
  return answerOf(response, {
    bytes: chars,
    urls: isPage ? urls.filter(({ url }) => url.length < 8_192).slice(0, 1_000) : [],
  });
}

export interface Shared {
  readonly data: string;
  /** Pages by whom. */
  readonly by: Readonly<Record<'scrapy' | 'crawlee' | 'http' | 'grpc', readonly string[]>>;
}

/** All of them, until the crawl has nothing left. `more`: URLs that somebody else adds meanwhile. */
export async function crawlTogether(
  seeds: readonly string[],
  more: readonly string[],
  flags: readonly string[],
): Promise<Shared> {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const clients = ['--clients', 'beside', '--http', '0', '--clients-grpc', '0', '--data', data];
  const usual = [
    '--address-delay',
    '0',
    '--allow-private',
    '--contact',
    'me@example.org',
    '--retries',
    '0.1s,0.1s,0.1s',
  ];
  const crawl = startCommand(['crawl', ...clients, ...usual, ...flags], { patienceMs: 240_000 });
  const base = await listening(crawl);
  await untilReady(base);
  const [called, handled] = [join(folder, 'called'), join(folder, 'handled')];
  const env = { CRAWLSTREAM_URL: base, SEEDS: JSON.stringify(seeds) };
  const limits = { DOWNLOAD_TIMEOUT: '10', DOWNLOAD_MAXSIZE: `${bodyCharsMax}`, CONCURRENT_REQUESTS: '2' };
  const scrapy = runSpider(spider, { ...env, CALLED: called }, { CRAWLSTREAM_URL: base, ...limits });
  const crawlee = runCrawler(crawleeProject(), crawler, { ...env, CALLED: handled });
  // It ends when the crawl has nothing left, which it has not yet.
  while (calledIn(called).length === 0) {
    assert.equal(scrapy.child.exitCode, null, scrapy.output());
    await sleep(10);
  }
  const grpc = runGrpcClient(await leasesAt(crawl), 2);
  const http: string[] = [];
  const client = new LeaseClient(base);
  const working = new AbortController();
  // It is there from the beginning, when the crawl has nothing yet, and stays until the others have nothing left.
  const work = (async () => {
    while (!working.signal.aborted) {
      const fetchOne = async (leased: LeasedUrl) => {
        const answer = await fetchUrl(leased);
        if (answer.status === 200) http.push(leased.url);
        return answer;
      };
      await client.work(fetchOne, { concurrency: 1, signal: working.signal });
      await sleep(50, undefined, { signal: working.signal }).catch(() => {});
    }
  })();
  const added = runCommand(['inject', ...more, '--data', data]);
  const ends = await Promise.all([scrapy.ended, crawlee.ended]);
  working.abort();
  await work;
  assert.deepEqual(ends, [0, 0], scrapy.output() + crawlee.output());
  assert.equal(more.length === 0 ? 0 : (await added).code, 0);
  assert.equal(await grpc.ended, 0, grpc.stderr());
  crawl.child.kill('SIGINT');
  const { code, stderr } = await crawl.ended;
  assert.equal(code, 130, stderr);
  const audit = await runCommand(['audit', '--data', data]);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);
  const lines = existsSync(handled) ? readFileSync(handled, 'utf8').split('\n').slice(0, -1) : [];
  return { data, by: { scrapy: calledIn(called).map(({ url }) => url), crawlee: lines, http, grpc: grpc.urls() } };
}
