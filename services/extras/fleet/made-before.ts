/**
 * Idempotency keys: a call that is repeated with its key creates no second crawl. The key of a deleted crawl is kept for
 * a day, which is longer than clients retry.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isFields } from '../../../topology/policy/is-fields.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CrawlFile } from './crawl-file.ts';
import type { Documents } from './documents/documents.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';

const key = 'deleted-keys.json';
const fileSchema = z.object({
  format: z.literal(1),
  keys: z.array(z.object({ owner: z.string(), key: z.string(), crawl: z.string(), atMs: z.number() })),
});
type Deleted = z.output<typeof fileSchema>['keys'][number];

/** Returns the hash of a call. The order of its fields does not matter. */
export function requestHashOf(call: unknown): string {
  return hashOf(JSON.stringify(call, (_, value: unknown) => (isFields(value) ? sorted(value) : value)));
}

/** `kept`: the stored hash of a crawl. Earlier releases hashed the fields in the order of the call. */
export function isSameCall(kept: string, call: unknown): boolean {
  return kept === requestHashOf(call) || kept === hashOf(JSON.stringify(call));
}

/** Keys of deleted crawls. */
export class DeletedKeys {
  readonly #documents: Documents;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #keys: readonly Deleted[] | undefined;

  constructor(documents: Documents, clock: Pick<Clock, 'nowMs'>) {
    this.#documents = documents;
    this.#clock = clock;
  }

  /** Call before the other methods. An unreadable document counts as empty: its keys matter for only a day. */
  async open(): Promise<void> {
    const text = await this.#documents.get(key);
    try {
      this.#keys = text === undefined ? [] : fileSchema.parse(JSON.parse(text)).keys;
    } catch {
      this.#keys = [];
    }
  }

  /** Throws GONE if the crawl that was created with the key has been deleted since. */
  refuse({ owner, idempotencyKey }: Pick<CrawlFile, 'owner' | 'idempotencyKey'>): void {
    if (idempotencyKey === '') return;
    const deleted = this.#young().find((one) => one.owner === owner && one.key === idempotencyKey);
    if (deleted === undefined) return;
    const message = `idempotencyKey: it was used for crawl ${deleted.crawl}, which is deleted; send another key to create a crawl`;
    throw Object.assign(new Error(message), { statusCode: 410, code: 'GONE' });
  }

  /** Durable once it resolves. */
  async note({ owner, idempotencyKey, name }: Pick<CrawlFile, 'owner' | 'idempotencyKey' | 'name'>): Promise<void> {
    if (idempotencyKey === '') return;
    const noted = { owner, key: idempotencyKey, crawl: name, atMs: this.#clock.nowMs() };
    const others = this.#young().filter((one) => one.owner !== owner || one.key !== idempotencyKey);
    this.#keys = [...others, noted].slice(-fleetServiceLimits.deletedKeysMax);
    await this.#documents.put(key, JSON.stringify({ format: 1, keys: this.#keys }));
  }

  #young(): readonly Deleted[] {
    const sinceMs = this.#clock.nowMs() - fleetServiceLimits.deletedKeysMs;
    return (this.#keys ?? []).filter(({ atMs }) => atMs > sinceMs);
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sorted(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}
