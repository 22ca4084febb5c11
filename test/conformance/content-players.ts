/** Players of the behaviour cases about what a body holds: pages, sitemaps, robots.txt, links. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { parsePage } from '../../topology/parse/page.ts';
import { parseLimits } from '../../topology/parse/parse-limits.ts';
import { parseSitemap } from '../../topology/parse/sitemap.ts';
import { policyLimits } from '../../topology/policy/policy-limits.ts';
import { robotsLimits } from '../../topology/robots/robots-limits.ts';
import { isAllowed, parseRobots } from '../../topology/robots/rules.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import type { Player } from './wire-players.ts';

const bodyBytesMax = 2 * 1024 * 1024;

function page(body: Uint8Array, linksMax = 1_000) {
  return parsePage(body, {
    url: 'http://a.test/',
    contentType: 'text/html',
    robotsTags: [],
    productToken: 'crawlstream',
    linksMax,
    textCharsMax: 100_000,
    byteBudget: bodyBytesMax,
    expired: () => false,
  });
}

/** CPU time, ms. */
function costOf(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const sitemap = (xml: string) => parseSitemap(Buffer.from(xml), null, 'http://a.test/sitemap.xml');
const robots = (text: string) => parseRobots(Buffer.from(text), 'crawlstream', 'http://a.test/robots.txt');

export const contentPlayers: Readonly<Record<string, Player>> = {
  'Content-Type text/html; body is gzip without Content-Encoding': () => {
    assert.deepEqual(page(gzipSync('<a href=/x>')).links, []);
  },
  'text/html with 50 MB of nested <div>': () => {
    const body = Buffer.alloc(50 * 1024 * 1024, '<div>');
    assert.ok(costOf(() => assert.equal(page(body).complete, false)) < 2_000);
  },
  'page with 1 000 000 links': () => {
    const body = Buffer.from(Array.from({ length: 1_000_000 }, (_, n) => `<a href=/${n}>`).join(''));
    const { links, linksDropped } = page(body.subarray(0, bodyBytesMax), 1_000);
    assert.equal(links.length, 1_000);
    assert.ok(linksDropped > 100_000);
  },
  'session id in every link': () => {
    const normalize = compileNormalizer();
    const session = (id: string) => normalize(`http://a.test/x;jsessionid=${id}?PHPSESSID=${id}&page=1`);
    assert.equal(session('0123456789abcdef0123456789abcdef'), session('fedcba9876543210fedcba9876543210'));
  },
  'XML sitemap with external entity file:///etc/passwd': () => {
    const xml = '<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://a.test/&x;</loc></url>';
    assert.ok(sitemap(`${xml}</urlset>`).entries.every(({ url }) => !url.includes('root')));
  },
  'XML with billion-laughs entities': () => {
    const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    const xml = `<!DOCTYPE u [<!ENTITY l0 "lol">${entities}]><urlset><url><loc>http://a.test/&l9;</loc></url></urlset>`;
    assert.ok(sitemap(xml).entries.every(({ url }) => url.length < 50));
  },
  'sitemap of 1 GB or 10 million URLs': () => {
    const many = Array.from({ length: 200_000 }, (_, n) => `<url><loc>http://a.test/${n}</loc></url>`).join('');
    assert.equal(sitemap(`<urlset>${many}</urlset>`).entries.length, parseLimits.sitemapEntriesMax);
  },
  'robots.txt of 100 MB': () => {
    const line = 'Disallow: /x\n';
    const head = `User-agent: *\n${line.repeat(Math.floor((robotsLimits.bodyBytesMax - 1_000) / line.length))}`;
    const rules = robots(`${head}Disallow: /last\n${line.repeat(1_000_000)}Disallow: /beyond\n`);
    assert.equal(isAllowed(rules, 'http://a.test/last'), false);
    assert.equal(isAllowed(rules, 'http://a.test/beyond'), true);
  },
  'robots.txt pattern with 1 000 stars (regular-expression blow-up)': () => {
    const rules = robots(`User-agent: *\nDisallow: /${'*a'.repeat(1_000)}$\n`);
    const url = `http://a.test/${'a'.repeat(2_000)}b`;
    assert.ok(costOf(() => assert.equal(isAllowed(rules, url), true)) < 500);
  },
  'robots.txt Crawl-delay: 86400': () => {
    // Above the cap its host is put off (test/services/fetcher/leases/lease.test.ts).
    assert.equal(robots('User-agent: *\nCrawl-delay: 86400').crawlDelayMs, 86_400_000);
    assert.ok(policyLimits.crawlDelayCapMs < 86_400_000);
  },
};
