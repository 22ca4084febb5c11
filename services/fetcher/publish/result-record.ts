/** Results as records: the outcomes of a lease so far, and requests for leases of other hosts. */
import { blankResult } from '../../../schemas/blank.ts';
import type { HostFacts, Outcome, Request, Result, RobotsHop, Task } from '../../../schemas/types.ts';
import { type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';

/** A lease's unsent report. */
export interface Unsent {
  readonly task: Task;
  facts: HostFacts;
  completedAtMs: number;
  /** Outcomes with acked pages and links, ready to be sent. */
  outcomes: Outcome[];
  requests: Request[];
}

export interface ResultOptions {
  readonly codec: RecordCodec;
  /** Full names. */
  readonly topics: { readonly results: string };
  readonly partitions: number;
  readonly keyMode: KeyMode;
  readonly fetcherId: string;
  /** Its names towards a host. Absent: it makes no requests. */
  readonly names?: (hostKey: string) => Pick<Result, 'userAgent' | 'robotsTokens'>;
}

/** The lease's report so far; `last`: it ends with this. */
export function resultRecord(lease: Unsent, last: boolean, options: ResultOptions): AppendRecord {
  const { task, outcomes, requests, completedAtMs, facts } = lease;
  const { partition, epoch, leaseId, hostKey, grantedAtMs, policyVersion, lanes } = task;
  const granted = { epoch, leaseId, grantedAtMs, policyVersion, lanes };
  const reportFields = { last, completedAtMs, outcomes, requests, host: facts, ...granted };
  return resultFor(hostKey, partition, reportFields, options);
}

/** Makes a record for the frontier partition of a host without a lease here. */
export function leaseRequestRecord(hostKey: string, hop: RobotsHop, options: ResultOptions): AppendRecord {
  const partition = partitionOf(partitionKeyOf(hostKey, options.keyMode), options.partitions);
  return resultFor(hostKey, partition, { robotsHops: [hop] }, options);
}

function resultFor(
  hostKey: string,
  partition: number,
  reportFields: Partial<Result>,
  { topics, codec, fetcherId, keyMode, names }: ResultOptions,
): AppendRecord {
  const result = { ...blankResult, ...names?.(hostKey), partition, hostKey, fetcherId, ...reportFields };
  const key = Buffer.from(partitionKeyOf(hostKey, keyMode));
  return { topic: topics.results, partition, key, value: codec.encode('results', result) };
}
