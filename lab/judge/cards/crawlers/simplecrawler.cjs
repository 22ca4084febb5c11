// A polite crawl with simplecrawler, by https://www.npmjs.com/package/simplecrawler.
const Crawler = require('simplecrawler');

const crawler = new Crawler(process.env.CRAWL_SEED);
const proxy = new URL(process.env.CRAWL_PROXY);
crawler.useProxy = true;
crawler.proxyHostname = proxy.hostname;
crawler.proxyPort = Number(proxy.port);
crawler.userAgent = 'SimplecrawlerCard/1.0 (+https://crawler.example/about)';
crawler.filterByDomain = false;
crawler.respectRobotsTxt = true;
crawler.interval = 250;
crawler.maxConcurrency = 1;
crawler.on('complete', () => process.exit(0));
crawler.start();
