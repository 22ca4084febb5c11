/** Lines of a dump as changes of the partition they go to, in their order; neighbours of a kind in one change. */
import { hostKeyOf } from '../../url/host-key.ts';
import { seenKey } from '../../url/seen-key.ts';
import { tagLimits } from '../../url/tag-limits.ts';
import { tagsOf } from '../../url/tags.ts';
import type { Change, KnownUrl, UrlRecord } from '../changes/changes.ts';
import { newHostFacts } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import { seenVerdicts } from '../seen/seen-test.ts';
import type { FrontierState } from '../state/state.ts';
import type { BudgetLine, HostLine, KnownLine, QueuedLine, RepeatedLine, TalliesLine } from './dump-line.ts';

/** Lines that change a state. */
export type StateLine = HostLine | QueuedLine | KnownLine | BudgetLine | RepeatedLine | TalliesLine;

const gatheredMax = 64;

/** The seen test must have an answer for every URL (`askAbout`). */
export function loadChanges(state: FrontierState, lines: readonly StateLine[]): Change[] {
  const gathering = new Gathering(state);
  for (const line of lines) gathering.add(line);
  return gathering.changes;
}

/** Asks the seen test about the URLs of lines. False: it has the answers; true: run its work, and ask again. */
export function askAbout(state: FrontierState, lines: readonly StateLine[]): boolean {
  let asks = false;
  for (const line of lines) {
    if (!('url' in line)) continue;
    const [hi, lo] = state.fingerprintOf(normalOf(line));
    if (state.seen.test(hi!, lo!) !== seenVerdicts.unknown) continue;
    state.seen.ask(hi!, lo!);
    asks = true;
  }
  return asks;
}

class Gathering {
  readonly changes: Change[] = [];
  readonly #state: FrontierState;
  /** Seen keys of the URLs gathered so far: the seen test does not know them yet. */
  readonly #gathered = new Set<string>();
  /** Numbers of lists of tags that the state does not know yet. */
  readonly #tagSets = new Map<string, number>();
  #known: KnownUrl[] = [];
  #entries: Entry[] = [];
  #hostKey = '';
  #forced = false;

  constructor(state: FrontierState) {
    this.#state = state;
  }

  add(line: StateLine): void {
    if ('url' in line) return isQueued(line) ? this.#queue(line) : this.#addKnown(line);
    if ('host' in line) return this.#host(line);
    if ('budget' in line) {
      const { budget: key, period, used, sources } = line;
      this.changes.push({ kind: 'load', row: { row: 'account', key, period, used, sources } });
    } else if ('repeated' in line) {
      for (const [status, count] of entriesOf(line.repeated))
        this.changes.push({ kind: 'load', row: { row: 'repeated', status, count } });
    } else for (const [counter, by] of entriesOf(line.tallies)) this.changes.push({ kind: 'count', counter, by });
  }

