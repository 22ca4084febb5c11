/** Runs a consumer as a separate process: on Kafka as a member of its group, over a data folder to the end of its records. */
import { recordPlugins } from '../../application/plugin/record-plugins.ts';
import type { Processor, ProcessorContext, RunningProcessor } from '../../application/processor/processor.ts';
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
  const start = starting(processor, flags, plugins);
  if (flags.brokers !== undefined) return runOnKafka(processor.name, flags, start);
  return withHttp(flags, { role: processor.name, say }, async (service) =>
    onRead(await readFolder(flags, service, start)),
  );
}

/** Starts the consumer on a log, with the same options wherever the log is. */
type Start = (
  on: Pick<ProcessorContext, 'log' | 'codec' | 'clock' | 'manifest' | 'service' | 'part' | 'shared'>,
) => Promise<RunningProcessor>;

function starting(processor: Processor, flags: ConsumerRun, { hooks, loaded }: OpenPlugins): Start {
  return async (on) => {
    await recordPlugins(on, processor, loaded);
    const fromStart = flags.fromStart ?? false;
    const reach = reachOf(flags);
    return startProcessor(processor, { ...on, fromStart, reach, say: sayOf('consumers'), ...hooks }, flags);
  };
}

async function readFolder(flags: ConsumerRun, service: Service, start: Start): Promise<number> {
  const clock = new SystemClock();
  const folder = await readDataFolder(await needData(flags));
  return withFolderLog(folder, clock, async ({ log, codec }) => {
    const { manifest, part } = folder;
    service.crawl = manifest.crawl;
    const running = await start({ log, codec, clock, manifest, service, part, shared: false });
    service.probes.serve(() => null);
    try {
      await running.drain();
      return running.stats().records;
    } finally {
      await running.stop();
    }
  });
}

function runOnKafka(name: string, flags: ConsumerRun, start: Start): Promise<void> {
  return runRole(name, flags, async (role): Promise<RunningProcessor> => {
    const { log, codec, clock, manifest, service, onFailure } = role;
    const { part } = await ownFolder(flags, manifest);
    const running = await start({ log, codec, clock, manifest, service, part, shared: true });
    running.ended.catch(onFailure);
    return running;
  });
}
