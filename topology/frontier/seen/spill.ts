/** Writes the sealed table as a sorted run, and its fingerprints into the filter, block by block. */

import type { Row, StoreJob } from '../storage/store-job.ts';
import { blockBytes, blockFingerprints, blockKey, type Run } from './runs.ts';
import type { SeenTest } from './seen-test.ts';

/** Blocks written at once: half a megabyte, a few milliseconds. */
const writeBlocks = 8;

export function* spill(seen: SeenTest): StoreJob {
  const { table } = seen.sealed!;
  const writer = new RunWriter(seen.nextId++);
  for (const block of table.blocks(blockFingerprints)) {
    for (let i = 0; i < block.length; i += 2) seen.filter!.add(block[i]!, block[i + 1]!);
    yield* writer.write(block);
  }
  seen.unseal(yield* writer.end());
}

/** Gathers the blocks of a run into writes. */
export class RunWriter {
  readonly #id: number;
  readonly #firsts: number[] = [];
  #rows: Row[] = [];
  #count = 0;

  constructor(id: number) {
    this.#id = id;
  }

  /** `block` belongs to the writer from now on. */
  *write(block: Uint32Array): StoreJob {
    this.#rows.push({ key: blockKey(this.#id, this.#firsts.length / 2), value: blockBytes(block) });
    this.#firsts.push(block[0]!, block[1]!);
    this.#count += block.length / 2;
    if (this.#rows.length >= writeBlocks) yield* this.#flush();
  }

  *end(): StoreJob<Run> {
    if (this.#rows.length > 0) yield* this.#flush();
    return { id: this.#id, count: this.#count, firsts: Uint32Array.from(this.#firsts) };
  }

  *#flush(): StoreJob {
    const rows = this.#rows;
    this.#rows = [];
    yield { write: rows };
  }
}
