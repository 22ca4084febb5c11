/**
 * One host in the checkpoint: everything except the URLs in its front queues, which have separate rows.
 *
 * The row names its position in the changelog. It is written in one batch with the rows that its front queues gained
 * and lost since the last one. So the rows of a host always match each other, even if other hosts are at another
 * position.
 */
import type { RobotsHop } from '../../../schemas/types.ts';
import type { Entry } from '../changes/entry.ts';
import { readEntry, writeEntry } from '../changes/entry.ts';
import { readHostFacts, writeHostFacts } from '../changes/host-facts-bytes.ts';
import { readPageRecord, writePageRecord } from '../changes/page-record.ts';
import { readRobotsHop, writeRobotsHop } from '../changes/robots-hop-bytes.ts';
import type { SlotsOfHost } from '../hosts/host-slots.ts';
import { unread } from '../hosts/lease.ts';
import { type Again, AgainList } from '../queues/again-list.ts';
import type { SavedFrontQueue } from '../queues/front-queues.ts';
import { openFrontQueues } from '../state/open-front-queues.ts';
import { loadRescheduled } from '../state/reschedule.ts';
import type { FrontierState, Host, Lease } from '../state/state.ts';
import { ByteReader, type ByteWriter } from '../storage/bytes.ts';

export function hostRowKey(id: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key[0] = 0x68;
  key.writeUInt32BE(id, 1);
  return key;
}

/**
 * Before this, all entries of its front queues must have been written to rows, and entries on lease must have been
 * read.
 */
export function writeHost(writer: ByteWriter, state: FrontierState, id: number): void {
  const { hosts, queues, leases, robotsHops, traps, changelog } = state;
  const key = hosts.keys.keyOf(id);
  writer.uint(changelog.offset);
  writer.string(key);
  writeHostFacts(writer, hosts.facts.get(id));
  const host = hosts.at(id);
  writeList(writer, host.queue.frontQueues(), ({ frontQueue }) =>
    writeFrontQueue(writer, queues.frontQueues.saved(frontQueue)),
  );
  writeList(writer, host.queue.again, ({ dueAtMs, seq, entry }) => {
    writer.uint(dueAtMs);
    writer.uint(seq);
    writeEntry(writer, entry);
  });
  writeList(writer, host.leaseIds, (lease) => writeLease(writer, leases.get(lease)!));
  writeList(writer, robotsHops.of(id), (hop) => writeRobotsHop(writer, hop));
  writer.string(traps.active.has(key) ? traps.save(key) : '');
  state.pull.save(writer, id);
  const hostSlots = hosts.hostSlots.entries.get(id);
  const leasesWithPages = host.leaseIds.filter((lease) => leases.get(lease)!.pages.size > 0);
  if (hostSlots !== undefined || leasesWithPages.length > 0) writeHostSlots(writer, hosts.hostSlots.of(id));
  for (const lease of leasesWithPages) {
    for (const [index, page] of leases.get(lease)!.pages) {
      writer.uint(lease);
      writer.uint(index);
      writePageRecord(writer, page);
    }
  }
}

/** Throws INVALID_RECORD on a row that makes no sense. */
export function loadHost(state: FrontierState, id: number, value: Buffer): void {
  const reader = new ByteReader(value);
  const { hosts, queues, robotsHops, traps, changelog } = state;
  const position = reader.uint();
  if (position > changelog.offset) state.ahead.set(id, position);
  const key = reader.string();
  hosts.add(id, key);
  hosts.facts.set(id, readHostFacts(reader));
  if (hosts.facts.hold(id) === 'purged') state.purge.on = true;
  const host = hosts.at(id);
  for (let left = reader.uint(); left > 0; left--) {
    const saved = readFrontQueue(reader);
    queues.frontQueues.load(id, saved);
    queues.ages.loaded(id, saved, state.nowMs);
  }
  const again = readList(reader, () => ({ dueAtMs: reader.uint(), seq: reader.uint(), entry: readEntry(reader) }));
  for (let left = reader.uint(); left > 0; left--) state.addLease(readLease(reader, host));
  robotsHops.put(
    id,
    readList<RobotsHop>(reader, () => readRobotsHop(reader)),
  );
  const json = reader.string();
  if (json !== '') traps.load(key, json);
  state.pull.load(reader, id);
  loadAgain(state, host, again, position);
  if (!reader.done) hosts.hostSlots.put(id, readHostSlots(reader));
  while (!reader.done) state.leases.get(reader.uint())!.pages.set(reader.uint(), readPageRecord(reader));
  if (json !== '' || host.facts.deferredOpen) openFrontQueues(state, host);
  state.settle(host);
}

