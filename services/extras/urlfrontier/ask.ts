/** Calls to a partition, as promises. */
import type { GetCall, PulledUrl, PutCall, PutItem, QueueOrder } from '../../../topology/frontier/decide/pull/calls.ts';
import type { ServedPartition } from './served-crawl.ts';

/** Resolves with a status for each item, once all of them are durable. */
export function put(partition: ServedPartition, items: readonly PutItem[]): Promise<Uint8Array> {
  const statuses = new Uint8Array(items.length);
  return new Promise((resolve, reject) => {
    const onDone = (error?: unknown) => (error === undefined ? resolve(statuses) : reject(error));
    const call: PutCall = { kind: 'put', items, statuses, next: 0, onDone };
    partition.call(call);
  });
}

export interface Wanted extends Pick<GetCall, 'key' | 'queues' | 'urlsPerQueue' | 'leaseMs'> {}

export interface Got {
  readonly urls: readonly PulledUrl[];
  /** Number of queues the URLs belong to. */
  readonly queues: number;
}

export function get(partition: ServedPartition, wanted: Wanted): Promise<Got> {
  return new Promise((resolve, reject) => {
    const call: GetCall = {
      kind: 'get',
      ...wanted,
      leases: [],
      urls: [],
      onDone: (error) =>
        error === undefined ? resolve({ urls: call.urls, queues: call.leases.length }) : reject(error),
    };
    partition.call(call);
  });
}

/** Resolves with the number of URLs that were removed, once that is durable. */
export function order(partition: ServedPartition, given: QueueOrder): Promise<number> {
  return new Promise((resolve, reject) => {
    const onDone = (error?: unknown) => (error === undefined ? resolve(call.gone) : reject(error));
    const call = { kind: 'queue' as const, order: given, gone: 0, next: 0, onDone };
    partition.call(call);
  });
}
