/** Metrics of a process's stores, over all its partitions: files, compactions, and writes that wait for them. */
import type { StateStore } from '../store/store.ts';
import type { MetricSource } from './metrics.ts';

/** `opened`: closed stores are removed from it. */
export function lsmMetrics(store: string, opened: Set<Pick<StateStore, 'figures'>>): MetricSource {
  return (sink) => {
    for (const one of opened) {
      const figures = one.figures?.() ?? null;
      if (figures === null) {
        opened.delete(one);
        continue;
      }
      const { files, memtableBytes, compactions, compactionBytes, isStopped, isDelayed } = figures;
      for (const [level, count] of files.entries()) {
        if (count > 0 || level === 0) sink.value('crawlstream_store_files', count, { store, level });
      }
      if (memtableBytes !== undefined) sink.value('crawlstream_store_memtable_bytes', memtableBytes, { store });
      if (compactions !== undefined) sink.value('crawlstream_store_compactions', compactions, { store });
      if (compactionBytes !== undefined) sink.value('crawlstream_store_compaction_bytes', compactionBytes, { store });
      for (const [how, waits] of [['stopped', isStopped] as const, ['delayed', isDelayed] as const]) {
        if (waits !== undefined) sink.value('crawlstream_store_stalled', waits ? 1 : 0, { store, how });
      }
    }
  };
}
