/**
 * Sends outputs of crawls while they are made, only as fast as the client reads. If an output fails half-way, the
 * connection breaks, so that the client notices that the file is incomplete.
 */
import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../../runtime/disk/durable-names.ts';
import type { Output } from './output.ts';
import { outputLimits } from './output-limits.ts';

export interface OutputAnswer {
  readonly crawl: string;
  readonly response: ServerResponse;
  begin(): void;
  /** Counts what was sent. Resolves once the next chunk may be made. */
  sent(bytes: number): Promise<void>;
}

export class OutputSender {
  /**
   * Folder in which outputs sort rows. No output writes into the crawl's own folder, because the crawl may be deleted
   * meanwhile, and its name taken.
   */
  readonly folder: string;
  readonly #underWay = new Map<string, number>();
  #all = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Removes files in the folder that a kill has left. */
  static async open(folder: string): Promise<OutputSender> {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    await makeFolder(folder, 0o700);
    return new OutputSender(folder);
  }

  /** Returns the reason why there is no place for this owner; null: there is one. */
  takenFor(owner: string): string | null {
    const { ofOwnerMax, outputsMax } = outputLimits;
    if (this.#all >= outputsMax) return `${outputsMax} outputs are already being read`;
    return (this.#underWay.get(owner) ?? 0) >= ofOwnerMax ? `you are already reading ${ofOwnerMax} outputs` : null;
  }

  /** Takes a place, and releases it when `act` is over. */
  async place<T>(owner: string, act: () => Promise<T>): Promise<T> {
    this.#count(owner, 1);
    try {
      return await act();
    } finally {
      this.#count(owner, -1);
    }
  }

  /** Sends an output. Rejects if its first chunk fails, before `begin`. A later failure breaks the connection. */
  async send(
    output: Output,
    bytes: AsyncIterable<Uint8Array>,
    { crawl, response, begin, sent }: OutputAnswer,
    request: IncomingMessage,
  ): Promise<void> {
    const chunks = bytes[Symbol.asyncIterator]();
    const first = await chunks.next();
    begin();
    response.writeHead(200, {
      'content-type': output.type,
      'content-disposition': `attachment; filename="${crawl}-${output.file}"`,
      'cache-control': 'no-store',
    });
    request.socket.setTimeout(outputLimits.stalledMs, () => response.destroy());
    try {
      await pipeline(rest(first, chunks, sent), response);
    } catch {
      response.destroy();
    } finally {
      await chunks.return?.();
      request.socket.setTimeout(0);
    }
  }

  #count(owner: string, by: number): void {
    this.#all += by;
    const left = (this.#underWay.get(owner) ?? 0) + by;
    if (left === 0) this.#underWay.delete(owner);
    else this.#underWay.set(owner, left);
  }
}

async function* rest(
  first: IteratorResult<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
  sent: OutputAnswer['sent'],
): AsyncGenerator<Uint8Array> {
  for (let one = first; one.done !== true; one = await chunks.next()) {
    yield one.value;
    await sent(one.value.length);
  }
}
