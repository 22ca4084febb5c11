/**
 * Records on a crawl's control log which plugins take part in it, by name, version and hash of the file, so that a
 * URL's history can name the code that decided. Recorded once, and again after any change.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { controlEvent, controlEvents } from '../../runtime/crawl/control-log.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { declaredLog, type Edge } from '../processor/declared-log.ts';
import type { Declaration } from '../processor/processor.ts';
import type { LoadedPlugin } from './load-plugins.ts';
import type { Plugin, PluginHolds, PluginTopic } from './plugin.ts';

/** The payload of the event `plugin`. */
export interface AnnouncedPlugin {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  /** Absent: recorded by an earlier release. */
  readonly copies?: PluginCopies;
}

/** Parts of a plugin that may keep copies of pages. */
export interface PluginCopies {
  /** Its hooks see pages, and it does not declare that they keep nothing. */
  readonly hooks: boolean;
  /** Its consumers, by name. */
  readonly consumers: Readonly<Record<string, ConsumerCopies>>;
}

export interface PluginRecordPorts {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly manifest: Pick<Manifest, 'crawl'>;
  readonly onEdge?: ((edge: Edge) => void) | undefined;
}

/** Records the plugins of a processor on `control`, if they have changed since they were recorded last. */
export async function recordPlugins(
  { log, codec, clock, manifest: { crawl }, onEdge }: PluginRecordPorts,
  processor: Declaration,
  plugins: readonly LoadedPlugin[],
  by = `crawlstream ${processor.name}`,
): Promise<void> {
  if (plugins.length === 0) return;
  const own = declaredLog(log, withPlugins(processor), crawl, onEdge);
  const recorded = await recordedPlugins(own, codec, crawl);
  const news = plugins
    .map(({ plugin, sha256 }): AnnouncedPlugin => {
      const { name, version = '' } = plugin;
      return { name, version, sha256, copies: copiesOf(plugin) };
    })
    .filter((one) => JSON.stringify(recorded.get(one.name)?.plugin) !== JSON.stringify(one));
  if (news.length === 0) return;
  const records = news.map((one) => {
    const event = controlEvent({ kind: 'plugin', atMs: clock.nowMs(), by, payload: JSON.stringify(one) });
    return { topic: `${crawl}.control`, partition: 0, key: null, value: codec.encode('control', event) };
  });
  await own.append(records).catch((error: unknown) => {
    if (!(error instanceof CrawlstreamError)) throw error;
    const remedy = `crawlstream acls ${processor.name} --plugin … lists the rights that this user needs`;
    throw new CrawlstreamError(
      error.code,
      `the plugins could not be recorded on topic control: ${error.message}; ${remedy}`,
    );
  });
}

/**
 * A processor that runs with plugins, and so records them. Without plugins it has no right to write `control`, which
 * holds policies.
 */
export function withPlugins(declaration: Declaration): Declaration {
  const { reads, writes } = declaration;
  return { ...declaration, reads: [...reads, 'control'], writes: [...writes, 'control'] };
}

export interface ConsumerCopies {
  /** Null: it does not say. */
  readonly holds: PluginHolds | null;
  readonly reads: readonly PluginTopic[];
}

function copiesOf({ holds, response, parse, page, processors = [] }: Plugin): PluginCopies {
  const seesPages = [response, parse, page].some((hook) => hook !== undefined);
  return {
    hooks: seesPages && holds !== 'nothing',
    consumers: Object.fromEntries(
      processors.map(({ name, holds = null, reads = ['pages'] }) => [name, { holds, reads }]),
    ),
  };
}

/** The newest record of each name, and when it was written. */
export async function recordedPlugins(
  log: Parameters<typeof controlEvents>[0],
  codec: RecordCodec,
  crawl: string,
): Promise<Map<string, { readonly plugin: AnnouncedPlugin; readonly atMs: number }>> {
  const recorded = new Map<string, { readonly plugin: AnnouncedPlugin; readonly atMs: number }>();
  const { start, end } = await log.offsets(`${crawl}.control`, 0);
  for await (const { event } of controlEvents(log, codec, crawl, 0, start, end)) {
    if (event.kind !== 'plugin') continue;
    const plugin = JSON.parse(event.payload) as AnnouncedPlugin;
    recorded.set(plugin.name, { plugin, atMs: event.atMs });
  }
  return recorded;
}
