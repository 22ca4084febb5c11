/**
 * Metrics of a served frontier, under the names of any frontier's: the content of this process's partitions, over all
 * of its crawl ids. Read at each scrape; a partition that is being opened reports nothing.
 */

import { placeNames } from '../../../topology/frontier/changes/changes.ts';
import { type Counters, sumCounters } from '../../../topology/frontier/changes/counters.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { MetricSource } from '../../runtime/metrics/metrics.ts';
import type { ServedCrawls } from './served-crawl.ts';

interface Held {
  readonly counters: Counters[];
  ready: number;
  delayed: number;
}

export function servedMetrics(crawls: Pick<ServedCrawls, 'list'>, clock: Pick<Clock, 'nowMs'>): MetricSource {
  return (sink) => {
    const held = new Map<number, Held>();
    for (const { partitions } of crawls.list()) {
      for (const [partition, side] of partitions.entries()) {
        const state = side?.core?.state;
        if (state === undefined) continue;
        const one = held.get(partition) ?? { counters: [], ready: 0, delayed: 0 };
        one.counters.push(state.counters);
        const due = state.clock.due(clock.nowMs());
        one.ready += state.clock.ready + due;
        one.delayed += state.clock.waiting - due;
        held.set(partition, one);
      }
    }
    for (const [number, { counters, ready, delayed }] of held) {
      const partition = `${number}`;
      const sum = sumCounters(counters);
      for (const place of placeNames) sink.value('crawlstream_frontier_urls', sum[place], { partition, place });
      sink.value('crawlstream_frontier_hosts_known', sum.hosts, { partition });
      sink.value('crawlstream_frontier_hosts', ready, { partition, state: 'ready' });
      sink.value('crawlstream_frontier_hosts', delayed, { partition, state: 'delayed' });
      sink.value('crawlstream_frontier_leases', sum.leases, { partition });
      sink.value('crawlstream_frontier_admissions_total', sum.admitted, { partition });
    }
  };
}
