/**
 * Requests that no lease made, as records for the log: they are contacts of a host all the same, so that its frontier
 * keeps the delay after them and an audit sees them. They are gathered, and published with the pages they were made
 * for.
 */
import { blankResult } from '../../../schemas/blank.ts';
import type { Request, Result, RobotsCopy } from '../../../schemas/types.ts';
import { hostKeyOf, type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';

export interface ContactRecords {
  requested(request: Request): void;
  readRobots(copy: RobotsCopy): void;
  /** Records since the last call: copies first, then results. */
  take(): AppendRecord[];
}

export function createContactRecords(
  codec: RecordCodec,
  { crawl, partitions, keyMode }: { readonly crawl: string; readonly partitions: number; readonly keyMode: KeyMode },
  fetcherId: string,
  /** The names under which the host was contacted. Absent: it was not contacted. */
  namesOf: (hostKey: string) => Partial<Result> = () => ({}),
): ContactRecords {
  const byHost = new Map<string, Request[]>();
  const copies: AppendRecord[] = [];
  const place = (hostKey: string) => partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  return {
    requested(request) {
      const hostKey = hostKeyOf(request.url);
      const requests = byHost.get(hostKey) ?? [];
      byHost.set(hostKey, requests);
      requests.push(request);
    },
    readRobots(copy) {
      const { origin, hash, body } = copy;
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      const value = codec.encode('robots', { ...copy, body: bytes });
      const partition = place(hostKeyOf(origin));
      copies.push({ topic: `${crawl}.robots`, partition, key: Buffer.from(`${origin} ${hash}`), value });
    },
    take() {
      const records = copies.splice(0);
      for (const [hostKey, requests] of byHost) {
        const completedAtMs = Math.max(...requests.map(({ endMs }) => endMs));
        const partition = place(hostKey);
        const result = { ...blankResult, ...namesOf(hostKey), partition, hostKey, fetcherId, completedAtMs, requests };
        const key = Buffer.from(partitionKeyOf(hostKey, keyMode));
        records.push({ topic: `${crawl}.results`, partition, key, value: codec.encode('results', result) });
      }
      byHost.clear();
      return records;
    },
  };
}
