/** Asks the frontiers of a crawl on Kafka by HTTP: any one that listens answers for all. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { frontierMembers } from '../../runtime/crawl/frontier-members.ts';
import { memberAsker } from '../../runtime/http/ask-member.ts';
import { httpLimits } from '../../runtime/http/http-limits.ts';
import { memberAccess } from '../options/http-side.ts';
import { printNotice } from '../progress/restore-text.ts';
import type { StateSource } from '../state/state-source.ts';

/**
 * Asks a frontier by HTTP. `target`: path and query. Undefined: no frontier can be asked, since the crawl is in a data
 * folder, or none listens at an address that this process can reach. Throws the error that a frontier reports about the
 * query.
 */
export async function askFrontiers(
  source: StateSource,
  target: string,
  otherwise = 'reading the changelog',
): Promise<object | undefined> {
  const { brokersLog, manifest, clock } = source;
  if (brokersLog === null) return undefined;
  const members = await frontierMembers(brokersLog, manifest.crawl, clock.nowMs()).catch((error) => {
    // While they rebalance, the changelog can be used instead.
    if (error instanceof CrawlstreamError && error.retriable) return [];
    throw error;
  });
  const ask = memberAsker(memberAccess({}));
  for (const { address } of members) {
    const answer = address === null ? undefined : await ask(address, target, 2 * httpLimits.listMs);
    if (answer === undefined) continue;
    const { status, body } = answer;
    if (status < 400) return body;
    throw new CrawlstreamError('INVALID_ARGUMENT', (body as { readonly message?: string }).message ?? `HTTP ${status}`);
  }
  if (members.length > 0)
    printNotice(
      `no frontier could be reached (start frontiers with --http, and set their CRAWLSTREAM_HTTP_TOKEN here): ${otherwise}`,
    );
  return undefined;
}
