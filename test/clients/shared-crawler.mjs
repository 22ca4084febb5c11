// A crawler in a crawl that others share. Each handler that is over leaves a line, the URL.
import { appendFileSync } from 'node:fs';
import * as crawlee from 'crawlee';
import { LeaseQueue } from 'crawlstream/crawlee';

const { CALLED, SEEDS, CRAWLSTREAM_URL: url } = process.env;
const queue = new LeaseQueue(crawlee, { url });
const crawler = new crawlee.CheerioCrawler(
  queue.crawlerOptions({
    maxConcurrency: 2,
    navigationTimeoutSecs: 10,
    requestHandlerTimeoutSecs: 10,
    async requestHandler({ request, enqueueLinks }) {
      await enqueueLinks({ strategy: 'all' });
      appendFileSync(CALLED, `${request.loadedUrl}\n`);
    },
  }),
);
await crawler.run(JSON.parse(SEEDS));
