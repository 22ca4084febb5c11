/** Explains why a finished crawl has no page, or only one: a newcomer might blame the crawler. */

import type { CrawlCounts } from '../../../topology/frontier/ask/crawl-counts.ts';
import type { FailureLedger } from '../../hosting/crawl/failure-ledger.ts';
import { counted } from '../../runtime/counted.ts';
import { ownName } from '../../runtime/own-name.ts';

/** `place`: the options that name the crawl to other commands. */
export function whyFew(
  counts: CrawlCounts,
  { nofollow }: Pick<FailureLedger, 'nofollow'>,
  place: string,
): readonly string[] {
  const name = ownName();
  if (counts.pages > 1) return [];
  const lines: string[] = [];
  if (nofollow.length > 0)
    lines.push(
      `${nofollow[0]} forbids following its links (nofollow), so none were followed. Start from another page.`,
    );
  if (counts.denied > 0)
    lines.push(
      `robots.txt disallows ${counted(counts.denied, 'URL', number(counts.denied))}: ${name} explain URL ${place} shows the rule.`,
    );
  if (counts.outOfScope > 0)
    lines.push(`links out of scope: ${number(counts.outOfScope)}; set the scope with --scope host, domain or all.`);
  if (counts.filtered > 0)
    lines.push(
      `filtered links: ${number(counts.filtered)}; ${name} links --dropped ${place} lists them with the rule.`,
    );
  if (counts.tooDeep > 0) lines.push(`links deeper than --max-depth: ${number(counts.tooDeep)}.`);
  if (counts.deferred > 0)
    lines.push(
      `deferred URLs: ${number(counts.deferred)}; ${name} hosts ${place} and ${name} explain URL ${place} show why.`,
    );
  if (lines.length === 0 && counts.pages === 1 && counts.failed + counts.deadLettered === 0)
    lines.push(
      `The only page has no links to follow. ${name} links --dropped ${place} lists those that rules and plugins left out. If scripts create links, add --with render.`,
    );
  return lines;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