/**
 * Loads URLs to fetch again. In a served crawl, those with a date, from a row of an earlier release, become
 * rescheduled URLs as of the row's position, and are written again.
 */
function loadAgain(state: FrontierState, { id, key }: Host, again: readonly Again[], position: number): void {
  const dated = state.pull.on ? again.filter(({ dueAtMs }) => dueAtMs > 0) : [];
  const rest = state.pull.on ? again.filter(({ dueAtMs }) => dueAtMs === 0) : again;
  if (rest.length > 0) state.queues.again.set(id, AgainList.of(rest));
  for (const one of dated) loadRescheduled(state, id, key, one, Math.max(position, state.changelog.offset));
  if (dated.length > 0) state.unsaved.addHost(id);
}

function writeFrontQueue(writer: ByteWriter, { number, row, head, tail, gone }: SavedFrontQueue): void {
  writer.byte(number);
  writer.uint(row);
  writer.uint(head - row);
  writer.uint(tail - head);
  writeList(writer, gone, (seq) => writer.uint(seq - head));
}

function readFrontQueue(reader: ByteReader): SavedFrontQueue {
  const number = reader.byte();
  const row = reader.uint();
  const head = row + reader.uint();
  return { number, row, head, tail: head + reader.uint(), gone: readList(reader, () => head + reader.uint()) };
}

function writeHostSlots(writer: ByteWriter, { own, most, nextAtMs, freeAtMs, troubledFrom }: SlotsOfHost): void {
  writer.int(own);
  writer.uint(most);
  writer.uint(nextAtMs);
  writer.uint(troubledFrom);
  writeList(writer, freeAtMs, (atMs) => writer.uint(atMs));
}

function readHostSlots(reader: ByteReader): SlotsOfHost {
  const own = reader.int();
  const most = reader.uint();
  const nextAtMs = reader.uint();
  const troubledFrom = reader.uint();
  return { own, most, nextAtMs, troubledFrom, freeAtMs: readList(reader, () => reader.uint()) };
}

function writeLease(writer: ByteWriter, { id, deadlineMs, delayMs, entries }: Lease): void {
  writer.uint(id);
  writer.uint(deadlineMs);
  writer.uint(delayMs);
  writeList(writer, entries, (entry) => {
    if (entry === unread) throw new Error(`lease ${id} is saved before it is read`);
    writer.boolean(entry !== null);
    if (entry !== null) writeEntry(writer, entry);
  });
}

function readLease(reader: ByteReader, host: Host): Lease {
  const id = reader.uint();
  const deadlineMs = reader.uint();
  const delayMs = reader.uint();
  const entries = readList<Entry | null>(reader, () => (reader.boolean() ? readEntry(reader) : null));
  return { id, host, entries, deadlineMs, delayMs, pages: new Map() };
}

function writeList<T>(writer: ByteWriter, items: readonly T[], write: (item: T) => void): void {
  writer.uint(items.length);
  for (const item of items) write(item);
}

function readList<T>(reader: ByteReader, read: () => T): T[] {
  const items: T[] = [];
  for (let left = reader.uint(); left > 0; left--) items.push(read());
  return items;
}
