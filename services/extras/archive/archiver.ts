/**
 * The archive: a consumer of `responses` that writes WARC files.
 *
 * Its output and its positions are one checkpoint (warc-folder.ts), so a killed archiver continues without a trace:
 * the same responses in the same order give the same files, to the byte.
 */
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Response } from '../../../schemas/types.ts';
import type { BatchContext } from '../../runtime/consumer/consumer.ts';
import { positionRow, storePositions } from '../../runtime/consumer/group-folder.ts';
import type { Positions } from '../../runtime/consumer/positions.ts';
import type { Received } from '../../runtime/consumer/received.ts';
import { Purges } from '../../runtime/crawl/purges.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { archiveLimits } from './archive-limits.ts';
import { type Captures, readCaptures } from './captures.ts';
import { cdxjLine, cdxTime } from './cdxj.ts';
import { isPacked } from './detected-type.ts';
import { gzipMember } from './gzip-member.ts';
import { headerOf } from './http-message.ts';
import {
  capturedAtMs,
  isRendered,
  type Met,
  mayArchive,
  payloadDigest,
  recordsOfResponse,
  renderedRecord,
} from './response-records.ts';
import { openSharedBodies } from './shared-bodies.ts';
import { openWarcFolder } from './warc-folder.ts';
import { recordId, type WarcRecord, warcChunks } from './warc-record.ts';
import { type WarcinfoOptions, warcinfo } from './warcinfo.ts';

export interface ArchiverOptions extends WarcinfoOptions {
  readonly folder: string;
  /** Folder that fetchers share with it, for bodies too large for a message. */
  readonly bodies: string;
  /** The caller closes it, after the archiver. */
  readonly store: StateStore;
  /** Purges so far; new ones are added to it. Absent: there are none. */
  readonly purges?: Purges;
  /** Age after which a body that no record names counts as orphaned, ms. */
  readonly orphanMs: number;
  /** Length from which a file is closed, bytes. */
  readonly fileBytesMax: number;
  /** Called with each complete file. */
  readonly onFile?: (name: string) => void;
}

export interface Archiver {
  handle(
    batch: readonly Received<'responses' | 'control'>[],
    context: Pick<BatchContext, 'positions' | 'signal'>,
  ): Promise<void>;
  readonly positions: Positions;
  /** Closes the open file, so that it can be used. What follows goes into another. */
  finish(): Promise<void>;
  /** Whole files by name, without ending. */
  files(): Promise<string[]>;
}

type WarcFolder = Awaited<ReturnType<typeof openWarcFolder>>;
type SharedBodies = Awaited<ReturnType<typeof openSharedBodies>>;

export async function openArchiver(options: ArchiverOptions): Promise<Archiver> {
  const { store } = options;
  const folder = await openWarcFolder(options.folder, store);
  const bodies = await openSharedBodies(options.bodies, store);
  return new WarcArchiver(options, folder, bodies);
}

/** Its public acts are fields, since callers hand out single ones. */
class WarcArchiver implements Archiver {
  readonly #options: ArchiverOptions;
  readonly #purges: Purges;
  readonly positions: Archiver['positions'];
  readonly #folder: WarcFolder;
  readonly #bodies: SharedBodies;

  constructor(options: ArchiverOptions, folder: WarcFolder, bodies: SharedBodies) {
    this.#options = options;
    this.#purges = options.purges ?? new Purges();
    this.#folder = folder;
    this.#bodies = bodies;
    this.positions = storePositions(options.store);
  }

