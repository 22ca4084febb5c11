/**
 * Which plugins take part in a crawl, on its control log: by name, version and hash of the file, so that a story of a URL
 * can tell what code decided. Told once, and again when any of it changes.
 */
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { controlEvent, controlEvents } from '../../runtime/crawl/control-log.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { LoadedPlugin } from './load-plugins.ts';

/** As the payload of the event `plugin`. */
export interface ToldPlugin {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

export async function tellPlugins(
  {
    log,
    codec,
    clock,
    crawl,
  }: {
    readonly log: Pick<Log, 'append' | 'offsets' | 'reader'>;
    readonly codec: RecordCodec;
    readonly clock: Clock;
    readonly crawl: string;
  },
  plugins: readonly LoadedPlugin[],
  by: string,
): Promise<void> {
  if (plugins.length === 0) return;
  const told = await toldPlugins(log, codec, crawl);
  const news = plugins
    .map(({ plugin: { name, version = '' }, sha256 }): ToldPlugin => ({ name, version, sha256 }))
    .filter((one) => JSON.stringify(told.get(one.name)?.plugin) !== JSON.stringify(one));
  if (news.length === 0) return;
  await log.append(
    news.map((one) => {
      const event = controlEvent({ kind: 'plugin', atMs: clock.nowMs(), by, payload: JSON.stringify(one) });
      return { topic: `${crawl}.control`, partition: 0, key: null, value: codec.encode('control', event) };
    }),
  );
}

/** The newest of each name, and when it was told. */
export async function toldPlugins(
  log: Parameters<typeof controlEvents>[0],
  codec: RecordCodec,
  crawl: string,
): Promise<Map<string, { readonly plugin: ToldPlugin; readonly atMs: number }>> {
  const told = new Map<string, { readonly plugin: ToldPlugin; readonly atMs: number }>();
  const { start, end } = await log.offsets(`${crawl}.control`, 0);
  for await (const { event } of controlEvents(log, codec, crawl, 0, start, end)) {
    if (event.kind !== 'plugin') continue;
    const plugin = JSON.parse(event.payload) as ToldPlugin;
    told.set(plugin.name, { plugin, atMs: event.atMs });
  }
  return told;
}
