/** The URLs in the traps of a partition, from its changelog, as far back as it goes. */
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../topology/frontier/changes/changes.ts';
import { isTrapQueue } from '../../../topology/frontier/queues/held-queues.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

export interface TrappedUrl {
  readonly url: string;
  /** Pattern of the trap. Empty: unknown. */
  readonly pattern: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
}

/** `only`: a host key; empty: all hosts. */
export async function trappedUrls(
  log: Pick<Log, 'offsets' | 'reader'>,
  crawl: string,
  partition: number,
  only: string,
): Promise<readonly TrappedUrl[]> {
  const topic = `${crawl}.frontier-changelog`;
  const { start, end } = await log.offsets(topic, partition);
  const hosts = new Map<string, HostTraps>();
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    const record = readChangelog(value);
    if (record.kind !== 'commit') continue;
    for (const change of record.changes) {
      if (!('hostKey' in change) || (only !== '' && change.hostKey !== only)) continue;
      let traps = hosts.get(change.hostKey);
      if (traps === undefined) {
        if (!begins(change)) continue;
        hosts.set(change.hostKey, (traps = new HostTraps()));
      }
      if (traps.take(change, record.nowMs)) hosts.delete(change.hostKey);
    }
  }
  return [...hosts.values()].flatMap((traps) => traps.held());
}

/** Hosts without traps are most, and cost nothing. */
function begins(change: Change): boolean {
  return (
    change.kind === 'trap' ||
    (change.kind === 'lower' && isTrapQueue(change.entry.frontQueue)) ||
    (change.kind === 'admit' && change.entries.some((one) => isTrapQueue(one.frontQueue)))
  );
}

class HostTraps {
  /** By front queue: the trap, and its URLs by seen key. */
  readonly #traps = new Map<number, { pattern: string; readonly urls: Map<string, Omit<TrappedUrl, 'pattern'>> }>();

  held(): readonly TrappedUrl[] {
    return [...this.#traps.values()].flatMap(({ pattern, urls }) =>
      [...urls.values()].map((one) => ({ ...one, pattern })),
    );
  }

  /** Returns true if the host is purged, or its queue dropped, so that nothing is left of its traps. */
  take(change: Change, atMs: number): boolean {
    switch (change.kind) {
      case 'trap': {
        const { frontQueue, pattern } = change;
        // The number of a released and empty trap is assigned to the next one.
        if (this.#traps.get(frontQueue)?.pattern !== pattern) this.#traps.set(frontQueue, { pattern, urls: new Map() });
        return false;
      }
      case 'releaseTrap':
        for (const [frontQueue, { pattern }] of this.#traps)
          if (pattern === change.pattern) this.#traps.delete(frontQueue);
        return false;
      case 'admit':
        for (const { url, frontQueue } of change.entries) this.#admit(url, frontQueue, change.known, atMs);
        return false;
      case 'dropQueue':
        return true;
      case 'purge':
        if (change.url === '') return true;
        this.#leave(change.url);
        return false;
      case 'lower':
        this.#admit(change.entry.url, change.entry.frontQueue, true, atMs);
        return false;
      case 'raise':
      case 'expedite':
      case 'known':
        this.#leave(change.entry.url);
        return false;
      case 'abandon':
      case 'finish':
        this.#leave(change.record.url);
        return false;
      default:
        return false;
    }
  }

  /** `isForced`: it was admitted before, and may be in a trap. */
  #admit(url: string, frontQueue: number, isForced: boolean, atMs: number): void {
    if (isForced) this.#leave(url);
    if (!isTrapQueue(frontQueue)) return;
    let trap = this.#traps.get(frontQueue);
    if (trap === undefined) this.#traps.set(frontQueue, (trap = { pattern: '', urls: new Map() }));
    trap.urls.set(seenKey(url), { url, atMs });
  }

  #leave(url: string): void {
    const key = seenKey(url);
    for (const { urls } of this.#traps.values()) urls.delete(key);
  }
}
