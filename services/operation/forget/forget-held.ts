/** Makes consumers process the withdrawals, and lists the copies that remain, from the consumers' declarations. */

import { existsSync } from 'node:fs';
import { type AnnouncedPlugin, recordedPlugins } from '../../application/plugin/record-plugins.ts';
import type { HeldAt, Holding, NotReached, Place } from '../../application/processor/holding.ts';
import type { Processor, ProcessorContext } from '../../application/processor/processor.ts';
import { startProcessor } from '../../application/start-processors.ts';
import { consumers, processors } from '../../application/topology.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';

interface Holder {
  readonly consumer: Processor;
  readonly holds: Holding;
}

/** In the order of the topology: each may read the output of earlier ones. */
export const holders: readonly Holder[] = consumers.flatMap((consumer) =>
  typeof consumer.holds === 'object' ? [{ consumer, holds: consumer.holds }] : [],
);

/** For a data folder: consumers with a state read their unread records. `options`: the options of the crawl. */
export async function followInStates(context: ProcessorContext, options: HeldAt['options']): Promise<void> {
  for (const { consumer, holds } of holders) {
    if (!existsSync(context.part(consumer.name)) && holds.isElsewhere?.(options) !== true) continue;
    const running = await startProcessor(consumer, context, consumer.options.parse(options));
    try {
      await running.drain();
    } finally {
      await running.stop();
    }
  }
}

export async function forgetHeld(
  at: HeldAt,
): Promise<{ readonly places: readonly Place[]; readonly notReached: readonly NotReached[] }> {
  const places: Place[] = [];
  const notReached: NotReached[] = [];
  for (const { holds } of holders) {
    const forgotten = await holds.forget(at);
    places.push(...forgotten.places);
    notReached.push(...(forgotten.notReached ?? []));
  }
  return { places, notReached };
}

interface Crawl {
  readonly log: Pick<Log, 'offsets' | 'reader' | 'groups'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
}

/** A consumer group that has no withdrawn copy once it has read these topics. */
export interface Follower {
  readonly name: string;
  readonly follows: readonly string[];
  /** True: it takes part in the crawl, whether or not it has saved a position. */
  readonly isExpected?: boolean;
}

export const ownFollowers: readonly Follower[] = holders.map(({ consumer, holds }) => ({
  name: consumer.name,
  follows: holds.follows,
}));

/** Consumers of plugins that delete their copies. */
export async function pluginFollowers(crawl: Crawl): Promise<Follower[]> {
  const consumers = (await pluginsOf(crawl)).flatMap(({ copies }) => Object.entries(copies?.consumers ?? {}));
  return consumers.flatMap(([name, { holds, reads }]) =>
    holds === 'pages' ? [{ name, follows: reads, isExpected: true }] : [],
  );
}

/** Returns consumers and plugins that read pages of the crawl, and do not declare the copies they keep. */
export async function unknownHolders(crawl: Crawl): Promise<NotReached[]> {
  const undeclared = consumers.filter(({ holds }) => holds === undefined).map(({ name }) => `consumer ${name}`);
  const ofPlugins = (await pluginsOf(crawl)).flatMap(({ name, copies }) => {
    const silent = Object.entries(copies?.consumers ?? {}).filter(([, { holds }]) => holds === null);
    return [
      ...(copies?.hooks === false ? [] : [`plugin ${name}`]),
      ...silent.map(([consumer]) => `consumer ${consumer} of plugin ${name}`),
    ];
  });
  const unknown = [...undeclared, ...ofPlugins, ...(await strangeGroups(crawl))];
  const why = 'it does not declare which copies it keeps: look there yourself';
  return unknown.map((place) => ({ place, why }));
}

/** Groups of consumers that this program does not have: of an extra that is not included, or of another program. */
async function strangeGroups(crawl: Crawl): Promise<string[]> {
  const ofPlugins = (await pluginsOf(crawl)).flatMap(({ copies }) => Object.keys(copies?.consumers ?? {}));
  const known = [...processors.map(({ name }) => name), ...ofPlugins];
  const prefix = `${crawl.crawl}.`;
  const names = (await crawl.log.groups(prefix)).map(({ group }) => group.slice(prefix.length));
  return names
    .filter((name) => !known.some((one) => name === one || name.startsWith(`${one}-`) || name.startsWith(`${one}.`)))
    .map((name) => `group ${name}`);
}

async function pluginsOf({ log, codec, crawl }: Crawl): Promise<AnnouncedPlugin[]> {
  return [...(await recordedPlugins(log, codec, crawl)).values()].map(({ plugin }) => plugin);
}
