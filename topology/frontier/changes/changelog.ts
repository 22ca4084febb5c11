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
  /** The fetchers of earlier epochs are known to be gone: their leases end with this claim. */
  readonly endsLeases: boolean;
  /**
   * Written by 0.3.0 or earlier: pages on lease are scheduled again as after a visit, in the front queue of the policy of now. Absent:
   * their rows of the schedule stay as they are, which a replay also does for a host whose row is ahead, and which has no pages.
   */
  readonly schedulesAgain?: true;
  /** How far the writer had read the changelog when it claimed: readers of 0.3.0 and earlier use it. Absent: a release without it. */
  readonly after?: Predecessor;
}

/**
 * The newest record that counted for the claimant: it distinguishes two histories of a changelog of the same length.
 */
export interface Predecessor {
  readonly epoch: number;
  readonly seq: number;
  /** Where it stands, and its hash. */
  readonly counted: RecordMark | null;
}

/** A record that was read: its hash distinguishes it from another at its offset in another history. */
export interface RecordMark {
  readonly offset: number;
  readonly hash: number;
}

export interface CommitHeader {
  readonly kind: 'commit';
  /** Offset of its owner's claim. */
  readonly epoch: number;
  /** One more than the commit before, over all epochs. */
  readonly seq: number;
  readonly nowMs: number;
  readonly policyVersion: number;
  /** Leases the fetchers could take when this was decided. */
  readonly demand: number;
  /** Every input, in the order they were decided; `from` is `to` where nothing was taken. */
  readonly inputs: readonly InputRange[];
  /** After this commit. */
  readonly counters: Counters;
}

export interface Commit extends CommitHeader {
  readonly changes: Iterable<Change>;
}

/** A sound record that is not ours: somebody else wrote to the topic. Every reader takes it for void and counts it. */
export interface Foreign {
  readonly kind: 'foreign';
  readonly why: string;
}

/** The nonce of a claim before which nothing counts: the next commit is the first, and says where the inputs begin. */
const anew = 'reset ';

export function anewNonce(chance: string): string {
  return `${anew}${chance}`;
}

export function beginsAnew(record: Claim | CommitHeader | Foreign): boolean {
  return record.kind === 'claim' && record.nonce.startsWith(anew);
}

/** What a claim does to the leases of earlier epochs. */
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
 * A record of a changelog, whoever wrote it. Throws INVALID_RECORD where what the log held is damaged, which may have been
 * a commit that counts, and UNSUPPORTED on a newer format.
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

/** Throws INVALID_RECORD on bytes that are no changelog record, UNSUPPORTED on a newer format. */
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

/** How far a reader of the changelog is: its last applied record, and the epoch in force. */
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
 * Does the commit count for a reader at `position`? `void`: it is of another epoch, repeats a sequence number, or skips
 * one. When an owner's commit failed, its next one may already have been under way and may stand where the failed one
 * was expected. Its owner took it for lost, and so does every reader.
 */
export function validateCommit(
  position: Pick<ChangelogPosition, 'epoch' | 'seq'>,
  commit: CommitHeader,
): 'counts' | 'void' {
  return commit.epoch === position.epoch && commit.seq === position.seq + 1 ? 'counts' : 'void';
}

/**
 * Does the record follow what the reader at `position` has read, beyond doubt? Where it does not, it may be void, or the
 * reader's own history may be one that the log has lost: then another owner's commits look void to it, for ever.
 *
 * A claim is never beyond doubt. It names what its writer had read; before it landed, the log may have lost that, and
 * another writer's record may stand in the lost one's place.
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
