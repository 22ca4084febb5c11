/**
 * The schema registry of a fleet on Kafka. A term begins once it has given the ids of all that crawls write, and goes on with them: a registry
 * that goes away later stops no crawl, and none from being made.
 */
import { avroSchemas } from '../../../schemas/avro.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { keptIds } from '../../runtime/avro/kept-ids.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type OpenRegistry, openRegistry } from '../../runtime/crawl/kafka-access.ts';

export interface FleetRegistryOptions {
  readonly url: string;
  readonly fleet: string;
  readonly clock: Clock;
  /** Hears why it is waited for, again and again. */
  onWait(why: string): void;
  readonly signal: AbortSignal;
}

const againMs = 1_000;

/** undefined: the signal was aborted first. Throws what no time mends. */
export async function fleetRegistry(options: FleetRegistryOptions): Promise<OpenRegistry | undefined> {
  const { url, fleet, clock, onWait, signal } = options;
  const schemas = keptIds((await openRegistry(url)).schemas);
  while (!signal.aborted) {
    try {
      for (const [topic, schema] of Object.entries(avroSchemas)) await schemas.idFor(`${fleet}.${topic}-value`, schema);
      return { url, schemas };
    } catch (error) {
      if (!(error instanceof CrawlstreamError && error.code === 'REGISTRY_UNREACHABLE')) throw error;
      onWait(error.message);
      await clock.sleepUntil(clock.nowMs() + againMs, signal);
    }
  }
  return undefined;
}
