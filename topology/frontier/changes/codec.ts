/** Changes as bytes. Part of the changelog's format: see `changelog.ts` for its version. */
import { trapReasons } from '../../policy/traps/summary.ts';
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Change, Disposition } from './changes.ts';
import { knownPlaces, tallyNames } from './changes.ts';
import type { Entry } from './entry.ts';
import { readEntry, writeEntry } from './entry.ts';
import { readGrant, writeGrant } from './grant-bytes.ts';
import { readHostFacts, writeHostFacts } from './host-facts-bytes.ts';
import { readLoadRow, writeLoadRow } from './load-row.ts';
import { readPageRecord, writePageRecord } from './page-record.ts';
import { readPurge, writePurge } from './purge-bytes.ts';
import { readRobotsHop, writeRobotsHop } from './robots-hop-bytes.ts';
import { readRound, writeRound } from './sitemap-rounds.ts';
import { readTaken, writeTaken } from './taken-bytes.ts';
import { finalStatuses, pick, readUrlRecord, writeUrlRecord } from './url-record-bytes.ts';

// The order of each list is the format: append, never reorder.
const kinds = [
  'admit',
  'count',
  'grant',
  'resolve',
  'release',
  'host',
  'abandon',
  'finish',
  'policy',
  'quota',
  'quotaBook',
  'trap',
  'releaseTrap',
  'robotsHop',
  'linked',
  'countReferrer',
  'spend',
  'check',
  'raise',
  'expedite',
  'hostSlots',
  'hostSlot',
  'known',
  'dropQueue',
  'blockQueue',
  'load',
  'cash',
  'grantDue',
  'visit',
  'due',
  'price',
  'grantSitemaps',
  'sitemaps',
  'purge',
  'taken',
  'inputEpoch',
] as const satisfies readonly Change['kind'][];
/** In the place of a front queue's number: of what came back. */
const cameBack = 255;
const inputOrder = ['control', 'results', 'discovered'] as const;
const knownTargets = ['done', 'again', 'forgotten'] as const;

