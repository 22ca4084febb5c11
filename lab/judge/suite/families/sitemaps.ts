/** Sitemaps (sitemaps.org) and feeds: the pages that only they name. */
import { gzipSync } from 'node:zlib';
import { type Check, check, type Level, type Page, type Reply } from '../check/check.ts';

const protocol = 'https://www.sitemaps.org/protocol.html';
const declaredBy = 'https://www.sitemaps.org/protocol.html#submit_robots';
const indexes = 'https://www.sitemaps.org/protocol.html#index';

const xml = (body: string | Buffer): Reply => ({ type: 'application/xml', body });
const urlset = (...urls: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
const index = (...urls: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
const robots = (...lines: readonly string[]): Reply => ({
  type: 'text/plain',
  body: `User-agent: *\nDisallow:\n${lines.join('\n')}\n`,
});
const named = robots('Sitemap: {host}/map.xml');
const home = '<!doctype html><title>home</title><p>Nothing is linked here.</p>';

function mapCheck(
  name: string,
  title: string,
  source: string,
  pages: Readonly<Record<string, Page>>,
  { want = ['/x'], never = [], level = 'practice' }: { want?: string[]; never?: string[]; level?: Level } = {},
): Check {
  return check(`sitemaps/${name}`, level, source, title, {
    pages: { '/robots.txt': named, '/': home, ...pages },
    want,
    never,
  });
}

/** The URLs of the text are put in before it is packed; here the host is written by its key. */
const packed =
  (text: string): Page =>
  ({ header }) => ({ type: 'application/x-gzip', body: gzipSync(text.replaceAll('HOST', `http://${header('host')}`)) });

const big = urlset(...Array.from({ length: 2_000 }, (_, i) => `{host}/?part=${i % 2}`), '{host}/x');

const feeds: readonly Check[] = [
  [
    'rss',
    'application/rss+xml',
    '<?xml version="1.0"?><rss version="2.0"><channel><title>t</title><link>{host}/</link><item><title>i</title><link>{host}/x</link></item></channel></rss>',
    'https://www.rssboard.org/rss-specification',
    'the items of an RSS feed are fetched',
  ],
  [
    'atom',
    'application/atom+xml',
    '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>t</title><entry><title>i</title><link rel="alternate" href="{host}/x"/></entry></feed>',
    'https://www.rfc-editor.org/rfc/rfc4287.html',
    'the entries of an Atom feed are fetched',
  ],
  [
    'rdf',
    'application/rdf+xml',
    '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="{host}/x"><title>i</title><link>{host}/x</link></item></rdf:RDF>',
    'https://web.resource.org/rss/1.0/spec',
    'the items of an RSS 1.0 feed are fetched',
  ],
].map(([name, type, body, source, title]) =>
  check(`sitemaps/feed-${name}`, 'practice', source!, title!, {
    pages: {
      '/': `<!doctype html><title>t</title><link rel="alternate" type="${type}" href="/feed">`,
      '/feed': { type: type!, body: body! },
    },
    want: ['/x'],
  }),
);

export const sitemapsChecks: readonly Check[] = [
  mapCheck('in-robots', 'a sitemap that robots.txt names is read', declaredBy, { '/map.xml': xml(urlset('{host}/x')) }),
  mapCheck(
    'two-in-robots',
    'two sitemaps that robots.txt names are read',
    declaredBy,
    {
      '/robots.txt': robots('Sitemap: {host}/one.xml', 'Sitemap: {host}/two.xml'),
      '/one.xml': xml(urlset('{host}/x')),
      '/two.xml': xml(urlset('{host}/y')),
    },
    { want: ['/x', '/y'] },
  ),
  mapCheck('field-case', 'a Sitemap line is read without regard to case', declaredBy, {
    '/robots.txt': robots('SITEMAP:{host}/map.xml'),
    '/map.xml': xml(urlset('{host}/x')),
  }),
  mapCheck('in-other-group', 'a Sitemap line counts in any group', declaredBy, {
    '/robots.txt': { type: 'text/plain', body: 'User-agent: other-robot\nDisallow: /\nSitemap: {host}/map.xml\n' },
    '/map.xml': xml(urlset('{host}/x')),
  }),
  mapCheck('index', 'a sitemap index leads to its sitemaps', indexes, {
    '/map.xml': xml(index('{host}/one.xml')),
    '/one.xml': xml(urlset('{host}/x')),
  }),
  mapCheck('gzip-file', 'a compressed sitemap is read', protocol, {
    '/robots.txt': robots('Sitemap: {host}/map.xml.gz'),
    '/map.xml.gz': packed(urlset('HOST/x')),
  }),
  mapCheck(
    'text',
    'a sitemap of plain text is read',
    protocol,
    {
      '/robots.txt': robots('Sitemap: {host}/map.txt'),
      '/map.txt': { type: 'text/plain', body: '{host}/x\n{host}/y\n' },
    },
    { want: ['/x', '/y'] },
  ),
  mapCheck(
    'entities',
    'entities in a sitemap are decoded',
    'https://www.sitemaps.org/protocol.html#escaping',
    { '/map.xml': xml(urlset('{host}/x?a=1&amp;b=2')) },
    { want: ['/x?a=1&b=2'], never: ['/x?a=1&amp;b=2'] },
  ),
  mapCheck(
    'cdata',
    'CDATA in a sitemap is read',
    'https://www.w3.org/TR/xml/#sec-cdata-sect',
    { '/map.xml': xml(urlset('<![CDATA[{host}/x?a=1&b=2]]>')) },
    { want: ['/x?a=1&b=2'] },
  ),
  mapCheck('spaces', 'spaces around a URL in a sitemap are dropped', protocol, {
    '/map.xml': xml(urlset('\n   {host}/x\n  ')),
  }),
  mapCheck('prefix', 'a sitemap with a namespace prefix is read', 'https://www.w3.org/TR/xml-names/', {
    '/map.xml': xml(
      '<?xml version="1.0"?><s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>{host}/x</s:loc></s:url></s:urlset>',
    ),
  }),
  mapCheck('byte-order-mark', 'a sitemap with a byte order mark is read', protocol, {
    '/map.xml': xml(`\uFEFF${urlset('{host}/x')}`),
  }),
  mapCheck(
    'comment',
    'a URL in a comment of a sitemap is not fetched',
    protocol,
    { '/map.xml': xml(urlset('{host}/x').replace('<url>', '<!-- <url><loc>{host}/y</loc></url> --><url>')) },
    { never: ['/y'] },
  ),
  mapCheck('html-type', 'a sitemap sent as text/html is read', protocol, { '/map.xml': { body: urlset('{host}/x') } }),
  mapCheck('broken-end', 'a sitemap that breaks off still has its URLs', protocol, {
    '/map.xml': xml('<?xml version="1.0"?><urlset><url><loc>{host}/x</loc></url><url><lo'),
  }),
  mapCheck('bad-lastmod', 'a bad lastmod does not hide a URL', protocol, {
    '/map.xml': xml(
      '<urlset><url><loc>{host}/x</loc><lastmod>yesterday</lastmod><priority>high</priority></url></urlset>',
    ),
  }),
  mapCheck('redirected', 'a sitemap behind a redirect is read', protocol, {
    '/map.xml': { status: 301, headers: [['Location', '/moved.xml']] },
    '/moved.xml': xml(urlset('{host}/x')),
  }),
  mapCheck('large', 'the last of 2,001 URLs of a sitemap is fetched', protocol, { '/map.xml': xml(big) }),
  mapCheck(
    'closed-url',
    'a URL of a sitemap that robots.txt forbids is not fetched',
    'https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.2',
    {
      '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /closed\nSitemap: {host}/map.xml\n' },
      '/map.xml': xml(urlset('{host}/x', '{host}/closed')),
    },
    { never: ['/closed'], level: 'MUST' },
  ),
  mapCheck(
    'other-host',
    'a sitemap may not name pages of a host that did not agree',
    'https://www.sitemaps.org/protocol.html#location',
    { '/map.xml': xml(urlset('{host}/x', '{b}/y')) },
    { never: ['b/y'] },
  ),
  check('sitemaps/index-loop', 'practice', indexes, 'a sitemap index that names itself is left', {
    pages: {
      '/robots.txt': named,
      '/': home,
      '/map.xml': xml(index('{host}/map.xml', '{host}/map.xml?again')),
      '/map.xml*': xml(index('{host}/map.xml', '{host}/map.xml?again')),
    },
    weight: 2,
    fault: ({ requests }) => {
      const maps = requests.filter(({ key }) => key.startsWith('/map.xml'));
      return maps.length > 6 ? { why: `It asked ${maps.length} times.`, requests: maps } : undefined;
    },
    planted: () => [{ key: '/' }, ...Array(7).fill({ key: '/map.xml', waitMs: 0 })],
  }),
  check(
    'sitemaps/external-entity',
    'MUST',
    'https://cheatsheetseries.owasp.org/cheatsheets/XML_External_Entity_Prevention_Cheat_Sheet.html',
    'an external entity of a sitemap is not fetched',
    {
      pages: {
        '/robots.txt': named,
        '/': home,
        '/map.xml': xml(
          '<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY e SYSTEM "{host}/entity">]><urlset><url><loc>{host}/x</loc></url><url><loc>{host}/&e;</loc></url></urlset>',
        ),
      },
      control: '/',
      never: ['/entity'],
      weight: 5,
    },
  ),
  ...feeds,
];
