/** Options for the place of a crawl: a Kafka cluster, or a data folder. */
import type { Command, Option } from 'commander';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { canParse } from '../../../topology/url/can-parse.ts';
import { compressionDefault, compressionNames } from '../../runtime/log/kafka/compression/names.ts';
import { bad } from '../../runtime/option-text.ts';
import { oneOf, wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

export function addKafkaOptions(command: Command, dataSays: string): Command {
  return addPlaceOptions(command)
    .addOption(
      setting(
        '--partitions <n>',
        'partitions of a new crawl (default: on Kafka 8; in a folder 1, for crawl as --workers)',
        'one for a laptop; eight on Kafka allow eight frontiers, more than most crawls need',
        wholeNumber('--partitions', 1, crawlLimits.partitionsMax),
      ),
    )
    .addOption(dataOption(dataSays));
}

/** For commands that append much. */
export function addCompressionOption(command: Command): Command {
  return command.addOption(
    setting(
      '--compression <codec>',
      `compression of records written to Kafka: ${compressionNames.join(', ')} (default: ${compressionDefault})`,
      'every client can read it; snappy shrinks records to a third at little cost',
      oneOf('--compression', compressionNames),
    ),
  );
}

/** Options of commands that work on an existing crawl. */
export function addCrawlOptions(command: Command, dataSays = 'data folder of the crawl, running or not'): Command {
  return addPlaceOptions(command.addOption(dataOption(dataSays)));
}

/** Adds the option to commands that read a data folder from its beginning to its end. */
export function addSkipDamaged(command: Command): Command {
  return command.option(
    '--skip-damaged',
    'in a damaged data folder, read the intact records and count the damaged ones',
  );
}

function dataOption(says: string): Option {
  return setting(
    '--data <dir>',
    says,
    'each crawl gets its own folder: crawl-data/ with the host of the first seed or the crawl’s name',
    folder,
  );
}

/** Adds the options that name a crawl and its brokers. */
function addPlaceOptions(command: Command): Command {
  return addBrokersOptions(command).addOption(
    setting(
      '--crawl <name>',
      'name of the crawl; the prefix of its topics and groups',
      'a single crawl per cluster needs no other name',
      crawlName,
    ).default('crawl'),
  );
}

export function addBrokersOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--brokers <list>',
        'Kafka brokers, if the crawl is on Kafka, as in host1:9092,host2:9092',
        'one machine needs no Kafka',
        brokers,
      ),
    )
    .addOption(
      setting(
        '--registry <url>',
        'schema registry (default: none; records carry fingerprints of their schemas)',
        'fingerprints suffice while all readers are Crawlstream’s',
        registry,
      ),
    );
}

/** An empty name would mean the current folder. */
function folder(value: string): string {
  if (value.trim() !== '') return value;
  throw bad('--data', value, 'the folder name is empty: name a folder; is a shell variable unset?');
}

function brokers(value: string): string {
  const good = value.split(',').every((one) => /^(\[[0-9A-Fa-f:.]+\]|[^\s:,[\]]+):\d{1,5}$/.test(one));
  if (!good) throw bad('--brokers', value, 'give host:port, several separated by commas');
  return value;
}

function registry(value: string): string {
  if (!canParse(value) || !/^https?:/.test(value))
    throw bad('--registry', value, 'give its URL, as in http://localhost:8081');
  return value;
}

/** Kafka's own rule for topic names, without the dot that separates the crawl from the topic. */
export function crawlName(value: string): string {
  // A crawl of a fleet has the fleet's name before its own.
  if (!/^(?:[A-Za-z0-9-]{1,60}\.)?[A-Za-z0-9_-]{1,100}$/.test(value))
    throw bad('--crawl', value, 'use at most 100 letters, digits, _ and -; for a crawl of a fleet, FLEET.CRAWL');
  return value;
}

/** Checks the name of a fleet: the part before the dot in the names of its crawls. */
export function fleetName(value: string): string {
  if (!/^[A-Za-z0-9-]{1,60}$/.test(value)) throw bad('--fleet', value, 'use at most 60 letters, digits and -');
  return value;
}
