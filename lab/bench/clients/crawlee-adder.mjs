// Adds requests to a queue of Crawlee, ours (CRAWLSTREAM_URL) or Crawlee's own, and then waits until it is killed; or
// takes the next request out of Crawlee's own. It prints its progress as lines of JSON.
import * as crawlee from 'crawlee';
import { LeaseQueue } from 'crawlstream/crawlee';

const [what, wanted, hosts, port] = process.argv.slice(2);
const total = Number(wanted);
/** As many in one call as Crawlee itself sends at once. */
const batch = 1_000;
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
crawlee.log.setLevel(crawlee.LogLevel.ERROR);

if (what === 'next') {
  const queue = await crawlee.RequestQueue.open();
  const request = await queue.fetchNextRequest();
  say({ next: request?.url ?? null, total: (await queue.getInfo())?.totalRequestCount });
} else {
  const { CRAWLSTREAM_URL: url } = process.env;
  const queue = what === 'ours' ? new LeaseQueue(crawlee, { url }) : await crawlee.RequestQueue.open();
  for (let from = 0; from < total; from += batch) {
    const requests = Array.from({ length: Math.min(batch, total - from) }, (_, at) => {
      const n = from + at;
      return { url: `http://h${n % Number(hosts)}.test:${port}/p/${n}`, userData: { n } };
    });
    await queue.addRequestsBatched(requests, { batchSize: batch, waitForAllRequestsToBeAdded: true });
    if ((from / batch) % Math.max(1, Math.floor(total / batch / 20)) === 0) {
      globalThis.gc?.();
      say({ added: from + requests.length, rssMb: Math.round(process.memoryUsage().rss / 1e6) });
    }
  }
  globalThis.gc?.();
  say({ added: total, rssMb: Math.round(process.memoryUsage().rss / 1e6), done: true });
  setInterval(() => {}, 1_000);
}
