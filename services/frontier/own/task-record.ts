/**
 * A task as an appended record: in the owner's own partition, except for a robots hop, which goes to the partition
 * that needs its answer.
 */
import type { Task } from '../../../schemas/types.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';

export function taskRecord(codec: RecordCodec, identity: PartitionIdentity, task: Task): AppendRecord {
  const partition = task.robotsHops[0]?.partition ?? identity.partition;
  const value = codec.encode('tasks', task);
  return { topic: `${identity.crawl}.tasks`, partition, key: Buffer.from(task.hostKey), value };
}