  #host({ host: hostKey, facts, traps, hostSlots, purged }: HostLine): void {
    this.changes.push({ kind: 'host', hostKey, facts: { ...newHostFacts, ...facts } });
    if (purged !== undefined)
      this.changes.push({ kind: 'load', row: { row: 'purged', hostKey, fingerprints: purged } });
    if (hostSlots !== undefined)
      this.changes.push({ kind: 'hostSlots', hostKey, own: hostSlots.own, most: hostSlots.most });
    for (const readyAtMs of hostSlots?.freeAtMs ?? []) this.changes.push({ kind: 'hostSlot', hostKey, readyAtMs });
    for (const trap of traps?.released ?? []) {
      this.changes.push({ kind: 'trap', hostKey, ...trap });
      this.changes.push({ kind: 'releaseTrap', hostKey, pattern: trap.pattern });
    }
    for (const trap of traps?.trapped ?? []) this.changes.push({ kind: 'trap', hostKey, ...trap });
  }

  /** A URL that is there already is not taken again, so that a list of URLs may be loaded twice. */
  #addKnown(line: KnownLine): void {
    if (this.#isSeen(line.url)) return;
    if (line.visits !== undefined) {
      const { dueAtMs, ...visits } = line.visits;
      const page = { ...visits, record: this.#knownUrl(line) as UrlRecord };
      this.changes.push({ kind: 'load', row: { row: 'page', hostKey: hostKeyOf(line.url), dueAtMs, page } });
      return;
    }
    const known = this.#knownUrl(line);
    if (this.#known.length === 0 || this.#known.length === gatheredMax) {
      this.#known = [];
      this.changes.push({ kind: 'load', row: { row: 'known', urls: this.#known } });
    }
    this.#known.push(known);
  }

  #queue(line: QueuedLine): void {
    const normal = normalOf(line);
    const known = this.#isSeen(normal);
    const hostKey = line.host ?? hostKeyOf(line.url);
    const entry = { ...entryOf(line), ...this.#tagged(line.tags) };
    if (line.status === 'waiting') {
      const row = { row: 'again', hostKey, known, dueAtMs: line.dueAtMs ?? 0, entry, normal } as const;
      this.changes.push({ kind: 'load', row });
      return;
    }
    const joins = hostKey === this.#hostKey && known === this.#forced && this.#entries.length < gatheredMax;
    if (!joins || this.#entries.length === 0) {
      this.#entries = [];
      [this.#hostKey, this.#forced] = [hostKey, known];
      this.changes.push({ kind: 'admit', hostKey, known, entries: this.#entries });
    }
    this.#entries.push(entry);
  }

  #knownUrl(line: KnownLine): KnownUrl {
    return { ...knownUrl(line), ...this.#tagged(line.tags) };
  }

  /** Tags under the number of their list in this crawl; a list without room is left out, like the list of a link. */
  #tagged(given: readonly string[] = []): { readonly tags?: number } {
    const tags = tagsOf(given);
    if (tags.length === 0) return {};
    const { tagSets } = this.#state;
    const known = tagSets.numberOf(tags) || this.#tagSets.get(tags.join());
    if (known !== undefined) return { tags: known };
    const number = tagSets.nextNumber + this.#tagSets.size;
    if (number > tagLimits.setsMax) return {};
    this.#tagSets.set(tags.join(), number);
    this.changes.push({ kind: 'tagSet', number, tags });
    return { tags: number };
  }

  /** Was the URL there before this line? From now on it counts as there. */
  #isSeen(normal: string): boolean {
    const key = seenKey(normal);
    const [hi, lo] = this.#state.fingerprintOf(normal);
    if (this.#gathered.has(key) || this.#state.seen.test(hi!, lo!) === seenVerdicts.seen) return true;
    this.#gathered.add(key);
    return false;
  }
}

function isQueued(line: QueuedLine | KnownLine): line is QueuedLine {
  return line.status === 'queued' || line.status === 'waiting';
}

function normalOf(line: QueuedLine | KnownLine): string {
  return ('normal' in line ? line.normal : undefined) ?? line.url;
}

function entryOf(line: QueuedLine): Entry {
  const { url, frontQueue, depth = 0, hop = 0, attempts = 0, expiries = 0, payload, spelling } = line;
  const entry = { url, frontQueue, depth, hop, attempts, expiries, ...(spelling !== undefined && { spelling }) };
  return payload === undefined ? entry : { ...entry, payload: Buffer.from(payload, 'base64') };
}

function knownUrl(line: KnownLine): KnownUrl {
  return {
    url: line.url,
    status: line.status,
    outcome: line.outcome ?? 'unknown',
    httpStatus: line.http ?? 0,
    atMs: line.atMs ?? 0,
    attempts: line.attempts ?? 0,
    depth: line.depth ?? 0,
    etag: line.etag ?? '',
    lastModified: line.lastModified ?? '',
    contentHash: line.contentHash ?? '',
    soft404: line.soft404 ?? false,
    ...(line.spelling !== undefined && { spelling: line.spelling }),
  };
}

function entriesOf<K extends string>(counts: Partial<Record<K, number>>): [K, number][] {
  return Object.entries(counts) as [K, number][];
}
