/**
 * The changelog: the totally ordered log of one partition's state changes, in its own format.
 *
 * Two kinds of record. A *claim* makes its writer the owner; the claim's offset is the owner's epoch. A *commit* is one
 * step of the state machine: its inputs, the clock and demand at that time, and its changes. One record is atomic, so
 * state and consumed positions cannot disagree.
 *
 * A commit counts only if its epoch is that of the newest claim before it and its sequence number is the next:
 * `validateCommit` applies that rule, for owners, standbys and replays alike. A hole in the offsets is an error.
 *
 * Layout: magic 0xC5, format version, kind, fields. docs/design.md §4.1–4.2.
 */
import { damageOf } from '../../damaged-batch.ts';
import { CrawlstreamError } from '../../errors.ts';
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { Change } from './changes.ts';
import { readChange } from './codec.ts';
import type { Counters } from './counters.ts';
import { readCounters, writeCounters } from './counters.ts';
import { recordHash } from './record-hash.ts';

const magic = 0xc5;
export const changelogVersion = 1;

export const inputTopics = ['control', 'results', 'discovered'] as const;
export type InputTopic = (typeof inputTopics)[number];

/** The next thing to take: `slice` items of the record at `offset` were taken already. */
export interface InputPosition {
  readonly offset: number;
  readonly slice: number;
}

export interface InputRange {
  readonly topic: InputTopic;
  readonly from: InputPosition;
  readonly to: InputPosition;
}

export interface Claim {
  readonly kind: 'claim';
  /** With this an owner recognises its own claim. */
  readonly nonce: string;
  readonly nowMs: number;
  /** The fetchers of earlier epochs are known to be dead: their leases end with this claim. */
  readonly endsLeases: boolean;
  /**
   * Written by 0.3.0 or earlier: leased pages are scheduled again as after a visit, in the front queue of the current
   * policy. Absent: their rows of the schedule stay unchanged. A replay does the same for a host with a row that is
   * ahead, which has no pages.
   */
  readonly schedulesAgain?: true;
  /** How far the writer had read the changelog when it claimed; readers of 0.3.0 and earlier use it. Absent: the claim is by an older release. */
  readonly after?: Predecessor;
}

/**
 * The newest record that counted for the claimant. It distinguishes two histories of a changelog with the same
 * length.
 */
export interface Predecessor {
  readonly epoch: number;
  readonly seq: number;
  /** Position and hash of the record. */
  readonly counted: RecordMark | null;
}

/** A record that was read. Its hash distinguishes it from a record with the same offset in another history. */
export interface RecordMark {
  readonly offset: number;
  readonly hash: number;
}

export interface CommitHeader {
  readonly kind: 'commit';
  /** Offset of the claim of its owner. */
  readonly epoch: number;
  /** One more than that of the commit before, over all epochs. */
  readonly seq: number;
  readonly nowMs: number;
  readonly policyVersion: number;
  /** Leases the fetchers could take when this was decided. */
  readonly demand: number;
  /** Every input, in the order of decision; `from` equals `to` if nothing was taken. */
  readonly inputs: readonly InputRange[];
  /** After this commit. */
  readonly counters: Counters;
}

export interface Commit extends CommitHeader {
  readonly changes: Iterable<Change>;
}

/** A sound foreign record: another program wrote to the topic. Every reader treats it as void and counts it. */
export interface Foreign {
  readonly kind: 'foreign';
  readonly why: string;
}

/**
 * Beginning of the nonce of a claim that voids everything before it: the next commit is the first, and has the
 * positions of the inputs.
 */
const resetPrefix = 'reset ';

export function resetNonce(chance: string): string {
  return `${resetPrefix}${chance}`;
}

export function isResetRecord(record: Claim | CommitHeader | Foreign): boolean {
  return record.kind === 'claim' && record.nonce.startsWith(resetPrefix);
}

/** Effects of a claim on the leases of earlier epochs. */
const [leasesGoOn, leasesEndAsVisits, leasesEnd] = [0, 1, 2];

export function encodeClaim(claim: Claim): Buffer {
  const writer = new ByteWriter(64);
  writer.byte(magic);
  writer.byte(changelogVersion);
  writer.byte(0);
  writer.string(claim.nonce);
  writer.uint(claim.nowMs);
  writer.byte(!claim.endsLeases ? leasesGoOn : claim.schedulesAgain ? leasesEndAsVisits : leasesEnd);
  if (claim.after !== undefined) writePredecessor(writer, claim.after);
  return writer.take();
}

function writePredecessor(writer: ByteWriter, { epoch, seq, counted }: Predecessor): void {
  writer.int(epoch);
  writer.uint(seq);
  writeMark(writer, counted);
}

function readPredecessor(reader: ByteReader): Predecessor {
  return { epoch: reader.int(), seq: reader.uint(), counted: readMark(reader) };
}

export function writeMark(writer: ByteWriter, mark: RecordMark | null): void {
  writer.boolean(mark !== null);
  if (mark === null) return;
  writer.uint(mark.offset);
  writer.uint(mark.hash);
}

export function readMark(reader: ByteReader): RecordMark | null {
  return reader.boolean() ? { offset: reader.uint(), hash: reader.uint() } : null;
}

/** `changes`: the changes, encoded one after another by `writeChange`. */
export function encodeCommit(header: CommitHeader, changes: Uint8Array): Buffer {
  const writer = new ByteWriter(changes.length + 256);
  writer.byte(magic);
  writer.byte(changelogVersion);
  writer.byte(1);
  writer.uint(header.epoch);
  writer.uint(header.seq);
  writer.uint(header.nowMs);
  writer.uint(header.policyVersion);
  writer.uint(header.demand);
  writer.uint(header.inputs.length);
  for (const { topic, from, to } of header.inputs) {
    writer.byte(inputTopics.indexOf(topic));
    writer.uint(from.offset);
    writer.uint(from.slice);
    writer.uint(to.offset);
    writer.uint(to.slice);
  }
  writeCounters(writer, header.counters);
  writer.raw(changes);
  return writer.take();
}

