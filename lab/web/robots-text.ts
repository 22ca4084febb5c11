/**
 * The robots.txt files and sitemaps of the synthetic web, and the paths that they forbid (RFC 9309).
 *
 * `isDisallowed` knows the few rules written here by heart and parses nothing, so that it cannot share a parser's bugs.
 */
import { type HostTraits, hasRules } from './hosts.ts';
import { mix } from './random.ts';

const rules = [
  ['User-agent: *', 'Disallow: /private/', 'Allow: /private/open/', 'Disallow: /*.secret$'],
  // The same rules in another form: comments, case, an unrelated group that must not apply, an escaped rule.
  [
    '# keep out, please',
    'user-agent: other-robot',
    'disallow: /',
    '',
    'USER-AGENT: *   # all',
    'disallow:/%70rivate/',
    'allow: /private/open',
    'disallow: /files/*.secret',
  ],
  [
    'User-agent: other-robot',
    'User-agent: *',
    'Disallow: /private',
    'Allow: /private/open/',
    'Disallow: *.secret$',
    'Disallow:',
  ],
] as const;

export interface RobotsSource {
  readonly traits: HostTraits;
  readonly seed: number;
  readonly host: number;
  readonly sitemapUrl: string;
}

export function robotsText({ traits, seed, host, sitemapUrl }: RobotsSource): string {
  const lines: string[] = hasRules(traits)
    ? [...rules[mix(seed, 30, host) % rules.length]!]
    : ['User-agent: *', 'Disallow:'];
  if (traits.crawlDelayMs > 0) lines.push(`Crawl-delay: ${traits.crawlDelayMs / 1000}`);
  if (traits.sitemap) lines.push('', `Sitemap: ${sitemapUrl}`);
  return `${lines.join('\n')}\n`;
}

/** `path`: normal form. robots.txt itself is always allowed (§2.2.2). */
export function isDisallowed(traits: HostTraits, path: string): boolean {
  if (path === '/robots.txt') return false;
  if (traits.robots === 'unavailable') return true;
  if (!hasRules(traits)) return false;
  if (path.startsWith('/private/open/')) return false;
  return path.startsWith('/private/') || /^\/files\/.*\.secret$/.test(path);
}

/** sitemaps.org protocol. */
export function sitemapText(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${url.replace(/&/g, '&amp;')}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}
