/** `crawlstream inject`: seeds into a crawl on Kafka, from the command line, a file, or standard input. */
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../topology/errors.ts';
import { parseSeed } from '../../topology/url/seed.ts';
import { SystemClock } from '../runtime/clock.ts';
import { withKafka } from './kafka-connection.ts';
import type { KafkaFlags } from './kafka-flags.ts';
import { addKafkaOptions } from './kafka-flags.ts';
import type { PolicyFlags } from './policy-flags.ts';
import { addPolicyOptions, normalSeeds } from './policy-flags.ts';
import { sendToKafka } from './send-to-kafka.ts';

interface InjectFlags extends KafkaFlags, PolicyFlags {
  readonly newPolicy?: boolean;
}

export function addInjectCommand(program: Command): void {
  const command = program
    .command('inject')
    .description('send seeds to a crawl on Kafka; the first ones also set its policy')
    .argument('<seed...>', 'URLs, files with one URL a line, or - for standard input');
  addPolicyOptions(command);
  addKafkaOptions(command, 'not used: seeds go to the brokers')
    .option('--new-policy', 'make these options the policy, though one is in force')
    .action(inject);
}

async function inject(given: string[], flags: InjectFlags): Promise<void> {
  const clock = new SystemClock();
  const typed: string[] = [];
  for (const one of given) typed.push(...(await seedsIn(one)));
  const seeds = normalSeeds(typed);
  await withKafka(flags, clock, true, async (connection) => {
    await sendToKafka({ ...connection, clock, seeds, flags, always: flags.newPolicy ?? false });
  });
  process.stdout.write(`${seeds.length} seeds sent to crawl ${flags.crawl}\n`);
}

/** Blank lines and lines that begin with # say nothing; a bad one is named with its line. */
async function seedsIn(given: string): Promise<string[]> {
  if (given !== '-' && !existsSync(given)) return [parseSeed(given)];
  const input = given === '-' ? process.stdin : createReadStream(given);
  const seeds: string[] = [];
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() === '' || line.startsWith('#')) continue;
    try {
      seeds.push(parseSeed(line));
    } catch (error) {
      const place = given === '-' ? 'standard input' : given;
      throw new CrawlstreamError('INVALID_SEED', `${place}, line ${number}: ${(error as Error).message}`, error);
    }
  }
  return seeds;
}