/**
 * Decodes a record of a changelog, from any writer. Throws INVALID_RECORD if the bytes were damaged in the log,
 * because they may have been a commit that counts, and UNSUPPORTED for a newer format.
 */
export function readChangelog(bytes: Uint8Array): Claim | Commit | Foreign {
  const damage = damageOf(bytes);
  if (damage !== undefined) throw invalid(damage);
  try {
    return decodeChangelog(bytes);
  } catch (error) {
    if (!(error instanceof CrawlstreamError && error.code === 'INVALID_RECORD')) throw error;
    return { kind: 'foreign', why: error.message };
  }
}

/** Throws INVALID_RECORD if the bytes are no changelog record, UNSUPPORTED for a newer format. */
export function decodeChangelog(bytes: Uint8Array): Claim | Commit {
  const reader = new ByteReader(bytes);
  if (reader.byte() !== magic)
    throw invalid(damageOf(bytes) ?? 'it does not start with the header of a changelog record');
  const version = reader.byte();
  if (version > changelogVersion) {
    throw new CrawlstreamError(
      'UNSUPPORTED',
      `the changelog has format ${version}, but this release reads formats up to ${changelogVersion}: run a newer crawlstream`,
    );
  }
  if (reader.byte() === 0) {
    const [nonce, nowMs, ends] = [reader.string(), reader.uint(), reader.byte()];
    const schedulesAgain = ends === leasesEndAsVisits;
    const endsLeases = schedulesAgain || ends === leasesEnd;
    const claim: Claim = { kind: 'claim', nonce, nowMs, endsLeases, ...(schedulesAgain && { schedulesAgain }) };
    return reader.done ? claim : { ...claim, after: readPredecessor(reader) };
  }
  return {
    kind: 'commit',
    epoch: reader.uint(),
    seq: reader.uint(),
    nowMs: reader.uint(),
    policyVersion: reader.uint(),
    demand: reader.uint(),
    inputs: readInputs(reader),
    counters: readCounters(reader),
    changes: changesOf(reader),
  };
}

function readInputs(reader: ByteReader): InputRange[] {
  const inputs: InputRange[] = [];
  for (let left = reader.uint(); left > 0; left--) {
    const topic = inputTopics[reader.byte()];
    if (topic === undefined) throw invalid('it names an input topic that this release does not know');
    const from = { offset: reader.uint(), slice: reader.uint() };
    inputs.push({ topic, from, to: { offset: reader.uint(), slice: reader.uint() } });
  }
  return inputs;
}

function* changesOf(reader: ByteReader): Generator<Change> {
  while (!reader.done) yield readChange(reader);
}

function invalid(why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_RECORD', `a record of the changelog cannot be decoded: ${why}`);
}

/** The progress of a reader of the changelog: its last applied record, and the current epoch. */
export interface ChangelogPosition {
  /** Offset of the next record to read. */
  readonly offset: number;
  /** Offset of the newest claim; -1: none yet. */
  readonly epoch: number;
  /** Sequence number of the newest commit that counted; 0: none yet. */
  readonly seq: number;
  /** The newest record that was read; null: none, or not known, as in a checkpoint of an older release. */
  readonly read: RecordMark | null;
  /** The newest record that counted: a claim or a commit. */
  readonly counted: RecordMark | null;
}

export const changelogStart: ChangelogPosition = { offset: 0, epoch: -1, seq: 0, read: null, counted: null };

/** The position behind a record that counts. */
export function past(offset: number, bytes: Uint8Array, epoch: number, seq: number): ChangelogPosition {
  const mark = { offset, hash: recordHash(bytes) };
  return { offset: offset + 1, epoch, seq, read: mark, counted: mark };
}

/**
 * Decides whether a commit counts for a reader at `position`. `void`: it belongs to another epoch, repeats a sequence
 * number, or skips one. When a commit fails, the owner's next one may already have been sent, and may take the
 * expected offset. The owner considers it lost, and so does every reader.
 */
export function validateCommit(
  position: Pick<ChangelogPosition, 'epoch' | 'seq'>,
  commit: CommitHeader,
): 'counts' | 'void' {
  return commit.epoch === position.epoch && commit.seq === position.seq + 1 ? 'counts' : 'void';
}

/**
 * Returns whether the record certainly follows the records that the reader at `position` has read. If it does not,
 * either the record is void, or the log has lost the reader's own history; all commits of another owner would then
 * look void to this reader.
 *
 * A claim never follows for certain. It names the record that its writer had read; before the claim landed, the log may
 * have lost that record, and another writer's record may have taken its offset.
 */
export function follows(position: ChangelogPosition, record: Claim | CommitHeader | Foreign): boolean {
  return record.kind === 'commit' && validateCommit(position, record) === 'counts';
}

export function diverged(why: string): CrawlstreamError {
  return new CrawlstreamError('STATE_DIVERGED', `${why}: the changelog lost records that were already acknowledged`);
}

/**
 * Offsets of a changelog have no holes. Throws CHANGELOG_GAP where records are missing, since the state cannot be
 * rebuilt from here.
 */
export function expectOffset(position: Pick<ChangelogPosition, 'offset'>, offset: number): void {
  if (offset === position.offset) return;
  throw new CrawlstreamError(
    'CHANGELOG_GAP',
    `records ${position.offset} to ${offset - 1} are missing from the changelog: restore the partition from a snapshot`,
  );
}
