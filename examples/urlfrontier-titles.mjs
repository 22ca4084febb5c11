/**
 * Titles of a site, by a client of URLFrontier's API, as StormCrawler is one. Kill it, or the server, and start it again: it goes on.
 *
 *   crawlstream urlfrontier --data crawl-data/served
 *   npm install @grpc/grpc-js @grpc/proto-loader crawlstream
 *   node urlfrontier-titles.mjs https://example.org/ >> titles.jsonl
 *
 * As with URLFrontier, robots.txt is for the client to ask. This one asks none: it is for sites of your own.
 */
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const proto = new URL('node_modules/crawlstream/schemas/urlfrontier.proto', import.meta.url).pathname;
const { URLFrontier } = grpc.loadPackageDefinition(loadSync(proto, { keepCase: true })).urlfrontier;
const address = process.env.URLFRONTIER_ADDRESS ?? '127.0.0.1:7071';
const frontier = new URLFrontier(address, grpc.credentials.createInsecure());

/** Messages of a stream that the server sends. */
const all = (call) =>
  new Promise((resolve, reject) => {
    const messages = [];
    call.on('data', (message) => messages.push(message));
    call.on('end', () => resolve(messages));
    call.on('error', reject);
  });

/** Resolves once the server has all of them on disk. */
async function put(items) {
  const call = frontier.PutURLs();
  const acks = all(call);
  for (const item of items) call.write(item);
  call.end();
  for (const { ID, status } of await acks) if (status === 'FAIL') throw new Error(`${ID} may be put again later`);
}

const found = (url) => ({ ID: url, discovered: { info: { url } } });
const size = () => new Promise((resolve) => frontier.GetStats({}, (_, stats) => resolve(Number(stats?.size ?? 0))));

await put(process.argv.slice(2).map(found));
while ((await size()) > 0) {
  const urls = await all(frontier.GetURLs({ max_queues: 10, max_urls_per_queue: 1, delay_requestable: 60 }));
  await Promise.all(
    urls.map(async ({ url, key, metadata }) => {
      const html = await fetch(url).then(
        (answer) => (answer.ok ? answer.text() : ''),
        () => '',
      );
      const title = /<title>([^<]*)/i.exec(html)?.[1] ?? '';
      const links = [...html.matchAll(/<a\s[^>]*href="([^"#]+)/gi)].map(
        ([, href]) => new URL(href.replaceAll('&amp;', '&'), url).href,
      );
      // First what the page led to, then that it is done: whatever dies in between, nothing is lost.
      await put(links.filter((link) => new URL(link).host === new URL(url).host).map(found));
      if (html !== '') process.stdout.write(`${JSON.stringify({ url, title })}\n`);
      await put([{ ID: url, known: { info: { url, key, metadata } } }]);
    }),
  );
  if (urls.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
}
frontier.close();
