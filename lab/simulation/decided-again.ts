/** Whatever happened to its owners, deciding a partition's commits again from their inputs gives the same bytes. */

import { frontierInput } from '../../services/runtime/crawl/frontier-input.ts';
import { ReDecider } from '../../topology/extras/what-if/re-decider.ts';
import { type Commit, type InputTopic, inputTopics, readChangelog } from '../../topology/frontier/changes/changelog.ts';
import { offsetsRead } from '../../topology/frontier/changes/offsets-read.ts';
import type { Input } from '../../topology/frontier/partition.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import { noLists } from '../../topology/url/url-lists.ts';
import { crawl, fingerprintKey } from './machines.ts';
import type { Setting } from './setting.ts';

export function checkDecidedAgain(stage: Setting): void {
  const { world, cluster, violate } = stage;
  // The inputs may be gone.
  if (inputTopics.some((topic) => cluster.lost.has(`${crawl}.${topic}`))) return;
  for (let partition = 0; partition < world.partitions; partition++) {
    const identity = { crawl, partition, partitions: world.partitions };
    const again = new ReDecider(identity, new FrontierState(fingerprintKey), noLists);
    for (const { offset, value } of cluster.partition(`${crawl}.frontier-changelog`, partition).records) {
      const record = readChangelog(value);
      const inputs =
        record.kind !== 'commit' ? [] : inputTopics.flatMap((topic) => taken(stage, partition, topic, record));
      const difference = again.take(offset, value, inputs);
      if (difference === null) continue;
      violate(`commit ${offset} of partition ${partition} is decided otherwise the second time`);
      return;
    }
  }
}

function taken({ cluster, codec }: Setting, partition: number, topic: InputTopic, commit: Commit): Input[] {
  const [from, to] = offsetsRead(commit, topic);
  return cluster
    .partition(`${crawl}.${topic}`, partition)
    .records.filter(({ offset }) => offset >= from && offset < to)
    .map((record) => frontierInput(codec, topic, record));
}
