/** `crawlstream consume NAME --plugin FILE`: runs a plugin's consumer as a separate process, like one of ours. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { openPlugins, type PluginFlags } from '../../hosting/options/plugins.ts';
import { type ConsumerRun, runConsumerProcess } from '../../hosting/roles/run-consumer.ts';
import { addHttpOption } from '../flags/http-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { addPluginOption, addSetOption } from '../flags/plugin-flags.ts';
import { addRunOptions, type PrintFlags, printRead } from './consumer-commands.ts';

export function addConsumeCommand(program: Command): void {
  const command = program
    .command('consume')
    .description('run a plugin’s consumer over a crawl, in a separate consumer group')
    .argument('[name]', 'name of a consumer in the plugins (default: the only one)');
  addKafkaOptions(
    addSetOption(addPluginOption(command)),
    'data folder of the crawl, or of this process on Kafka (default: crawl-data/CRAWL)',
  );
  addRunOptions(addHttpOption(addCompressionOption(command))).action(consume);
}

async function consume(name: string | undefined, flags: ConsumerRun & PluginFlags & PrintFlags): Promise<void> {
  if (flags.plugin === undefined) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--plugin is missing: give the plugin file that contains the consumer, as in --plugin to-sqlite.mjs',
    );
  }
  const plugins = await openPlugins(flags);
  const { processors } = plugins;
  const names = processors.map((one) => one.name);
  const chosen = name === undefined ? processors : processors.filter((one) => one.name === name);
  const [processor] = chosen;
  if (processor === undefined || chosen.length > 1) {
    const which = names.length === 0 ? 'these plugins have none' : `name one of ${names.join(', ')}`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `consume ${name ?? ''}: ${which}`);
  }
  await runConsumerProcess(processor, flags, plugins, printRead(processor.name, flags));
}
