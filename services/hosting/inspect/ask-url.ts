/** Asks the state of a crawl about one URL or host: in a data folder its partition's state, on Kafka a frontier that listens. */
import { answerUrl, type UrlAnswer } from '../../../topology/frontier/ask/queries.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StoreJob } from '../../../topology/frontier/storage/store-job.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { runJob } from '../../frontier/restore/job-runner.ts';
import { withCurrentState } from '../state/current-state.ts';
import type { StateSource } from '../state/state-source.ts';
import { askFrontiers } from './ask-frontiers.ts';

/** `url` is normal. Undefined: the crawl is on Kafka, and no frontier answered; `otherwise` says what follows from that. */
export async function askUrl(source: StateSource, url: string, otherwise: string): Promise<UrlAnswer | undefined> {
  const asked = await askFrontiers(source, `/urls?${new URLSearchParams({ url })}`, otherwise);
  if (asked !== undefined) return asked as UrlAnswer;
  return source.brokersLog === null
    ? askPartition(source, hostKeyOf(url), (state) => answerUrl(state, url))
    : undefined;
}

/** Runs a query on the state of the host's partition. */
export function askPartition<T>(
  source: StateSource,
  hostKey: string,
  job: (state: FrontierState) => StoreJob<T>,
): Promise<T | undefined> {
  const { partitions, keyMode } = source.manifest;
  const partition = partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  return withCurrentState(source, partition, (state, store) => runJob(store, job(state)));
}
