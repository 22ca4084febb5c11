/** A crawl from TypeScript: the titles of a site, page by page. node twenty-lines.ts https://example.org me@example.org */
import { crawl } from 'crawlstream';

const [seed, contact = 'me@example.org'] = process.argv.slice(2);
if (seed === undefined) throw new Error('give a URL to begin with');

const running = crawl({
  seeds: [seed],
  userAgent: `twenty-lines/1.0 (+${contact})`,
  policy: { pageQuota: 100 },
  // Only for a site on this very machine.
  allowPrivate: new URL(seed).hostname === 'localhost',
});

for await (const { url, title, text } of running) {
  console.log(`${title || '(no title)'}\t${text.length} characters\t${url}`);
}

const { pages } = await running;
console.log(`${pages} pages`);
