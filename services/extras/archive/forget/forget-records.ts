/**
 * Removes every record of some URLs from the WARC files of a data folder, and from their indexes.
 *
 * Other records stay unchanged, to the byte, except revisits with a payload in a removed record: the first of them
 * becomes a response with that payload, which is its own too, and the others point to it (WARC 1.1 §6.7). Files
 * without such records are not touched. The archive's rows of payloads are updated, so that later records point to
 * nothing that was removed. The archive's process must not run, because it locks the store.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeSynced } from '../../../runtime/disk/durable-names.ts';
import { writeWhole } from '../../../runtime/disk/write-whole.ts';
import type { StateStore, StoreOp } from '../../../runtime/store/store.ts';
import { answerKey, captureRanges, type FirstCapture, type LastAnswer } from '../captures.ts';
import { fieldsAt } from '../cdxj.ts';
import { headerOf, httpMessageOf } from '../http-message.ts';
import { finishReplacing, replaceFiles, rewrittenSuffix } from '../replaced-files.ts';
import { openWarcFolder } from '../warc-folder.ts';
import { digestOf } from '../warc-record.ts';
import { indexLines } from './index-lines.ts';
import { type Member, membersOf } from './members.ts';
import { fieldOf, type RecordHead, readHead, recordWith } from './record-head.ts';

export interface ForgottenRecords {
  /** WARC files that were rewritten, by name. */
  readonly files: readonly string[];
  /** Records that are gone, of every type. */
  readonly records: number;
  /** Revisits that have become responses, since the payload they pointed to went. */
  readonly promoted: number;
  /** Revisits that point elsewhere now. */
  readonly redirected: number;
  /** Revisits that point nowhere: the archive has no other record of their payload. */
  readonly dangling: number;
}

/** `atMs`: when the capture began, ms since the Unix epoch. */
export type IsGone = (url: string, atMs: number) => boolean;

interface Payload extends FirstCapture {
  readonly path: string;
  readonly offset: number;
}

interface Work {
  readonly isGone: IsGone;
  /** Payloads in records that go, by digest. */
  readonly lost: Map<string, Payload>;
  /** New captures of payloads, by digest. */
  readonly promoted: Map<string, FirstCapture>;
  readonly counts: { records: number; promoted: number; redirected: number; dangling: number };
}

export async function forgetRecords(folder: string, store: StateStore, isGone: IsGone): Promise<ForgottenRecords> {
  await finishReplacing(folder, store);
  // The file that was open at a kill is as whole as its checkpoint.
  const warcs = await openWarcFolder(folder, store);
  await warcs.finish([]);
  const names = await warcs.files();
  const counts = { records: 0, promoted: 0, redirected: 0, dangling: 0 };
  const work: Work = { isGone, lost: new Map(), promoted: new Map(), counts };
  const { urls, holding } = await findLost(folder, names, work);
  const rewritten: string[] = [];
  for (const name of names) {
    if (!holding.has(name) && !(await hasLostPointer(folder, name, work))) continue;
    await rewrite(folder, name, work);
    rewritten.push(name);
  }
  const ops = await forgetCaptures(store, work, urls);
  const files = rewritten.flatMap((name) => [`${name}.warc.gz`, `${name}.cdxj`]);
  if (files.length > 0) await replaceFiles(folder, store, files, ops);
  else await store.write(ops, { sync: true });
  return { files: rewritten, ...counts };
}

/** Finds the URLs of removed records, and the files with these records. */
async function findLost(folder: string, names: readonly string[], work: Work) {
  const urls = new Set<string>();
  const holding = new Set<string>();
  for (const name of names) {
    const path = join(folder, `${name}.warc.gz`);
    for await (const { offset, record } of membersOf(path)) {
      const head = readHead(record);
      const { url, atMs, isGone } = aboutOf(head, work);
      if (!isGone) continue;
      urls.add(url);
      holding.add(name);
      const digest = fieldOf(head, 'WARC-Payload-Digest');
      if (fieldOf(head, 'WARC-Type') === 'response' && digest !== '' && !work.lost.has(digest)) {
        work.lost.set(digest, { url, atMs, path, offset });
      }
    }
  }
  return { urls, holding };
}

async function hasLostPointer(folder: string, name: string, work: Work): Promise<boolean> {
  if (work.lost.size === 0) return false;
  for await (const { record } of membersOf(join(folder, `${name}.warc.gz`))) {
    if (pointsToLost(readHead(record), work)) return true;
  }
  return false;
}

function aboutOf(head: RecordHead, { isGone }: Pick<Work, 'isGone'>) {
  const url = fieldOf(head, 'WARC-Target-URI');
  const atMs = timeOf(head, 'WARC-Date');
  return { url, atMs, isGone: url !== '' && isGone(url, atMs) };
}