export function writeChange(writer: ByteWriter, change: Change): void {
  writer.byte(kinds.indexOf(change.kind));
  switch (change.kind) {
    case 'admit':
      writer.string(change.hostKey);
      writer.boolean(change.known);
      writer.uint(change.entries.length);
      for (const entry of change.entries) writeEntry(writer, entry);
      return;
    case 'count':
      writer.byte(tallyNames.indexOf(change.counter));
      writer.uint(change.by);
      return;
    case 'grant':
    case 'grantSitemaps':
      return writeGrant(writer, change);
    case 'grantDue':
      writer.uint(change.due);
      return writeGrant(writer, change);
    case 'visit':
      writer.string(change.hostKey);
      writer.uint(change.leaseId);
      writer.uint(change.index);
      writer.uint(change.dueAtMs);
      writer.boolean(change.spent);
      writer.byte(change.proved === null ? 0 : change.proved ? 1 : 2);
      return writePageRecord(writer, change.page);
    case 'due':
      writer.string(change.hostKey);
      writer.string(change.url);
      writer.uint(change.dueS);
      writer.boolean(change.told);
      return;
    case 'sitemaps':
      writer.string(change.hostKey);
      return writeRound(writer, change.round);
    case 'price':
      writer.int(change.price);
      writer.uint(change.atMs);
      return;
    case 'resolve':
      writer.uint(change.leaseId);
      writer.uint(change.index);
      writeDisposition(writer, change.disposition);
      writer.boolean(change.record !== null);
      if (change.record !== null) writeUrlRecord(writer, change.record);
      return;
    case 'release':
      writer.uint(change.leaseId);
      writer.boolean(change.expired);
      return;
    case 'host':
      writer.string(change.hostKey);
      writeHostFacts(writer, change.facts);
      return;
    case 'abandon':
      writer.string(change.hostKey);
      writeUrlRecord(writer, change.record);
      return;
    case 'finish':
      writer.string(change.hostKey);
      writer.uint(change.seq);
      writeUrlRecord(writer, change.record);
      return;
    case 'raise':
      writer.string(change.hostKey);
      writer.byte(change.frontQueue);
      writer.uint(change.seq);
      writeEntry(writer, change.entry);
      return;
    case 'expedite':
      writer.string(change.hostKey);
      writer.byte(change.frontQueue ?? cameBack);
      writer.uint(change.seq);
      writeEntry(writer, change.entry);
      return;
    case 'hostSlots':
      writer.string(change.hostKey);
      writer.int(change.own);
      writer.uint(change.most);
      return;
    case 'hostSlot':
      writer.string(change.hostKey);
      writer.uint(change.readyAtMs);
      return;
    case 'known':
      writer.string(change.hostKey);
      writer.byte(knownPlaces.indexOf(change.from.in));
      writer.uint(change.from.a);
      writer.uint(change.from.b);
      writer.byte(knownTargets.indexOf(change.to));
      writer.uint(change.dueAtMs);
      writeEntry(writer, change.entry);
      return;
    case 'dropQueue':
      writer.string(change.hostKey);
      return;
    case 'blockQueue':
      writer.string(change.hostKey);
      writer.uint(change.untilMs);
      return;
    case 'purge':
      return writePurge(writer, change);
    case 'taken':
      return writeTaken(writer, change);
    case 'inputEpoch':
      writer.byte(inputOrder.indexOf(change.topic));
      writer.int(change.epoch);
      return;
    case 'countReferrer':
      writer.string(change.key);
      writer.uint32(change.fingerprint);
      return;
    case 'spend':
      writer.string(change.key);
      writer.uint(change.period);
      writer.uint(change.used);
      return;
    case 'policy':
      writer.uint(change.version);
      writer.string(change.json);
      return;
    case 'quota':
      writer.uint(change.granted);
      writer.uint(change.returned);
      writer.uint(change.wanted);
      return;
    case 'quotaBook':
      writer.uint(change.partition);
      writer.uint(change.granted);
      writer.uint(change.returned);
      writer.uint(change.wanted);
      writer.uint(change.version);
      return;
    case 'trap':
      writer.string(change.hostKey);
      writer.string(change.pattern);
      writer.byte(trapReasons.indexOf(change.reason));
      writer.string(change.detail);
      writer.byte(change.frontQueue);
      return;
    case 'releaseTrap':
      writer.string(change.hostKey);
      writer.string(change.pattern);
      return;
    case 'linked':
      writeFingerprints(writer, change.fingerprints);
      return;
    case 'cash':
      writer.double(change.amount);
      writer.boolean(change.isNew);
      writeFingerprints(writer, change.fingerprints);
      return;
    case 'robotsHop':
      writer.string(change.hostKey);
      writeRobotsHop(writer, change.hop);
      return;
    case 'load':
      return writeLoadRow(writer, change.row);
    case 'check':
      writer.byte(change.version);
      writer.string(change.sum);
  }
}

