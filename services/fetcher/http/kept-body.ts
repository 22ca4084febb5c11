/**
 * A body as an archive is to have it: as it comes, in its content coding, however much of it is read here.
 *
 * It stays in memory as far as a message carries it, and goes on into a file beyond that, so that its length takes no
 * memory. Where there is no place for files, it ends there.
 */
import type { BodyBuffer } from '../../runtime/body-buffer.ts';
import type { BodyFile, BodyFiles, FiledBody } from './body-files.ts';
import type { RequestFailure } from './request-failure.ts';

/** Bytes for archives. */
export interface BodyArchive {
  /** Bodies of all answers, or of those alone that are read here. */
  readonly what: 'all' | 'pages';
  readonly bodyBytesMax: number;
  /** Of a body in a message. */
  readonly messageBytesMax: number;
  /** Absent: there is no place for longer ones. */
  readonly files?: BodyFiles | undefined;
}

/** Why a body ends before its end, in the words of WARC. */
export type Truncation = '' | 'length' | 'time' | 'disconnect' | 'unspecified';

export interface KeptBody {
  /** Empty where it is in a file. */
  readonly bytes: Buffer;
  readonly file: FiledBody | null;
  readonly length: number;
  readonly truncatedBy: Truncation;
}

export class BodyKeeper {
  readonly #archive: BodyArchive;
  readonly #memory: BodyBuffer;
  readonly #memoryMax: number;
  readonly #hold: ((chunk: Buffer) => boolean) | null;
  readonly #onDrain: () => void;
  #file: BodyFile | undefined;
  #length = 0;
  #isCut = false;

  /**
   * `memory` takes `memoryMax` bytes: filled by its owner with what it reads itself, or, where it reads nothing, by
   * `hold`.
   */
  constructor(
    archive: BodyArchive,
    memory: BodyBuffer,
    memoryMax: number,
    hold: ((chunk: Buffer) => boolean) | null,
    onDrain: () => void,
  ) {
    this.#archive = archive;
    this.#memory = memory;
    this.#memoryMax = memoryMax;
    this.#hold = hold;
    this.#onDrain = onDrain;
  }

  /** What it takes at most. */
  get bytesMax(): number {
    const { bodyBytesMax, files } = this.#archive;
    return files === undefined ? Math.min(bodyBytesMax, this.#memoryMax) : bodyBytesMax;
  }

  /** Says what it waits for, if not `on`. */
  add(chunk: Buffer): 'on' | 'memory' | 'file' {
    const { files } = this.#archive;
    const isFull = this.#length + chunk.length > this.#memoryMax;
    const room = this.bytesMax - this.#length;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (kept.length < chunk.length) this.#isCut = true;
    if (isFull && files !== undefined && this.#file === undefined && kept.length > 0) {
      this.#file = files.open(this.#onDrain);
      this.#file.write(this.#memory.whole().subarray(0, this.#length));
    }
    this.#length += kept.length;
    if (kept.length === 0) return 'on';
    if (this.#file !== undefined) return this.#file.write(kept) ? 'on' : 'file';
    return this.#hold === null || this.#hold(kept) ? 'on' : 'memory';
  }

  /** Undefined: we gave up ourselves, and it is as if nothing had been asked. */
  finish(failure: RequestFailure | null): KeptBody | undefined | Promise<KeptBody | undefined> {
    if (failure?.kind === 'aborted') {
      this.#file?.discard();
      return undefined;
    }
    const truncatedBy = this.#isCut ? 'length' : truncationBy(failure);
    const inMemory = Math.min(this.#length, this.#memoryMax);
    const bytes = this.#memory.whole().subarray(0, inMemory);
    if (this.#file === undefined) return { bytes, file: null, length: this.#length, truncatedBy };
    const length = this.#length;
    return this.#file.finish().then((file) =>
      file === null
        ? // What came before the file was begun is all there is.
          { bytes: Buffer.alloc(0), file: null, length: 0, truncatedBy: 'unspecified' as const }
        : { bytes: Buffer.alloc(0), file, length, truncatedBy },
    );
  }
}

function truncationBy(failure: RequestFailure | null): Truncation {
  if (failure === null) return '';
  return failure.kind === 'timeout' ? 'time' : 'disconnect';
}