/** Beside the file and its index, under separate names. */
async function rewrite(folder: string, name: string, work: Work): Promise<void> {
  const path = join(folder, `${name}.warc.gz`);
  const places = new Map<number, { readonly offset: number; readonly length: number; readonly mime?: string }>();
  let bytes = 0;
  const out = await open(`${path}${rewrittenSuffix}`, 'w');
  try {
    for await (const member of membersOf(path)) {
      const made = await remade(member, work);
      if (made === null) continue;
      const length = made.bytes.length;
      places.set(member.offset, { offset: bytes, length, ...(made.mime !== undefined && { mime: made.mime }) });
      await writeWhole(out, [made.bytes]);
      bytes += length;
    }
    await out.sync();
  } finally {
    await out.close();
  }
  const index = join(folder, `${name}.cdxj`);
  const lines = (await indexLines(folder, name)).flatMap((line) => movedLine(line, places)).sort();
  await writeSynced(`${index}${rewrittenSuffix}`, lines.map((line) => `${line}\n`).join(''));
}

interface Remade {
  readonly bytes: Buffer;
  /** New media type for its line of the index. */
  readonly mime?: string;
}

/** Null: the record is removed. The member's own bytes: it stays unchanged. */
async function remade(member: Member, work: Work): Promise<Remade | null> {
  const head = readHead(member.record);
  const { url, atMs, isGone } = aboutOf(head, work);
  const { counts, lost, promoted } = work;
  if (isGone) {
    counts.records += 1;
    return null;
  }
  if (fieldOf(head, 'WARC-Type') !== 'revisit' || !pointsToLost(head, work)) return member;
  const digest = fieldOf(head, 'WARC-Payload-Digest');
  const payload = lost.get(digest);
  const elsewhere = promoted.get(digest);
  if (elsewhere !== undefined) {
    counts.redirected += 1;
    const pointer = {
      'WARC-Refers-To-Target-URI': elsewhere.url,
      'WARC-Refers-To-Date': new Date(elsewhere.atMs).toISOString(),
    };
    return { bytes: gzipSync(recordWith(head, pointer, head.block)) };
  }
  const noPointer = { 'WARC-Refers-To-Target-URI': null, 'WARC-Refers-To-Date': null } as const;
  if (payload === undefined || !fieldOf(head, 'WARC-Profile').endsWith('identical-payload-digest')) {
    counts.dangling += 1;
    return { bytes: gzipSync(recordWith(head, noPointer, head.block)) };
  }
  counts.promoted += 1;
  promoted.set(digest, { url, atMs });
  const block = Buffer.concat([head.block, await payloadAt(payload)]);
  const changed = {
    ...noPointer,
    'WARC-Type': 'response',
    'WARC-Profile': null,
    'WARC-Block-Digest': digestOf(block),
    'Content-Length': `${block.length}`,
  };
  const headers = httpMessageOf(head.block)?.headers ?? [];
  const mime = headerOf(headers, 'content-type').split(';', 1)[0]!.trim().toLowerCase() || 'unk';
  return { bytes: gzipSync(recordWith(head, changed, block)), mime };
}

function pointsToLost(head: RecordHead, { isGone }: Work): boolean {
  const url = fieldOf(head, 'WARC-Refers-To-Target-URI');
  return url !== '' && isGone(url, timeOf(head, 'WARC-Refers-To-Date'));
}

/** A capture of an unknown time counts as older than every other. */
function timeOf(head: RecordHead, field: string): number {
  return Date.parse(fieldOf(head, field)) || 0;
}

async function payloadAt({ path, offset }: Payload): Promise<Buffer> {
  for await (const { record } of membersOf(path, offset)) {
    const { block } = readHead(record);
    return block.subarray(block.indexOf('\r\n\r\n') + 4);
  }
  throw new Error(`${path} has no record at ${offset}`);
}

function movedLine(
  line: string,
  places: ReadonlyMap<number, { readonly offset: number; readonly length: number; readonly mime?: string }>,
): string[] {
  const at = fieldsAt(line);
  if (at < 0) return [];
  const fields = JSON.parse(line.slice(at)) as Record<string, string>;
  const place = places.get(Number(fields['offset']));
  if (place === undefined) return [];
  const { offset, length, mime = fields['mime'] } = place;
  const moved = { ...fields, mime, length: `${length}`, offset: `${offset}` };
  return [`${line.slice(0, at)}${JSON.stringify(moved)}`];
}

/** Targets of later revisit records. */
async function forgetCaptures(store: StateStore, work: Work, urls: ReadonlySet<string>): Promise<StoreOp[]> {
  const ops: StoreOp[] = [];
  for (const range of captureRanges) {
    for await (const [key, value] of store.scan(range)) {
      const capture = JSON.parse(value.toString()) as FirstCapture & Partial<LastAnswer>;
      if (!work.isGone(capture.url, capture.atMs)) continue;
      const now = work.promoted.get(capture.digest ?? key.toString('utf8', 1));
      ops.push({ key, value: now === undefined ? null : Buffer.from(JSON.stringify({ ...capture, ...now })) });
    }
  }
  return [...ops, ...[...urls].map((url) => ({ key: answerKey(url), value: null }))];
}
