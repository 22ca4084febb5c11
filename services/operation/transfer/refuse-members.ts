/** Transfers read or write the state that members of a crawl's groups change, so they refuse to run beside them. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Log } from '../../runtime/log/log.ts';

/** Throws INVALID_ARGUMENT, with the groups' names. */
export async function refuseMembers(log: Pick<Log, 'groups'>, crawl: string, what: string): Promise<void> {
  const busy = (await log.groups(`${crawl}.`)).filter(({ members }) => members > 0);
  if (busy.length === 0) return;
  const named = busy.map(({ group, members }) => `${group} has ${members} member${members === 1 ? '' : 's'}`);
  const message = `${what} cannot run while crawl ${crawl} is active; ${named.join(', ')}: stop them first`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
