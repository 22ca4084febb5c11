/**
 * The schema registry of a fleet on Kafka. A term begins once the registry has given the ids of all schemas that crawls
 * write. The term keeps these ids: if the registry fails later, crawls go on, and new ones can be created.
 */
import { avroSchemas } from '../../../../schemas/avro.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { keptIds } from '../../../runtime/avro/kept-ids.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { type OpenRegistry, openRegistry } from '../../../runtime/crawl/kafka-access.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';

export interface FleetRegistryOptions {
  /** undefined: this fleet has none. */
  readonly url: string | undefined;
  readonly fleet: string;
  /** Not ready while the registry is unreachable; its probe gives the reason. */
  readonly service: Service;
  readonly signal: AbortSignal;
}

const againMs = 1_000;

/** undefined: the fleet has no registry, or the signal came first. Throws errors that waiting does not mend. */
export async function fleetRegistry({
  url,
  fleet,
  service,
  signal,
}: FleetRegistryOptions): Promise<OpenRegistry | undefined> {
  if (url === undefined) return undefined;
  const clock = new SystemClock();
  const schemas = keptIds((await openRegistry(url)).schemas);
  let isSaid = false;
  while (!signal.aborted) {
    try {
      for (const [topic, schema] of Object.entries(avroSchemas)) await schemas.idFor(`${fleet}.${topic}-value`, schema);
      return { url, schemas };
    } catch (error) {
      if (!(error instanceof CrawlstreamError && error.code === 'REGISTRY_UNREACHABLE')) throw error;
      const why = `fleet ${fleet} waits: ${error.message}`;
      if (!isSaid) say(why, 'warn');
      isSaid = true;
      service.probes.suspend(why);
      await clock.sleepUntil(clock.nowMs() + againMs, signal);
    }
  }
  return undefined;
}
