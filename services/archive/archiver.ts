/**
 * The archive: a consumer of `responses` that writes WARC files.
 *
 * What it has written and how far it has read are one checkpoint (warc-folder.ts), so a killed archiver goes on as if
 * nothing had happened: the same responses in the same order give the same files, to the byte.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Response } from '../../schemas/types.ts';
import type { BatchContext } from '../runtime/consumer/consumer.ts';
import { positionRow, storePositions } from '../runtime/consumer/group-folder.ts';
import type { Positions } from '../runtime/consumer/positions.ts';
import type { Received } from '../runtime/consumer/received.ts';
import type { StateStore, StoreOp } from '../runtime/store/store.ts';
import { cdxjLine, cdxTime } from './cdxj.ts';
import { type FirstSight, recordsOfResponse } from './response-records.ts';
import { openWarcFolder } from './warc-folder.ts';
import { digestOf, recordId, type WarcRecord, warcBytes } from './warc-record.ts';

export interface ArchiverOptions {
  readonly folder: string;
  /** The caller closes it, after the archiver. */
  readonly store: StateStore;
  readonly crawl: string;
  /** Release of the product. */
  readonly version: string;
  /** A file is closed once it is this long. */
  readonly fileBytesMax: number;
  /** Called with each file that is whole. */
  readonly onFile?: (name: string) => void;
}

export interface Archiver {
  handle(batch: readonly Received<'responses'>[], context: BatchContext): Promise<void>;
  readonly positions: Positions;
  /** Closes the open file, so that it can be used. What follows goes into another. */
  finish(): Promise<void>;
  /** Whole files by name, without ending. */
  files(): Promise<string[]>;
}

const compress = promisify(gzip);

export async function openArchiver(options: ArchiverOptions): Promise<Archiver> {
  const { store, crawl } = options;
  const folder = await openWarcFolder(options.folder, store);

  const finish = async (ops: readonly StoreOp[]) => {
    const { file } = folder;
    await folder.finish(ops);
    if (file !== null) options.onFile?.(file);
  };

  const write = async (record: WarcRecord): Promise<{ readonly offset: number; readonly length: number }> => {
    const offset = folder.bytes;
    const member = await compress(warcBytes(record));
    folder.append(member);
    return { offset, length: member.length };
  };

  /** A file is named by its first response, which no other archiver has. */
  const begin = async ({ partition, offset, value }: Received<'responses'>) => {
    const name = `${crawl}-${cdxTime(value.fetchedAtMs)}-${partition}-${offset}`;
    folder.begin(name);
    await write(warcinfo(name, value.fetchedAtMs, options));
  };

  const archive = async (received: Received<'responses'>, digest: string, known: Sights): Promise<StoreOp[]> => {
    if (folder.file === null) await begin(received);
    const { value, record, partition, offset } = received;
    const shared = isWorthSharing(value);
    const first = shared ? known.get(digest) : undefined;
    const identity = `${record.topic} ${partition} ${offset} ${value.fetchedAtMs} ${value.url}`;
    const file = folder.file!;
    const warcinfoId = recordId(`${file.slice(0, -'.warc.gz'.length)} warcinfo`);
    const { records, isRevisit } = recordsOfResponse(value, identity, warcinfoId, digest, first);
    const [request, answer, metadata] = records;
    await write(request);
    const place = await write(answer);
    await write(metadata);
    folder.index(cdxjLine(value, digest, isRevisit ? 'warc/revisit' : mediaType(value), { file, ...place }));
    if (first !== undefined || !shared) return [];
    const sight: FirstSight = { url: value.url, atMs: value.fetchedAtMs };
    known.set(digest, sight);
    return [{ key: sightKey(digest), value: Buffer.from(JSON.stringify(sight)) }];
  };

  return {
    async handle(batch, { positions }) {
      const digests = batch.map(({ value }) => digestOf(value.body));
      const known = await sightsOf(store, digests);
      const reached = new Map<number, StoreOp>();
      let ops: StoreOp[] = [];
      for (const [i, received] of batch.entries()) {
        if (mayArchive(received.value)) ops.push(...(await archive(received, digests[i]!, known)));
        const { topic, partition, offset } = received.record;
        reached.set(partition, positionRow({ topic, partition, offset: offset + 1 }));
        if (folder.bytes < options.fileBytesMax) continue;
        await finish([...ops, ...reached.values()]);
        ops = [];
      }
      await folder.checkpoint([...ops, ...positions.map(positionRow)]);
    },
    positions: storePositions(store),
    finish: () => finish([]),
    files: () => folder.files(),
  };
}

/** By the time of its fetch, so that the same responses give the same files whenever they are read. */
function mayArchive({ noArchiveFromMs, fetchedAtMs }: Response): boolean {
  return noArchiveFromMs < 0 || noArchiveFromMs > fetchedAtMs;
}

type Sights = Map<string, FirstSight>;

async function sightsOf(store: StateStore, digests: readonly string[]): Promise<Sights> {
  const wanted = [...new Set(digests)];
  const values = await store.getMany(wanted.map(sightKey));
  const sights: Sights = new Map();
  for (const [i, value] of values.entries()) {
    if (value !== undefined) sights.set(wanted[i]!, JSON.parse(value.toString()) as FirstSight);
  }
  return sights;
}

/**
 * There is no revisit where the pointer would be longer than the payload, or where the body was cut, since it may not
 * be the same.
 */
function isWorthSharing({ body, truncated }: Response): boolean {
  return body.length > 256 && !truncated;
}

function sightKey(digest: string): Buffer {
  return Buffer.from(`G${digest}`);
}

function warcinfo(name: string, atMs: number, { crawl, version }: ArchiverOptions): WarcRecord {
  const fields = {
    software: `crawlstream/${version}`,
    format: 'WARC File Format 1.1',
    conformsTo: 'https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    isPartOf: crawl,
    robots: 'obey',
  };
  return {
    type: 'warcinfo',
    identity: `${name} warcinfo`,
    atMs,
    contentType: 'application/warc-fields',
    fields: [['WARC-Filename', `${name}.warc.gz`]],
    block: Buffer.from(
      Object.entries(fields)
        .map(([field, value]) => `${field}: ${value}\r\n`)
        .join(''),
    ),
  };
}

function mediaType({ headers }: Response): string {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name === 'content-type');
  return (at < 0 ? '' : headers[at + 1]!.split(';', 1)[0]!.trim().toLowerCase()) || 'unk';
}
