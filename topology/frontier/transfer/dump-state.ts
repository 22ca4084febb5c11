/**
 * A partition's state as lines of a dump (dump-line.ts).
 *
 * It takes the state apart: queues are emptied as they are written out, which reads each row once. So the state must be
 * a copy, with nothing on lease, and everything in its checkpoint.
 */
import { hostKeyOf } from '../../url/host-key.ts';
import type { HostFacts, KnownUrl } from '../changes/changes.ts';
import { newHostFacts, tallyNames } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import { readPageRecord } from '../changes/page-record.ts';
import { finalStatuses, readKnownUrl } from '../changes/url-record-bytes.ts';
import { listRescheduled, type RescheduledUrl } from '../checkpoint/read-rescheduled.ts';
import { readLeases } from '../checkpoint/read-rows.ts';
import type { FrontierState, Host } from '../state/state.ts';
import type { TagSets } from '../state/tag-sets.ts';
import type { ActiveTrap } from '../state/traps-state.ts';
import { ByteReader } from '../storage/bytes.ts';
import type { StoreJob } from '../storage/store-job.ts';
import type { BudgetLine, DumpLine, HostLine, KnownLine, QueuedLine, RepeatedLine } from './dump-line.ts';

/** Lines that are yielded together: some milliseconds of work, and a megabyte. */
const linesPerTurn = 4_096;

type Write = (line: DumpLine) => void;

export function* budgetLines({ hosts, budgets }: FrontierState): Generator<BudgetLine> {
  if (budgets.accounts.size === 0) return;
  const hostsOf = new Map<string, string[]>();
  for (const { key } of hosts.values()) {
    const budget = budgets.keyOf(key);
    const list = hostsOf.get(budget);
    if (list === undefined) hostsOf.set(budget, [key]);
    else list.push(key);
  }
  for (const [budget, { period, used, sources }] of budgets.accounts) {
    // This budget key received links before any of its hosts was known.
    yield { budget, hosts: hostsOf.get(budget) ?? [budget], period, used, sources: sources.save() };
  }
}

/** Lines of hosts and their queued URLs. `normal`: returns the spelling of a URL for the seen test. */
export function* dumpHosts(state: FrontierState, normal: (url: string) => string, write: Write): StoreJob {
  const lines = new DumpLines(state, write);
  for (const host of state.hosts.values()) {
    yield* lines.line(hostLine(state, host));
    const { key, queue } = host;
    const { tagSets } = state;
    for (const { dueAtMs, entry } of queue.again)
      yield* lines.line(waitingLine(tagSets, key, dueAtMs, entry, normal(entry.url)));
    for (let at = { dueAtMs: 0, seq: 0 }; ; ) {
      const urls: readonly RescheduledUrl[] = yield* listRescheduled(state, host, at);
      for (const { dueAtMs, entry } of urls)
        yield* lines.line(waitingLine(tagSets, key, dueAtMs, entry, normal(entry.url)));
      if (urls.length === 0) break;
      at = urls.at(-1)!;
    }
    for (const { frontQueue, size } of queue.frontQueues()) yield* lines.frontQueue(key, frontQueue, size);
  }
  yield* lines.flush();
}

/** Yields lines, and entries with rows to read first; pauses now and then so that the lines can be written. */
class DumpLines {
  readonly #state: FrontierState;
  readonly #write: Write;
  #groups: { readonly hostKey: string; readonly entries: Entry[] }[] = [];
  #count = 0;

  constructor(state: FrontierState, write: Write) {
    this.#state = state;
    this.#write = write;
  }

