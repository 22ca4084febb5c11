/** `--with`: consumers in the process of a crawl. They drain before it ends. */
import type { Command } from 'commander';
import { bad, wholeNumber } from '../flags/arguments.ts';
import type { ArchiveFlags } from './archive.ts';
import { attachArchive } from './archive.ts';
import type { AttachContext, Attached } from './attach.ts';
import type { DedupFlags } from './dedup.ts';
import { attachDedup } from './dedup.ts';
import { attachGraph } from './graph.ts';
import { attachHandler, handlerFile, loadHandler } from './page-handler.ts';
import { attachRender, type RenderFlags } from './render.ts';
import type { IndexFlags } from './search-index.ts';
import { attachIndex } from './search-index.ts';

/** In the order they drain: each may read what the ones before it write. */
const consumerNames = ['render', 'dedup', 'index', 'archive', 'graph'] as const;
export type ConsumerName = (typeof consumerNames)[number];

export interface ConsumerFlags extends ArchiveFlags, DedupFlags, IndexFlags, RenderFlags {
  readonly with?: readonly ConsumerName[];
  /** Path of a module: a function of the user's own that gets each page. */
  readonly handler?: string;
}

export function addWithOption(command: Command): Command {
  return command.option('--with <list>', `consumers to run too: ${consumerNames.join(',')}`, consumerList);
}

/** Of `crawl`: on Kafka, a program of one's own consumes pages. */
export function addHandlerOption(command: Command): Command {
  return command.option(
    '--handler <file>',
    'call the default export of this module with each page (crawlstream new makes one)',
    handlerFile,
  );
}

export function addArchiveOptions(command: Command): Command {
  return command
    .option('--archive-to <s3://bucket/prefix>', 'put finished WARC files there; AWS_* variables say how')
    .option('--archive-file-mb <n>', 'close a WARC file at this size (default: 1024)', fileMb);
}

const fileMb = wholeNumber('--archive-file-mb', 1, 4096);

function consumerList(value: string): ConsumerName[] {
  const given = value.split(',').map((name) => name.trim());
  for (const name of given) {
    if (!consumerNames.some((known) => known === name)) {
      throw bad('--with', value, `${name || 'nothing'} is no consumer: give some of ${consumerNames.join(',')}`);
    }
  }
  return consumerNames.filter((name) => given.includes(name));
}

export interface Consumers {
  /** Rejects with what stopped one of them. */
  readonly failed: Promise<never>;
  /** Those that find links have dealt with all there is. */
  settle(): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export async function attachConsumers(context: AttachContext, flags: ConsumerFlags): Promise<Consumers> {
  const attached: Attached[] = [];
  const stop = async () => {
    const ends = await Promise.allSettled(attached.map((one) => one.stop()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  try {
    for (const name of flags.with ?? []) attached.push(await attachOne(name, context, flags));
    if (flags.handler !== undefined) attached.push(await attachHandler(context, await loadHandler(flags.handler)));
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  const failed = new Promise<never>((_, reject) => {
    for (const { ended } of attached) ended.catch(reject);
  });
  failed.catch(() => {});
  return {
    failed,
    async settle() {
      for (const one of attached) if (one.name === 'render') await one.drain();
    },
    async drain() {
      for (const one of attached) await one.drain();
    },
    stop,
  };
}

export function attachOne(name: ConsumerName, context: AttachContext, flags: ConsumerFlags): Promise<Attached> {
  const attachers = {
    render: attachRender,
    dedup: attachDedup,
    index: attachIndex,
    archive: attachArchive,
    graph: attachGraph,
  } as const;
  return attachers[name](context, flags);
}
