/**
 * Runs a process beside the one that runs a fleet on Kafka. Opens the process's folder, its HTTP server and its
 * connection to the brokers, until it is stopped.
 */
import { join } from 'node:path';
import { untilStopped } from '../../../hosting/connect/cut-short.ts';
import { withStores } from '../../../hosting/connect/stores.ts';
import { withHttp } from '../../../hosting/options/http-side.ts';
import { openBrokers } from '../../../runtime/crawl/kafka-access.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { productVersion } from '../../../runtime/version.ts';
import type { FleetFlags } from './fleet-flags.ts';
import { type KafkaFleetFlags, needKafkaFleet } from './kafka-fleet-flags.ts';

export interface Beside {
  readonly flags: FleetFlags & KafkaFleetFlags;
  readonly brokers: string;
  readonly fleet: string;
  readonly log: Log;
  readonly service: Service;
  readonly signal: AbortSignal;
}

export interface BesideOptions {
  readonly role: string;
  /** Role of the Kafka client, for the brokers' logs and metrics. */
  readonly client: string;
  /** Printed when the process is stopped. */
  readonly stopping: string;
}

export async function besideFleet(
  flags: Beside['flags'],
  { role, client, stopping }: BesideOptions,
  serve: (beside: Beside) => Promise<void>,
): Promise<void> {
  const { brokers, fleet } = needKafkaFleet(flags);
  const stop = new AbortController();
  const release = stopOnSignals(stop, stopping);
  try {
    const run = () =>
      withStores(async (open) => {
        // The lock of this store keeps a second process of this machine out of the folder.
        await open(join(flags.data, 'process'));
        await withHttp(flags, { role, say }, async (service) => {
          const onNotice = (text: string) => say(text, 'warn', { component: 'brokers' });
          const access = { brokers, crawl: fleet, role: client, stays: true, onNotice, by: productVersion };
          const log = await openBrokers(access);
          try {
            await serve({ flags, brokers, fleet, log, service, signal: stop.signal });
          } finally {
            await log.close();
          }
        });
      });
    await untilStopped(stop.signal, run);
  } finally {
    release();
  }
  process.exitCode = 130;
}
