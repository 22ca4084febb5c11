/**
 * Lists of tags (url/tags.ts) of this partition's URLs, by number: entries of queues hold only the number. Numbers
 * are assigned in the order of the changelog, from 1 on; 0 means none.
 */
import { tagLimits } from '../../url/tag-limits.ts';
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { listOf, text } from '../storage/fields.ts';

const lists = listOf(listOf(text));

export class TagSets {
  /** By number, minus one. */
  readonly #sets: (readonly string[])[] = [];
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#sets.length;
  }

  get isFull(): boolean {
    return this.size >= tagLimits.setsMax;
  }

  /** In the order of their numbers. */
  get all(): readonly (readonly string[])[] {
    return this.#sets;
  }

  /** For the next list. */
  get nextNumber(): number {
    return this.size + 1;
  }

  /** A reader of a trimmed changelog lacks earlier lists. */
  add(number: number, tags: readonly string[]): void {
    this.#sets[number - 1] = tags;
    this.#numbers.set(tags.join(), number);
  }

  /** 0: the partition does not know the list. `tags` as `tagsOf` gives them. */
  numberOf(tags: readonly string[]): number {
    return tags.length === 0 ? 0 : (this.#numbers.get(tags.join()) ?? 0);
  }

  tagsOf(number: number | undefined): readonly string[] {
    return number === undefined ? none : (this.#sets[number - 1] ?? none);
  }

  save(writer: ByteWriter): void {
    lists.write(writer, this.#sets);
  }

  load(reader: ByteReader): void {
    for (const tags of lists.read(reader)) this.add(this.nextNumber, tags);
  }
}

const none: readonly string[] = [];