export function readChange(reader: ByteReader): Change {
  const kind = pick(kinds, reader.byte(), 'change');
  switch (kind) {
    case 'admit':
      return { kind, hostKey: reader.string(), known: reader.boolean(), entries: readEntries(reader) };
    case 'count':
      return { kind, counter: pick(tallyNames, reader.byte(), 'counter'), by: reader.uint() };
    case 'grant':
    case 'grantSitemaps':
      return { kind, ...readGrant(reader) };
    case 'grantDue':
      return { kind, due: reader.uint(), ...readGrant(reader) };
    case 'visit':
      return {
        kind,
        hostKey: reader.string(),
        leaseId: reader.uint(),
        index: reader.uint(),
        dueAtMs: reader.uint(),
        spent: reader.boolean(),
        proved: [null, true, false][reader.byte()] ?? null,
        page: readPageRecord(reader),
      };
    case 'due':
      return {
        kind,
        hostKey: reader.string(),
        url: reader.string(),
        dueS: reader.uint(),
        told: reader.boolean(),
      };
    case 'sitemaps':
      return { kind, hostKey: reader.string(), round: readRound(reader) };
    case 'purge':
      return { kind, ...readPurge(reader) };
    case 'taken':
      return { kind, ...readTaken(reader) };
    case 'inputEpoch':
      return { kind, topic: pick(inputOrder, reader.byte(), 'input'), epoch: reader.int() };
    case 'price':
      return { kind, price: reader.int(), atMs: reader.uint() };
    case 'resolve':
      return {
        kind,
        leaseId: reader.uint(),
        index: reader.uint(),
        disposition: readDisposition(reader),
        record: reader.boolean() ? readUrlRecord(reader) : null,
      };
    case 'release':
      return { kind, leaseId: reader.uint(), expired: reader.boolean() };
    case 'host':
      return { kind, hostKey: reader.string(), facts: readHostFacts(reader) };
    case 'abandon':
      return { kind, hostKey: reader.string(), record: readUrlRecord(reader) };
    case 'finish':
      return { kind, hostKey: reader.string(), seq: reader.uint(), record: readUrlRecord(reader) };
    case 'raise':
      return {
        kind,
        hostKey: reader.string(),
        frontQueue: reader.byte(),
        seq: reader.uint(),
        entry: readEntry(reader),
      };
    case 'expedite': {
      const hostKey = reader.string();
      const frontQueue = reader.byte();
      return {
        kind,
        hostKey,
        frontQueue: frontQueue === cameBack ? null : frontQueue,
        seq: reader.uint(),
        entry: readEntry(reader),
      };
    }
    case 'hostSlots':
      return { kind, hostKey: reader.string(), own: reader.int(), most: reader.uint() };
    case 'hostSlot':
      return { kind, hostKey: reader.string(), readyAtMs: reader.uint() };
    case 'known':
      return {
        kind,
        hostKey: reader.string(),
        from: { in: pick(knownPlaces, reader.byte(), 'place'), a: reader.uint(), b: reader.uint() },
        to: pick(knownTargets, reader.byte(), 'target'),
        dueAtMs: reader.uint(),
        entry: readEntry(reader),
      };
    case 'dropQueue':
      return { kind, hostKey: reader.string() };
    case 'blockQueue':
      return { kind, hostKey: reader.string(), untilMs: reader.uint() };
    case 'countReferrer':
      return { kind, key: reader.string(), fingerprint: reader.uint32() };
    case 'spend':
      return { kind, key: reader.string(), period: reader.uint(), used: reader.uint() };
    case 'policy':
      return { kind, version: reader.uint(), json: reader.string() };
    case 'quota':
      return { kind, granted: reader.uint(), returned: reader.uint(), wanted: reader.uint() };
    case 'quotaBook':
      return {
        kind,
        partition: reader.uint(),
        granted: reader.uint(),
        returned: reader.uint(),
        wanted: reader.uint(),
        version: reader.uint(),
      };
    case 'trap':
      return {
        kind,
        hostKey: reader.string(),
        pattern: reader.string(),
        reason: pick(trapReasons, reader.byte(), 'trap'),
        detail: reader.string(),
        frontQueue: reader.byte(),
      };
    case 'releaseTrap':
      return { kind, hostKey: reader.string(), pattern: reader.string() };
    case 'linked':
      return { kind, fingerprints: readFingerprints(reader) };
    case 'cash':
      return { kind, amount: reader.double(), isNew: reader.boolean(), fingerprints: readFingerprints(reader) };
    case 'robotsHop':
      return { kind, hostKey: reader.string(), hop: readRobotsHop(reader) };
    case 'load':
      return { kind, row: readLoadRow(reader) };
    case 'check':
      return { kind, version: reader.byte(), sum: reader.string() };
  }
}

function writeFingerprints(writer: ByteWriter, fingerprints: readonly number[]): void {
  writer.uint(fingerprints.length);
  for (const word of fingerprints) writer.uint(word);
}

function readFingerprints(reader: ByteReader): number[] {
  const fingerprints: number[] = [];
  for (let left = reader.uint(); left > 0; left--) fingerprints.push(reader.uint());
  return fingerprints;
}

function readEntries(reader: ByteReader): Entry[] {
  const entries: Entry[] = [];
  for (let left = reader.uint(); left > 0; left--) entries.push(readEntry(reader));
  return entries;
}

function writeDisposition(writer: ByteWriter, disposition: Disposition): void {
  if (disposition.to === 'final') {
    writer.byte(1 + finalStatuses.indexOf(disposition.status));
    return;
  }
  writer.byte(0);
  writer.uint(disposition.dueAtMs);
  writeEntry(writer, disposition.entry);
}

function readDisposition(reader: ByteReader): Disposition {
  const tag = reader.byte();
  if (tag > 0) return { to: 'final', status: pick(finalStatuses, tag - 1, 'status') };
  return { to: 'again', dueAtMs: reader.uint(), entry: readEntry(reader) };
}
