// A polite crawl with Crawlee's CheerioCrawler, by https://crawlee.dev/js/docs/guides/scaling-crawlers.
import { CheerioCrawler, Configuration, ProxyConfiguration } from 'crawlee';

const crawler = new CheerioCrawler(
  {
    proxyConfiguration: new ProxyConfiguration({ proxyUrls: [process.env.CRAWL_PROXY] }),
    respectRobotsTxtFile: true,
    sameDomainDelaySecs: 0.25,
    minConcurrency: 20,
    maxConcurrency: 50,
    async requestHandler({ enqueueLinks }) {
      await enqueueLinks({ strategy: 'all' });
    },
  },
  new Configuration({ persistStorage: false, logLevel: 'ERROR' }),
);
await crawler.run([process.env.CRAWL_SEED]);
