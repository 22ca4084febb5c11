/** All metrics of a process: the same for scrapes and for a collector. */
import { totalmem } from 'node:os';
import type { MetricSource } from '../../runtime/metrics/metrics.ts';
import { awayMetrics, type Service } from '../../runtime/metrics/service.ts';
import { diskMetrics } from '../../runtime/metrics/store-metrics.ts';
import { productVersion } from '../../runtime/version.ts';

export function processSources(service: Service): MetricSource[] {
  const { role, probes, lag, disks, sources } = service;
  const ofProcess: MetricSource = (sink) => {
    sink.value('crawlstream_info', 1, { version: productVersion, role });
    sink.value('crawlstream_ready', probes.waitsFor === null ? 1 : 0);
    sink.value('crawlstream_memory_limit_bytes', memoryLimit());
    if (service.partitions !== undefined) sink.value('crawlstream_partitions', service.partitions);
    for (const [fate, count] of Object.entries(service.spans?.counts ?? {})) {
      sink.value('crawlstream_spans_total', count, { fate });
    }
    for (const [signal, counts] of service.exports) {
      for (const [fate, count] of Object.entries(counts)) {
        sink.value('crawlstream_exports_total', count, { signal, fate });
      }
    }
  };
  return [ofProcess, awayMetrics(service), lag.metrics, ...diskMetrics(disks), ...sources];
}

/** Memory limit of the container, if it has one, else the machine's memory, bytes. */
function memoryLimit(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
