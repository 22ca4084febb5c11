/** Runs a consumer as a separate process: on Kafka as a member of its group, over a data folder to the end of its records. */
import { recordPlugins } from '../../application/plugin/record-plugins.ts';
import type { Processor, RunningProcessor } from '../../application/processor/processor.ts';
import { startProcessor } from '../../application/start-processors.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { say, sayOf } from '../../runtime/logging/say.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { needData, withFolderLog } from '../connect/folder-log.ts';
import { ownFolder } from '../connect/own-folder.ts';
import type { FetcherFlags } from '../options/fetching.ts';
import { withHttp } from '../options/http-side.ts';
import type { OpenPlugins, PluginFlags } from '../options/plugins.ts';
import { type ProcessorFlags, reachOf } from '../options/processors.ts';
import { type RoleFlags, runRole } from './run-role.ts';

export interface ConsumerRun
  extends RoleFlags,
    ProcessorFlags,
    Pick<FetcherFlags, 'allowPrivate' | 'resolve' | 'contact' | 'ca' | 'insecure' | 'requests'>,
    PluginFlags {
  readonly fromStart?: boolean;
}

/** Resolves once it is stopped. `onRead`: called with the number of records that were read over a data folder. */
export function runConsumerProcess(
  processor: Processor,
  flags: ConsumerRun,
  plugins: OpenPlugins,
  onRead: (records: number) => void,
): Promise<void> {
  if (flags.brokers !== undefined) return runOnKafka(processor, flags, plugins);
  return withHttp(flags, { role: processor.name, say }, async (service) =>
    onRead(await readFolder(processor, flags, plugins, service)),
  );
}

async function readFolder(
  processor: Processor,
  flags: ConsumerRun,
  { hooks, loaded }: OpenPlugins,
  service: Service,
): Promise<number> {
  const clock = new SystemClock();
  const folder = await readDataFolder(await needData(flags));
  return withFolderLog(folder, clock, async ({ log, codec }) => {
    const { manifest, part } = folder;
    service.crawl = manifest.crawl;
    const fromStart = flags.fromStart ?? false;
    const reach = reachOf(flags);
    const context = {
      log,
      codec,
      clock,
      manifest,
      part,
      shared: false,
      fromStart,
      reach,
      service,
      say: sayOf('consumers'),
      ...hooks,
    };
    await recordPlugins(context, processor, loaded);
    const running = await startProcessor(processor, context, flags);
    service.probes.serve(() => null);
    try {
      await running.drain();
      return running.stats().records;
    } finally {
      await running.stop();
    }
  });
}

function runOnKafka(processor: Processor, flags: ConsumerRun, { hooks, loaded }: OpenPlugins): Promise<void> {
  return runRole(processor.name, flags, async (role): Promise<RunningProcessor> => {
    const { log, codec, clock, manifest, service, onFailure } = role;
    const { part } = await ownFolder(flags, manifest);
    const fromStart = flags.fromStart ?? false;
    const reach = reachOf(flags);
    const context = {
      log,
      codec,
      clock,
      manifest,
      part,
      shared: true,
      fromStart,
      reach,
      service,
      say: sayOf('consumers'),
      ...hooks,
    };
    await recordPlugins(context, processor, loaded);
    const running = await startProcessor(processor, context, flags);
    running.ended.catch(onFailure);
    return running;
  });
}
