/**
 * The schema registry of a fleet on Kafka. A term begins once it has given the ids of all that crawls write, and goes on with them: a registry
 * that goes away later stops no crawl, and none from being made.
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
  /** Is not ready while the registry is waited for, and says why. */
  readonly service: Service;
  readonly signal: AbortSignal;
}

const againMs = 1_000;

/** undefined: there is none, or the signal was aborted first. Throws what no time mends. */
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