  #isPurged({ url, fetchedAtMs }: Response) {
    return this.#purges.refuses(url, fetchedAtMs);
  }

  async #finish(ops: readonly StoreOp[]) {
    const { file } = this.#folder;
    await this.#folder.finish(ops);
    if (file !== null) this.#options.onFile?.(file);
  }

  async #write(record: WarcRecord): Promise<{ readonly offset: number; readonly length: number }> {
    const offset = this.#folder.bytes;
    if (record.rest !== undefined) {
      const length = await this.#folder.appendAll(compressed(record, record.rest.path));
      return { offset, length };
    }
    const member = await gzipMember(record);
    this.#folder.append(member);
    return { offset, length: member.length };
  }

  /** A file is named by its first response, which no other archiver has. */
  async #begin({ partition, offset, value }: Received<'responses'>) {
    const name = `${this.#options.crawl}-${cdxTime(value.fetchedAtMs)}-${partition}-${offset}`;
    this.#folder.begin(name);
    await this.#write(warcinfo(name, value, this.#options));
  }

  async #archive(received: Received<'responses'>, digest: string, captures: Captures): Promise<StoreOp[]> {
    if (this.#folder.file === null) await this.#begin(received);
    const { value, record, partition, offset } = received;
    const identity = `${record.topic} ${partition} ${offset} ${value.fetchedAtMs} ${value.url}`;
    const file = this.#folder.file!;
    const warcinfoId = recordId(`${file.slice(0, -'.warc.gz'.length)} warcinfo`);
    if (isRendered(value)) {
      await this.#write(renderedRecord(value, identity, warcinfoId, await this.#bodies.pathOf(value)));
      return [];
    }
    const met = metBefore(captures, value, digest);
    const path = met === undefined ? await this.#bodies.pathOf(value) : null;
    const payload = met?.digest ?? digest;
    const { request, answer, metadata } = recordsOfResponse(value, identity, warcinfoId, payload, met, path);
    if (request !== undefined) await this.#write(request);
    const place = answer && (await this.#write(answer));
    await this.#write(metadata);
    if (place === undefined) return [];
    const mime = met === undefined ? mediaType(value) : 'warc/revisit';
    this.#folder.index(cdxjLine(value, payload, mime, { file, ...place }));
    if (value.bodyFile !== '' && path === null) return [];
    return captures.learn(value, digest, met, capturedAtMs(value));
  }

  readonly handle: Archiver['handle'] = async (received, { positions }) => {
    for (const one of received) if (one.topic === 'control') this.#purges.take(one.value);
    const batch = received.filter((one) => one.topic === 'responses');
    const digests = batch.map(({ value }) => payloadDigest(value));
    const captures = await readCaptures(this.#options.store, batch, digests);
    const reached = new Map<number, StoreOp>();
    let ops: StoreOp[] = [];
    for (const [i, received] of batch.entries()) {
      if (mayArchive(received.value) && !this.#isPurged(received.value))
        ops.push(...(await this.#archive(received, digests[i]!, captures)));
      ops.push(...this.#bodies.spend(received.value));
      const { topic, partition, offset } = received.record;
      reached.set(partition, positionRow({ topic, partition, offset: offset + 1 }));
      if (this.#folder.bytes < this.#options.fileBytesMax) continue;
      await this.#finish([...ops, ...reached.values()]);
      ops = [];
    }
    await this.#folder.checkpoint([...ops, ...positions.map(positionRow)]);
    await this.#bodies.removeSpent();
  };

  readonly finish: Archiver['finish'] = async () => {
    await this.#finish([]);
    await this.#bodies.sweep(Date.now() - this.#options.orphanMs);
  };

  readonly files: Archiver['files'] = () => this.#folder.files();
}

function metBefore(captures: Captures, response: Response, digest: string): Met | undefined {
  const unchanged = captures.unchanged(response);
  if (unchanged !== undefined) return { ...unchanged, profile: 'server-not-modified' };
  const first = captures.payloadOf(response, digest);
  return first && { ...first, digest, profile: 'identical-payload-digest' };
}

async function* compressed(record: WarcRecord, path: string): AsyncGenerator<Buffer> {
  const level = (await isPackedFile(path)) ? constants.Z_NO_COMPRESSION : constants.Z_DEFAULT_COMPRESSION;
  const zipped = createGzip({ level });
  const done = pipeline(warcChunks(record), zipped);
  done.catch(() => {});
  for await (const chunk of zipped) yield chunk as Buffer;
  await done;
}

async function isPackedFile(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(archiveLimits.signatureBytes) });
    return isPacked(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function mediaType({ headers }: Response): string {
  return headerOf(headers, 'content-type').split(';', 1)[0]!.trim().toLowerCase() || 'unk';
}
