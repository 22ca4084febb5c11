/**
 * A partition's cash (policy/score/opic.ts): the cash of each URL, and the scale of amounts. It is part of the state:
 * only the change `cash` moves it. In the checkpoint it has separate rows, all of one position.
 */
import { frontQueueCount } from '../../url/front-queue.ts';
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { CashScale } from './cash-scale.ts';
import { CashSketch } from './cash-sketch.ts';

/** `c`, then the block's number; the scale has none. */
const keyByte = 0x63;

export class Cash {
  readonly #sketch = new CashSketch();
  readonly #scale = new CashScale();
  #unsaved = false;

  heldBy(hi: number, lo: number): number {
    return this.#sketch.heldBy(hi, lo);
  }

  /** The front queue of a URL with this much cash; `otherwise` if the crawl is too young. */
  frontQueueOf(amount: number, otherwise: number): number {
    return this.#scale.frontQueueOf(amount, otherwise);
  }

  /** The rank of an amount among the others, from 0 to 1; null if the crawl is too young. */
  shareOf(amount: number): number | null {
    const frontQueue = this.#scale.frontQueueOf(amount, frontQueueCount);
    return frontQueue === frontQueueCount ? null : 1 - frontQueue / (frontQueueCount - 1);
  }

  /** Adds `amount` to each URL of `fingerprints` (pairs of words); a negative amount spends. */
  move(amount: number, isNew: boolean, fingerprints: readonly number[]): void {
    for (let at = 0; at + 1 < fingerprints.length; at += 2)
      this.#sketch.add(fingerprints[at]!, fingerprints[at + 1]!, amount);
    if (isNew) this.#scale.note(amount, fingerprints.length >> 1);
    this.#unsaved = true;
  }

  /** For the digest. */
  get rows(): readonly number[] {
    return [this.#sketch.checksum(), ...this.#scale.save()];
  }

  /** Rows of the checkpoint that changed since the last call, in the order of their keys. */
  takeRows(): { readonly key: Buffer; readonly value: Buffer }[] {
    if (!this.#unsaved) return [];
    this.#unsaved = false;
    const writer = new ByteWriter(256);
    for (const number of this.#scale.save()) writer.uint(number);
    const blocks = this.#sketch.takeBlocks().map(({ block, value }) => ({
      key: Buffer.from([keyByte, block >> 8, block & 0xff]),
      value,
    }));
    return [{ key: Buffer.from([keyByte]), value: writer.take() }, ...blocks];
  }

  load(key: Buffer, value: Buffer): void {
    if (key.length > 1) {
      this.#sketch.load(key.readUInt16BE(1), value);
      return;
    }
    const reader = new ByteReader(value);
    const saved: number[] = [];
    while (!reader.done) saved.push(reader.uint());
    this.#scale.load(saved);
  }
}
