/**
 * Puts a lease's sitemaps on the agenda: those named by a robots.txt that was read again, or, if the frontier keeps
 * rounds, those that the policy and robots.txt name when a round is due.
 *
 * Links of a sitemap of robots.txt have the depth of links on a page of this lease. Those of a sitemap that the policy
 * names are no deeper than the pages of the lease, except beside a seed: somebody wants them, so the limit of depth that
 * admitted these pages admits them too.
 */
import type { Task } from '../../../schemas/types.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { LinkMaker } from '../publish/page-links.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import { type RobotsAnswer, robotsFacts } from '../robots/cache.ts';
import type { SitemapAgenda } from './agenda.ts';

/** The parts of a lease's runner that are needed to note them. */
export interface SitemapNoter {
  readonly reader: { readonly links: Pick<LinkMaker, 'normalize'> };
  readonly sitemaps: SitemapAgenda;
}

/** A page of the lease is about to be fetched: what its robots.txt says. */
export function noteSitemaps(runner: SitemapNoter, task: Task, origin: string, { robots, fresh }: RobotsAnswer): void {
  if (!fresh || robots.stale) return;
  const namedAtMs = task.sitemaps.sinceMs < 0 ? robots.fetchedAtMs : task.sitemaps.sinceMs;
  for (const url of robots.rules.sitemaps) note(runner, task, { url, origin, namedAtMs, trusted: false });
}

/** The round that is due, if one is. `robotsOf`: as in SitemapReading. */
export async function noteRound(
  runner: SitemapNoter,
  task: Task,
  reporter: Pick<LeaseReporter, 'learnt'>,
  robotsOf: (origin: string) => Promise<RobotsAnswer | null>,
): Promise<void> {
  const { sinceMs: namedAtMs, origin, urls } = task.sitemaps;
  if (namedAtMs <= 0) return;
  for (const url of urls) note(runner, task, { url, origin, namedAtMs, trusted: true });
  const answer = await robotsOf(origin);
  if (answer === null) return;
  reporter.learnt(robotsFacts(answer));
  for (const url of answer.robots.rules.sitemaps) note(runner, task, { url, origin, namedAtMs, trusted: false });
}

function note(
  { sitemaps, reader }: SitemapNoter,
  { urls }: Task,
  named: { readonly url: string; readonly origin: string; readonly namedAtMs: number; readonly trusted: boolean },
): void {
  const hostKey = hostKeyOf(reader.links.normalize(named.url) ?? named.url);
  const beside = urls.length === 0 ? 0 : Math.min(...urls.map((one) => one.depth));
  const depth = named.trusted ? Math.max(1, beside) : 1 + beside;
  sitemaps.add({ ...named, hostKey, depth, hop: 0, nesting: 0, tries: 0 });
}
