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
import { capturedAtMs, type Met, recordsOfResponse } from './response-records.ts';
import { readSights, type Sights } from './sights.ts';
import { openWarcFolder } from './warc-folder.ts';
import { digestOf, recordId, type WarcRecord, warcBytes } from './warc-record.ts';
import { type WarcinfoOptions, warcinfo } from './warcinfo.ts';

export interface ArchiverOptions extends WarcinfoOptions {
  readonly folder: string;
  /** The caller closes it, after the archiver. */
  readonly store: StateStore;
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
    await write(warcinfo(name, value, options));
  };

  const archive = async (received: Received<'responses'>, digest: string, sights: Sights): Promise<StoreOp[]> => {
    if (folder.file === null) await begin(received);
    const { value, record, partition, offset } = received;
    const identity = `${record.topic} ${partition} ${offset} ${value.fetchedAtMs} ${value.url}`;
    const file = folder.file!;
    const warcinfoId = recordId(`${file.slice(0, -'.warc.gz'.length)} warcinfo`);
    const met = metBefore(sights, value, digest);
    const { request, answer, metadata } = recordsOfResponse(value, identity, warcinfoId, met?.digest ?? digest, met);
    await write(request);
    const place = await write(answer);
    await write(metadata);
    const mime = met === undefined ? mediaType(value) : 'warc/revisit';
    folder.index(cdxjLine(value, met?.digest ?? digest, mime, { file, ...place }));
    return sights.learn(value, digest, met, capturedAtMs(value));
  };

  return {
    async handle(batch, { positions }) {
      const digests = batch.map(({ value }) => digestOf(value.body));
      const sights = await readSights(store, batch, digests);
      const reached = new Map<number, StoreOp>();
      let ops: StoreOp[] = [];
      for (const [i, received] of batch.entries()) {
        if (mayArchive(received.value)) ops.push(...(await archive(received, digests[i]!, sights)));
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

function metBefore(sights: Sights, response: Response, digest: string): Met | undefined {
  const unchanged = sights.unchanged(response);
  if (unchanged !== undefined) return { ...unchanged, profile: 'server-not-modified' };
  const first = sights.payloadOf(response, digest);
  return first && { ...first, digest, profile: 'identical-payload-digest' };
}

function mediaType({ headers }: Response): string {
  const at = headers.findIndex((name, i) => i % 2 === 0 && name === 'content-type');
  return (at < 0 ? '' : headers[at + 1]!.split(';', 1)[0]!.trim().toLowerCase()) || 'unk';
}
