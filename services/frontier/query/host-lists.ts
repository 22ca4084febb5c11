/**
 * `GET /hosts?search=&sort=&limit=`: the first hosts of a crawl in some order, over all partitions.
 *
 * Each partition's holder sends only its own first rows, so that `limit` rows of each are merged here, whatever the
 * number of hosts. A partition that does not answer is named in `missing`; the list is made without it.
 */
import { hasCode, invalid } from '../../../topology/errors.ts';
import {
  FirstHosts,
  type HostList,
  type HostRow,
  HostScan,
  type HostsWanted,
  hostSorts,
} from '../../../topology/frontier/ask/list-hosts.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import { httpLimits } from '../../runtime/http/http-limits.ts';
import type { Answer, Queries, Source } from './queries.ts';

export interface ListQuery {
  readonly search?: string;
  readonly sort?: string;
  readonly limit?: string;
}

/** Answer of a partition's holder. */
interface PartitionList extends HostList {
  readonly from: Source;
}

export interface PlacedHost extends HostRow {
  readonly partition: number;
}

export interface HostsAnswer extends HostList {
  readonly hosts: readonly PlacedHost[];
  /** Partitions that are not in the list, because no process that has them could be asked. */
  readonly missing: readonly number[];
  readonly from: readonly (Source & { readonly partition: number })[];
}

interface Listed {
  readonly partitions: number;
  readonly queries: Pick<Queries, 'ask'>;
}

/** Hosts of a list, if the request does not say. */
export const hostsDefault = 50;

/** Throws INVALID_ARGUMENT on parameters that are not valid. */
export function hostsWanted({ search = '', sort = 'queued', limit }: ListQuery): HostsWanted {
  const wanted = hostSorts.find((one) => one === sort);
  if (wanted === undefined) throw invalid(`sort ${JSON.stringify(sort)}: give one of ${hostSorts.join(', ')}`);
  const { queryPageMax } = frontierLimits;
  const count = limit === undefined ? hostsDefault : /^\d{1,6}$/.test(limit) ? Number(limit) : Number.NaN;
  if (!(count <= queryPageMax))
    throw invalid(`limit ${JSON.stringify(limit)}: give a number from 0 to ${queryPageMax}`);
  return { search: search.toLowerCase(), sort: wanted, limit: count };
}

/** Returns the list over all partitions. Throws NOT_READY if no partition can be asked. */
export async function listHosts(listed: Listed, wanted: HostsWanted, passedOn: boolean): Promise<HostsAnswer> {
  const lists = new Map<number, PartitionList>();
  const left = Array.from({ length: listed.partitions }, (_, partition) => partition);
  let failure: unknown;
  const ask = async () => {
    for (let partition = left.shift(); partition !== undefined; partition = left.shift()) {
      try {
        const { body } = await askPartition(listed, partition, wanted, passedOn);
        lists.set(partition, body as PartitionList);
      } catch (error) {
        if (!hasCode(error, 'NOT_READY')) throw error;
        failure = error;
      }
    }
  };
  await Promise.all(Array.from({ length: httpLimits.listsAtOnce }, ask));
  if (lists.size === 0) throw failure;
  return mergeLists(listed.partitions, lists, wanted);
}

export function askPartition(
  { queries }: Listed,
  partition: number,
  wanted: HostsWanted,
  passedOn: boolean,
): Promise<Answer> {
  const { search, sort, limit } = wanted;
  const query = new URLSearchParams({ search, sort, limit: String(limit), partition: String(partition) });
  const scan = new HostScan(wanted);
  return queries.ask<HostList>({
    partition,
    target: `/hosts?${query}`,
    passedOn,
    passOnMs: httpLimits.listMs,
    job: (state) => scan.slice(state),
    answer: (list, from) => ({ status: 200, body: { ...list, from } satisfies PartitionList }),
  });
}

/** The first of all lists, each in order. */
export function mergeLists(
  partitions: number,
  lists: ReadonlyMap<number, HostList & { readonly from?: Source }>,
  wanted: HostsWanted,
): HostsAnswer {
  const first = new FirstHosts<PlacedHost>(wanted);
  const from: (Source & { partition: number })[] = [];
  const missing: number[] = [];
  let [matched, known] = [0, 0];
  for (let partition = 0; partition < partitions; partition++) {
    const list = lists.get(partition);
    if (list === undefined) {
      missing.push(partition);
      continue;
    }
    for (const host of list.hosts) first.offer(host, () => ({ ...host, partition }));
    matched += list.matched;
    known += list.known;
    if (list.from !== undefined) from.push({ partition, ...list.from });
  }
  return { hosts: first.rows, matched, known, missing, from };
}
