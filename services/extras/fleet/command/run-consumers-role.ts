/**
 * Runs consumers of a fleet on Kafka in a separate process: the named ones, for each crawl from its creation until its
 * deletion. The fleet does not depend on this process. If several such processes run, the consumer groups decide which
 * of them has the consumers of a crawl.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../../../runtime/clock.ts';
import { counted } from '../../../runtime/counted.ts';
import { crawlsTopic } from '../../../runtime/crawl/fleet-names.ts';
import { foldLog } from '../../../runtime/log/folded/folded-log.ts';
import { say } from '../../../runtime/logging/say.ts';
import { followTopicDocuments } from '../documents/follow-documents.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { type Beside, besideFleet } from './beside-fleet.ts';
import { FleetConsumers } from './fleet-consumers.ts';
import { fleetRegistry } from './fleet-registry.ts';
import { KafkaCrawls } from './kafka-crawls.ts';
import { fleetConsumers } from './kafka-fleet-flags.ts';

const { standbyLookMs, tailBytes } = fleetServiceLimits;

export function runConsumersRole(flags: Beside['flags']): Promise<void> {
  const stopping = 'stopping: finishing records already read';
  return besideFleet(flags, { role: 'consumers', client: 'fleet-consumers', stopping }, serve);
}

async function serve({ flags, brokers, fleet, log, service, signal }: Beside): Promise<void> {
  const clock = new SystemClock();
  const topic = crawlsTopic(fleet);
  while (!signal.aborted && (await log.partitionsOf(topic)) === 0) {
    service.probes.suspend(`waiting: fleet ${fleet} has not been started yet`);
    await sleep(standbyLookMs, undefined, { signal }).catch(() => {});
  }
  const registry = await fleetRegistry({ url: flags.registry, fleet, service, signal });
  if (signal.aborted) return;
  const failing = new AbortController();
  let onChange = () => {};
  const onFailure = (error: unknown) => failing.abort(error);
  const documents = followTopicDocuments({ log, topic, onChange: () => onChange(), onFailure });
  const folded = foldLog({ ...log, close: async () => {} }, { isExact: false, tailBytes });
  const consumers = new FleetConsumers({
    ...{ documents, clock, data: flags.data },
    crawls: new KafkaCrawls({ fleet, brokers, registry, topics: log, log: folded }),
    chosen: fleetConsumers.filter(({ name }) => flags.with!.includes(name)),
  });
  const over = AbortSignal.any([signal, failing.signal]);
  try {
    await documents.caughtUp();
    onChange = () => void consumers.look().catch(onFailure);
    await consumers.look();
    service.probes.serve(
      () => null,
      () => `follows ${counted(consumers.size, 'crawl')}`,
    );
    say(`consumers ${flags.with!.join(', ')} run for ${counted(consumers.size, 'crawl')} of fleet ${fleet}`);
    await new Promise<void>((resolve) => {
      if (over.aborted) resolve();
      else over.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    service.probes.suspend('stopping');
    await consumers.stop();
    await documents.stop();
    await folded.close();
  }
  if (failing.signal.aborted) throw failing.signal.reason;
}
