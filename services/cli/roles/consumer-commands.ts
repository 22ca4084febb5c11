/**
 * `crawlstream archive`, …: the project's own consumers as processes of their own. On Kafka they run until stopped, as
 * members of their groups; over a data folder they deal with what is there, and end.
 */
import type { Command } from 'commander';
import { SystemClock } from '../../runtime/clock.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import type { AttachContext, Attached } from '../attach/attach.ts';
import { addDedupOptions } from '../attach/dedup.ts';
import { addBrowserOption } from '../attach/render.ts';
import { addIndexOptions } from '../attach/search-index.ts';
import type { ConsumerFlags, ConsumerName } from '../attach/with-consumers.ts';
import { addArchiveOptions, attachOne } from '../attach/with-consumers.ts';
import { needData, withFolderLog } from '../connect/folder-log.ts';
import { ownFolder } from '../connect/own-folder.ts';
import { addReachOptions } from '../flags/fetcher-flags.ts';
import { addHttpOption, withHttp } from '../flags/http-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { print } from '../terminal/print.ts';
import { say } from '../terminal/say.ts';
import type { RoleFlags } from './role-commands.ts';
import { runRole } from './role-commands.ts';

interface Flags extends RoleFlags, ConsumerFlags {
  readonly fromStart?: boolean;
  readonly json?: boolean;
}

const descriptions: Readonly<Record<ConsumerName, string>> = {
  render: 'open pages that need it in a browser, and publish what their scripts made of them',
  dedup: 'tell which pages of a crawl are duplicates, and of which others',
  index: 'make the pages of a crawl searchable',
  archive: 'write the raw responses of a crawl into WARC files',
  graph: 'keep the links between the pages of a crawl, whose fetchers publish them (--outlinks)',
};

export function addConsumerCommands(program: Command): void {
  addConsumer(program, 'render', (command) => addBrowserOption(addReachOptions(command)));
  addConsumer(program, 'dedup', addDedupOptions);
  addConsumer(program, 'index', addIndexOptions);
  addConsumer(program, 'archive', addArchiveOptions);
  addConsumer(program, 'graph', (command) => command);
}

function addConsumer(program: Command, name: ConsumerName, addOptions: (command: Command) => Command): void {
  const command = addKafkaOptions(
    addOptions(program.command(name).description(descriptions[name])),
    'data folder of the crawl; on Kafka, of this process (default: crawl-data/ and the name of the crawl)',
  );
  addHttpOption(addCompressionOption(command))
    .option('--from-start', 'read again what was read before')
    .option('--json', 'over a data folder: print what was read as one JSON object')
    .action((flags: Flags) => (flags.brokers === undefined ? runOnFolder(name, flags) : runOnKafka(name, flags)));
}

function runOnFolder(name: ConsumerName, flags: Flags): Promise<void> {
  return withHttp(flags, { role: name, say }, (service) => readFolder(name, flags, service));
}

async function readFolder(name: ConsumerName, flags: Flags, service: Service): Promise<void> {
  const clock = new SystemClock();
  const folder = await readDataFolder(needData(flags));
  await withFolderLog(folder, clock, async ({ log, codec }) => {
    const { manifest, part } = folder;
    const fromStart = flags.fromStart ?? false;
    const context = { log, codec, clock, manifest, part, shared: false, fromStart, service, say };
    const attached = await attachOne(name, context, flags);
    service.probes.serve(() => null);
    try {
      await attached.drain();
      const { records } = attached.stats();
      print({ json: { consumer: name, records }, text: `${name}: ${records} records read` }, flags.json);
    } finally {
      await attached.stop();
    }
  });
}

function runOnKafka(name: ConsumerName, flags: Flags): Promise<void> {
  return runRole(name, flags, async ({ log, codec, clock, manifest, service, onFailure }): Promise<Attached> => {
    const { part } = await ownFolder(flags, manifest);
    const fromStart = flags.fromStart ?? false;
    const context: AttachContext = { log, codec, clock, manifest, part, shared: true, fromStart, service, say };
    const attached = await attachOne(name, context, flags);
    attached.ended.catch(onFailure);
    return attached;
  });
}
