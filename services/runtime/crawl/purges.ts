/**
 * Purged hosts and URLs, each with its time, from the events on `control`. Consumers check them for every record,
 * because a record that was published before a purge, or was in flight then, stays in its topic.
 *
 * Once a host is released, pages fetched from then on are wanted again; pages fetched before its purge are not.
 */
import type { Control } from '../../../schemas/types.ts';
import { isLiftedPurge, isOfWebmaster, purgePayload } from '../../../topology/frontier/decide/control-payloads.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { controlEvents } from './control-log.ts';

/** `url` null: all URLs of the host. */
export interface Purged {
  readonly hostKey: string;
  readonly url: string | null;
}

interface HostPurge {
  readonly atMs: number;
  readonly isLifted: boolean;
}

export class Purges {
  readonly #hosts = new Map<string, HostPurge>();
  readonly #urls = new Set<string>();

  /** Pages that an event purges; null: none. */
  take({ kind, hostKey, atMs, payload }: Control): Purged | null {
    const before = this.#hosts.get(hostKey);
    if (kind === 'releaseHost' && !isOfWebmaster(payload) && before !== undefined)
      this.#hosts.set(hostKey, { ...before, isLifted: true });
    const isLifted = kind === 'purge' && isLiftedPurge(payload);
    if (isLifted && (before === undefined || atMs > before.atMs)) this.#hosts.set(hostKey, { atMs, isLifted });
    const purge = kind === 'purge' ? purgePayload(payload) : null;
    if (purge === null) return null;
    if (purge.url === '') {
      // A purge that is read again must not undo a later release.
      if (before === undefined || atMs > before.atMs) this.#hosts.set(hostKey, { atMs, isLifted: false });
    } else this.#urls.add(seenKey(purge.url));
    return { hostKey, url: purge.url || null };
  }

  /** True if a page that was fetched or reported at this time is purged. */
  refuses(url: string, atMs: number): boolean {
    if (this.#hosts.size === 0 && this.#urls.size === 0) return false;
    const host = this.#hosts.get(hostKeyOf(url));
    return (host !== undefined && (!host.isLifted || atMs <= host.atMs)) || this.#urls.has(seenKey(url));
  }
}

export async function readPurges(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions }: { readonly crawl: string; readonly partitions: number },
): Promise<Purges> {
  const purges = new Purges();
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(`${crawl}.control`, partition);
    for await (const { event } of controlEvents(log, codec, crawl, partition, start, end)) purges.take(event);
  }
  return purges;
}

/** Beginnings of all URLs of a host, with any scheme. */
export function urlRangesOf(hostKey: string): { readonly from: string; readonly below: string }[] {
  // `0` is the character after `/`, which ends the host.
  return ['http', 'https'].map((scheme) => ({ from: `${scheme}://${hostKey}/`, below: `${scheme}://${hostKey}0` }));
}