  *line(line: DumpLine): StoreJob {
    this.#write(line);
    if (++this.#count >= linesPerTurn) yield* this.flush();
  }

  *frontQueue(hostKey: string, frontQueue: number, size: number): StoreJob {
    for (let left = size; left > 0; ) {
      const some = Math.min(left, linesPerTurn - this.#count);
      const entries: Entry[] = [];
      this.#state.queues.frontQueues.take(frontQueue, some, (index, entry) => {
        entries[index] = entry;
      });
      this.#groups.push({ hostKey, entries });
      this.#count += some;
      left -= some;
      if (this.#count >= linesPerTurn) yield* this.flush();
    }
  }

  *flush(): StoreJob {
    yield* readLeases(this.#state);
    for (const { hostKey, entries } of this.#groups)
      for (const entry of entries) this.#write(queuedLine(this.#state.tagSets, 'queued', hostKey, entry));
    this.#groups = [];
    this.#count = 0;
    yield { read: [] };
  }
}

function hostLine(state: FrontierState, { id, key, facts }: Host): HostLine {
  const lines: Partial<Record<keyof HostFacts, unknown>> = {};
  for (const name of Object.keys(newHostFacts) as (keyof HostFacts)[]) {
    if (facts[name] !== newHostFacts[name]) lines[name] = facts[name];
  }
  const active = state.traps.active.get(key);
  const traps = active && {
    trapped: active.trapped.map(plainTrap),
    released: active.released.map(plainTrap),
  };
  const hostSlots = state.hosts.hostSlots.entries.get(id);
  const purged = state.purge.urls.get(id);
  return {
    host: key,
    ...(Object.keys(lines).length > 0 && { facts: lines as Partial<HostFacts> }),
    ...(traps !== undefined && { traps }),
    ...(purged !== undefined && { purged }),
    ...(hostSlots !== undefined && {
      hostSlots: { own: hostSlots.own, most: hostSlots.most, freeAtMs: hostSlots.freeAtMs },
    }),
  };
}

function plainTrap({ pattern, reason, detail, frontQueue }: ActiveTrap): ActiveTrap {
  return { pattern, reason, detail, frontQueue };
}

function waitingLine(tagSets: TagSets, hostKey: string, dueAtMs: number, entry: Entry, normal: string): QueuedLine {
  return {
    ...queuedLine(tagSets, 'waiting', hostKey, entry),
    ...(dueAtMs > 0 && { dueAtMs }),
    ...(normal !== entry.url && { normal }),
  };
}

function queuedLine(tagSets: TagSets, status: QueuedLine['status'], hostKey: string, entry: Entry): QueuedLine {
  const { url, frontQueue, depth, hop, attempts, expiries, payload, tags, spelling } = entry;
  return {
    url,
    status,
    frontQueue,
    ...(hostKeyOf(url) !== hostKey && { host: hostKey }),
    ...(depth > 0 && { depth }),
    ...(hop > 0 && { hop }),
    ...(attempts > 0 && { attempts }),
    ...(expiries > 0 && { expiries }),
    ...(payload !== undefined && { payload: Buffer.from(payload).toString('base64') }),
    ...(tags !== undefined && { tags: tagSets.tagsOf(tags) }),
    ...(spelling !== undefined && { spelling }),
  };
}

/** The line for a row of the checkpoint about a URL, by its fingerprint. */
export function rowLine(state: FrontierState, key: Buffer, value: Buffer, normal: (url: string) => string) {
  const { recrawl, tagSets } = state;
  const row = recrawl.table.size === 0 ? -1 : recrawl.table.find(key.readUInt32BE(1), key.readUInt32BE(5));
  if (row < 0) return knownLine(tagSets, readKnownUrl(new ByteReader(value)), normal);
  const { record, ...visits } = readPageRecord(new ByteReader(value));
  return { ...knownLine(tagSets, record, normal), visits: { ...visits, dueAtMs: 1_000 * recrawl.table.at(row).dueS } };
}

/** A URL that was given up is stored in the spelling that was requested last, so it is normalised here. */
function knownLine(tagSets: TagSets, record: KnownUrl, normal: (url: string) => string): KnownLine {
  const { status, outcome, httpStatus: http, atMs, attempts, depth, etag, lastModified, contentHash, soft404 } = record;
  return {
    url: status === 'dead' ? normal(record.url) : record.url,
    status,
    ...(status !== 'known' && { outcome }),
    ...(http > 0 && { http }),
    ...(atMs > 0 && { atMs }),
    ...(attempts > 0 && { attempts }),
    ...(depth > 0 && { depth }),
    ...(etag !== '' && { etag }),
    ...(lastModified !== '' && { lastModified }),
    ...(contentHash !== '' && { contentHash }),
    ...(soft404 && { soft404 }),
    ...(record.tags !== undefined && { tags: tagSets.tagsOf(record.tags) }),
    ...(record.spelling !== undefined && { spelling: record.spelling }),
  };
}

/** `records`: number of lines yielded, by status. */
export function repeatedLine({ counters }: FrontierState, records: ReadonlyMap<string, number>): RepeatedLine {
  const repeated: Partial<Record<(typeof finalStatuses)[number], number>> = {};
  for (const status of finalStatuses) {
    const more = counters[status] - (records.get(status) ?? 0);
    if (more > 0) repeated[status] = more;
  }
  return { repeated };
}

export function tallyLine({ counters }: FrontierState): DumpLine {
  const lines = tallyNames.filter((name) => name !== 'imported' && name !== 'scheduled' && counters[name] > 0);
  return { tallies: Object.fromEntries(lines.map((name) => [name, counters[name]])) };
}
