/** Rules of a crawl in words: its scope, and whether robots.txt is obeyed. */
import type { PolicyConfig } from '../../topology/policy/policy.ts';

export function scopeText({ scope, maxDepth, filters }: PolicyConfig): string {
  const { kind, names } = scope;
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const near = `${kind === 'host' ? 'hosts' : 'domains'} ${names.slice(0, 3).join(' ')}${more}`;
  const parts = [kind === 'all' ? 'any host (--scope all)' : near];
  if (maxDepth !== null) parts.push(`at most ${maxDepth} links from a seed`);
  if (filters.include.length > 0) parts.push(`only ${filters.include.join(' ')}`);
  if (filters.exclude.length > 0) parts.push(`not ${filters.exclude.join(' ')}`);
  return parts.join(', ');
}

export function robotsText({ overlays = [] }: PolicyConfig): string {
  const unasked = overlays.filter(({ set }) => set.robotsNotAsked != null).map(({ name }) => name);
  const except = unasked.length === 0 ? '' : `, except where these overlays match: ${unasked.join(', ')}`;
  return `robots.txt is obeyed, including Crawl-delay${except}`;
}
