/**
 * Titles of a site, by Crawlee on Crawlstream's frontier. Kill it, or the crawl, and start it again: it goes on.
 *
 *   crawlstream crawl --clients only --http 127.0.0.1:9464 --data crawl-data/titles --contact me@example.org
 *   npm install crawlee crawlstream
 *   node crawlee-titles.mjs https://example.org/ >> titles.jsonl
 */
import * as crawlee from 'crawlee';
import { LeaseQueue } from 'crawlstream/crawlee';

// Lines for people go elsewhere than titles.
crawlee.log.setLevel(crawlee.LogLevel.OFF);
const queue = new LeaseQueue(crawlee, { url: process.env.CRAWLSTREAM_URL ?? 'http://127.0.0.1:9464' });

const crawler = new crawlee.CheerioCrawler(
  // The frontier schedules, paces, remembers and asks robots.txt; Crawlee downloads, parses, and rotates sessions.
  queue.crawlerOptions({
    async requestHandler({ request, $, enqueueLinks }) {
      process.stdout.write(`${JSON.stringify({ url: request.loadedUrl, title: $('title').text() })}\n`);
      await enqueueLinks();
    },
  }),
);

await crawler.run(process.argv.slice(2));
