// A crawler over a synthetic web. Each handler that is over leaves a line: the URL, and what its request held.
import { appendFileSync } from 'node:fs';
import * as crawlee from 'crawlee';
import { LeaseQueue } from 'crawlstream/crawlee';

const { CALLED, FAILED, SEEDS, CRAWLSTREAM_URL: url, LEASE_SECONDS = '60' } = process.env;
const queue = new LeaseQueue(crawlee, { url, leaseSeconds: Number(LEASE_SECONDS) });
const crawler = new crawlee.CheerioCrawler(
  queue.crawlerOptions({
    minConcurrency: 6,
    maxConcurrency: 6,
    async requestHandler({ request, enqueueLinks, response, session }) {
      const { parent, tags } = request.userData;
      if (parent !== 'seed' && (tags?.deep?.length !== 2 || request.label !== 'PAGE'))
        throw new crawlee.NonRetryableError(`${request.url} came with ${JSON.stringify(request)}`);
      await enqueueLinks({
        strategy: 'all',
        label: 'PAGE',
        userData: { parent: request.loadedUrl, tags: { deep: [1, 'é'] } },
      });
      const { crawlDepth, retryCount, uniqueKey } = request;
      const told = { url: request.loadedUrl, parent, crawlDepth, retryCount, uniqueKey, status: response.statusCode };
      appendFileSync(CALLED, `${JSON.stringify({ ...told, session: session.id })}\n`);
    },
    failedRequestHandler({ request }, error) {
      appendFileSync(FAILED, `${JSON.stringify({ url: request.url, why: error.message })}\n`);
    },
  }),
);
await crawler.run(JSON.parse(SEEDS).map((seed) => ({ url: seed, userData: { parent: 'seed' } })));
