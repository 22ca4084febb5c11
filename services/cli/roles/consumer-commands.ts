/**
 * `crawlstream archive`, …: the project's own consumers as separate processes. On Kafka they run until stopped, as
 * members of their groups; over a data folder they handle all records there are, and end.
 */
import type { Command } from 'commander';
import { recordPlugins } from '../../application/plugin/record-plugins.ts';
import type { Processor, RunningProcessor } from '../../application/processor/processor.ts';
import { startProcessor } from '../../application/start-processors.ts';
import { consumers } from '../../application/topology.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { needData, withFolderLog } from '../connect/folder-log.ts';
import { ownFolder } from '../connect/own-folder.ts';
import { addArchivingOptions, addReachOptions, addRequestsOption, type FetcherFlags } from '../flags/fetcher-flags.ts';
import { addHttpOption, withHttp } from '../flags/http-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { addPluginOption, type OpenPlugins, openPlugins, type PluginFlags } from '../flags/plugin-flags.ts';
import { addProcessorOptions, type ProcessorFlags, reachOf } from '../flags/processor-flags.ts';
import { print } from '../terminal/print.ts';
import { say, sayOf } from '../terminal/say.ts';
import type { RoleFlags } from './role-commands.ts';
import { runRole } from './role-commands.ts';

export interface ConsumerRun
  extends RoleFlags,
    ProcessorFlags,
    Pick<FetcherFlags, 'allowPrivate' | 'resolve' | 'contact' | 'ca' | 'insecure' | 'requests'>,
    PluginFlags {
  readonly fromStart?: boolean;
  readonly json?: boolean;
}

export function addConsumerCommands(program: Command): void {
  for (const processor of consumers) addConsumer(program, processor);
}

function addConsumer(program: Command, processor: Processor): void {
  const command = program.command(processor.name).description(processor.does);
  if (processor.contactsSites === true) addPluginOption(addRequestsOption(addReachOptions(command)));
  if (processor.contactsSites === true && processor.writes.includes('responses')) addArchivingOptions(command);
  addKafkaOptions(
    addProcessorOptions(command, processor),
    'data folder of the crawl, or of this process on Kafka (default: crawl-data/CRAWL)',
  );
  addRunOptions(addHttpOption(addCompressionOption(command))).action(async (flags: ConsumerRun) =>
    runConsumerProcess(processor, flags, await openPlugins(flags)),
  );
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--from-start', 'read all records again from the start')
    .option('--json', 'over a data folder: print the result as one JSON object');
}

export function runConsumerProcess(processor: Processor, flags: ConsumerRun, plugins: OpenPlugins): Promise<void> {
  return flags.brokers === undefined ? runOnFolder(processor, flags, plugins) : runOnKafka(processor, flags, plugins);
}

function runOnFolder(processor: Processor, flags: ConsumerRun, plugins: OpenPlugins): Promise<void> {
  return withHttp(flags, { role: processor.name, say }, (service) => readFolder(processor, flags, plugins, service));
}

async function readFolder(
  processor: Processor,
  flags: ConsumerRun,
  { hooks, loaded }: OpenPlugins,
  service: Service,
): Promise<void> {
  const { name } = processor;
  const clock = new SystemClock();
  const folder = await readDataFolder(await needData(flags));
  await withFolderLog(folder, clock, async ({ log, codec }) => {
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
      const { records } = running.stats();
      print({ json: { consumer: name, records }, text: `${name}: ${counted(records, 'record')} read` }, flags.json);
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
