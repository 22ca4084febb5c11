/** The lists of a crawl's policy, from the copies in its data folder or from the paths in the policy. */
import { listsOf } from '../../../topology/policy/lists-of.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';

export async function listsOfCrawl(
  policy: Pick<PolicyConfig, 'filters' | 'score'>,
  { brokers, data }: Pick<KafkaFlags, 'brokers' | 'data'>,
): Promise<ListSource> {
  // On Kafka, the folder that is named belongs to the process, and may not exist yet.
  const copies = data === undefined || brokers !== undefined ? undefined : (await readDataFolder(data)).part('lists');
  return createListFiles(copies).load(listsOf(policy), '/');
}
