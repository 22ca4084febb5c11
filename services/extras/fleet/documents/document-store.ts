/**
 * A small store that keeps its rows as documents. It is used for the fleet's data about hosts: in a folder they have a
 * separate store, on Kafka they are among the documents.
 */
import type { StateStore } from '../../../runtime/store/store.ts';
import type { Documents } from './documents.ts';

export function documentStore(documents: Documents, prefix: string): Pick<StateStore, 'scan' | 'write'> {
  const keyOf = (key: Uint8Array) => `${prefix}${Buffer.from(key).toString()}`;
  return {
    async *scan({ gte, lt }) {
      for (const key of await documents.keys(prefix)) {
        const row = Buffer.from(key.slice(prefix.length));
        const text = await documents.get(key);
        if (text !== undefined && row.compare(gte) >= 0 && row.compare(lt) < 0)
          yield [row, Buffer.from(text, 'base64')];
      }
    },
    async write(ops) {
      await Promise.all(
        ops.map(({ key, value }) =>
          value === null
            ? documents.delete(keyOf(key))
            : documents.put(keyOf(key), Buffer.from(value).toString('base64')),
        ),
      );
    },
  };
}
