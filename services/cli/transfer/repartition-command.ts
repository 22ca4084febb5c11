/**
 * `crawlstream repartition`: moves a crawl into a new one with another number of partitions, or partitioned by another
 * key.
 *
 * It makes a dump and loads it, and keeps the dump until the load is done: after an interruption, the same command
 * continues.
 */
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { toStderr, toStdout } from '../../runtime/logging/door.ts';
import { oneOf, wholeNumber } from '../flags/arguments.ts';
import { addCompressionOption, addCrawlOptions } from '../flags/kafka-flags.ts';
import { type DumpFlags, dumpTo, totalsText } from './dump-command.ts';
import { loadFrom } from './load-command.ts';

interface RepartitionFlags extends DumpFlags {
  readonly into: string;
  readonly key?: KeyMode;
}

export function addRepartitionCommand(program: Command): void {
  const command = program
    .command('repartition')
    .description('copy a stopped crawl into a new crawl with another number of partitions')
    .requiredOption('--into <name>', 'the new crawl: a data folder, or on Kafka its name')
    .requiredOption(
      '--partitions <n>',
      'partitions of the new crawl',
      wholeNumber('--partitions', 1, crawlLimits.partitionsMax),
    )
    .option(
      '--key <mode>',
      'partition by host or domain (default: as in the old crawl)',
      oneOf('--key', ['host', 'domain']),
    );
  addCompressionOption(addCrawlOptions(command, 'data folder of the old crawl; stop the crawl first'))
    .option(
      '--snapshots <place>',
      'place of the old crawl’s snapshots, if not its data folder: a folder, or s3://bucket/prefix',
    )
    .option('--json', 'print the totals as one JSON object')
    .action(repartition);
}

async function repartition(flags: RepartitionFlags): Promise<void> {
  const { into, partitions, key, ...old } = flags;
  const isKafka = flags.brokers !== undefined;
  if (into === (isKafka ? flags.crawl : flags.data)) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `--into ${into} is the same crawl: give a new one`);
  }
  const dump = isKafka ? `${flags.crawl}-into-${into}.dump.jsonl.gz` : `${into}.dump.jsonl.gz`;
  if (existsSync(dump)) {
    const madeAt = (await stat(dump)).mtime.toISOString();
    toStderr(`crawlstream: continuing with ${dump} of ${madeAt}; delete it to start over\n`);
  } else {
    const totals = await dumpTo(dump, old);
    toStderr(`crawlstream: dumped ${totalsText(totals)}\n`);
  }
  const target = isKafka ? { ...old, crawl: into } : { ...old, data: into };
  const totals = await loadFrom(dump, { ...target, partitions: partitions!, ...(key !== undefined && { key }) });
  await rm(dump);
  const place = isKafka ? `crawl ${into}` : into;
  toStdout(flags.json ? `${JSON.stringify(totals)}\n` : `${totalsText(totals)} in ${place}\n`);
}
