/**
 * A store over a base store that is never written: writes are kept in memory above it.
 *
 * It serves work on a state that another process owns. The base must not change; a store that is open read-only does
 * not.
 */
import { createMemoryStore } from './memory-store.ts';
import type { ScanRange, StateStore } from './store.ts';
import { storeClosed } from './store-errors.ts';

/** First byte of a value in memory: the row exists, or it hides a row of the base. */
const [isThere, isGone] = [1, 0];

/** Closing it leaves the base open. */
export function createOverlayStore(base: Pick<StateStore, 'getMany' | 'scan'>): StateStore {
  const above = createMemoryStore();
  let isOpen = true;

  const getMany = async (keys: readonly Uint8Array[]) => {
    const found = await above.getMany(keys);
    const missing = keys.filter((_, i) => found[i] === undefined);
    const below = missing.length === 0 ? [] : await base.getMany(missing);
    let next = 0;
    return found.map((value) => {
      if (value === undefined) return below[next++];
      return value[0] === isThere ? value.subarray(1) : undefined;
    });
  };

  async function* scan(range: ScanRange): AsyncGenerator<readonly [Buffer, Buffer]> {
    if (!isOpen) throw storeClosed();
    const { limit = Number.POSITIVE_INFINITY, ...all } = range;
    const sides = [above.scan(all), base.scan(all)].map((side) => side[Symbol.asyncIterator]());
    const order = range.reverse ? -1 : 1;
    let given = 0;
    try {
      let [high, low] = await Promise.all(sides.map((side) => side.next()));
      while (given < limit && !(high!.done && low!.done)) {
        const compared = high!.done ? 1 : low!.done ? -1 : order * Buffer.compare(high!.value[0], low!.value[0]);
        const row = compared <= 0 ? rowAbove(high!.value) : (low!.value as readonly [Buffer, Buffer]);
        if (compared <= 0) high = await sides[0]!.next();
        if (compared >= 0) low = await sides[1]!.next();
        if (row === undefined) continue;
        given += 1;
        yield row;
        if (!isOpen) throw storeClosed();
      }
    } finally {
      for (const side of sides) await side.return?.(undefined);
    }
  }

  return {
    get: async (key) => (await getMany([key]))[0],
    getMany,
    scan,
    write: (ops) =>
      above.write(
        ops.map(({ key, value }) => ({
          key,
          value: value === null ? Buffer.from([isGone]) : Buffer.concat([Buffer.from([isThere]), value]),
        })),
      ),
    close: async () => {
      isOpen = false;
      await above.close();
    },
  };
}

function rowAbove([key, value]: readonly [Buffer, Buffer]): readonly [Buffer, Buffer] | undefined {
  return value[0] === isThere ? [key, value.subarray(1)] : undefined;
}
