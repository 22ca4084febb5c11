/**
 * The body for an archive: as received, in its content coding, however much of it is read otherwise.
 *
 * It stays in memory up to the size of a message, and continues in a file, so that a long body takes no memory. Without
 * a folder for files, it is cut there.
 */
import type { BodyBuffer } from '../../runtime/body-buffer.ts';
import type { BodyFile, BodyFiles, FiledBody } from './body-files.ts';
import type { RequestFailure } from './request-failure.ts';

/** Bytes for archives. */
export interface BodyArchive {
  /** `all`: bodies of all responses. `pages`: only of those that are read. */
  readonly what: 'all' | 'pages';
  readonly bodyBytesMax: number;
  /** Most bytes of a body in a message. */
  readonly messageBytesMax: number;
  /** Absent: longer bodies are cut. */
  readonly files?: BodyFiles | undefined;
}

/** Reason for a cut body, in the words of WARC. */
export type Truncation = '' | 'length' | 'time' | 'disconnect' | 'unspecified';

export interface KeptBody {
  /** Empty if the body is in a file. */
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
   * `memory` takes `memoryMax` bytes. Its owner fills it with the bytes that it reads itself; if it reads none, `hold`
   * does.
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

  /** Most bytes that are kept. */
  get bytesMax(): number {
    const { bodyBytesMax, files } = this.#archive;
    return files === undefined ? Math.min(bodyBytesMax, this.#memoryMax) : bodyBytesMax;
  }

  /** Returns the reason to wait, or `on` to continue. */
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
