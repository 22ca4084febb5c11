// Requests of every kind. Each handler that is over leaves a line.
import { appendFileSync } from 'node:fs';
import * as crawlee from 'crawlee';
import { LeaseQueue } from 'crawlstream/crawlee';

const { CALLED, SITE, CRAWLSTREAM_URL: url } = process.env;
const leave = (kind, { url, userData, retryCount, method, headers }, more = {}) => {
  const line = { kind, path: url.slice(SITE.length), userData, retryCount, method, headers, ...more };
  appendFileSync(CALLED, `${JSON.stringify(line)}\n`);
};
const queue = new LeaseQueue(crawlee, { url });
const crawler = new crawlee.CheerioCrawler(
  queue.crawlerOptions({
    maxRequestRetries: 2,
    requestHandler({ request, body }) {
      const { fails = 0 } = request.userData;
      if (request.retryCount < fails) throw new Error(`the handler fails, ${request.retryCount}`);
      leave('handled', request, { body: `${body ?? ''}`.slice(0, 80) });
    },
    errorHandler({ request }) {
      request.userData.retried = [...(request.userData.retried ?? []), request.retryCount];
    },
    failedRequestHandler({ request }, error) {
      leave('failed', request, { why: error.message.split('\n')[0] });
    },
  }),
);
await crawler.run([
  `${SITE}/plain`,
  { url: `${SITE}/plain`, label: 'AGAIN' },
  { url: `${SITE}/plain`, uniqueKey: 'another', headers: { 'x-kept': 'é' } },
  ...['one', 'two'].map((payload) => ({ url: `${SITE}/post`, method: 'POST', payload, useExtendedUniqueKey: true })),
  { url: `${SITE}/handler-fails`, userData: { fails: 2 } },
  { url: `${SITE}/handler-always-fails`, userData: { fails: 9 } },
  { url: `${SITE}/busy`, userData: { of: 'busy' } },
  { url: `${SITE}/always-busy` },
  { url: `${SITE}/gone` },
  { url: `${SITE}/moved`, userData: { of: 'moved' } },
  { url: `${SITE}/picture` },
  { url: `${SITE}/not-navigated`, skipNavigation: true },
]);
