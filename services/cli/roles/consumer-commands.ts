/**
 * `crawlstream archive`, …: the project's own consumers as separate processes. On Kafka they run until stopped, as
 * members of their groups; over a data folder they handle all records there are, and end.
 */
import type { Command } from 'commander';
import type { Processor } from '../../application/processor/processor.ts';
import { consumers } from '../../application/topology.ts';
import { openPlugins } from '../../hosting/options/plugins.ts';
import { type ConsumerRun, runConsumerProcess } from '../../hosting/roles/run-consumer.ts';
import { counted } from '../../runtime/counted.ts';
import { addArchivingOptions, addReachOptions, addRequestsOption } from '../flags/fetcher-flags.ts';
import { addHttpOption } from '../flags/http-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { addPluginOption } from '../flags/plugin-flags.ts';
import { addProcessorOptions } from '../flags/processor-flags.ts';
import { print } from '../terminal/print.ts';

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
  addRunOptions(addHttpOption(addCompressionOption(command))).action(async (flags: ConsumerRun & PrintFlags) =>
    runConsumerProcess(processor, flags, await openPlugins(flags), printRead(processor.name, flags)),
  );
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--from-start', 'read all records again from the start')
    .option('--json', 'over a data folder: print the result as one JSON object');
}

export interface PrintFlags {
  readonly json?: boolean;
}

export function printRead(name: string, { json }: PrintFlags): (records: number) => void {
  return (records) =>
    print({ json: { consumer: name, records }, text: `${name}: ${counted(records, 'record')} read` }, json);
}
