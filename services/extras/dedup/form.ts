/**
 * The form of a dedup's store: how near pages are found in it. Without a wish, a store keeps its method, and a new one
 * gets MinHash. A store of another method than wished is refused, since an operator has to make that change. A store of the same method in the previous form is converted (its `pages` may be trimmed by
 * now); one in an older form is emptied, and rebuilt from `pages`.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { bringOver } from './bring-over.ts';
import type { NearMethod } from './likeness.ts';
import { formKey } from './rows.ts';

/** Version of the rows. 2: the evidence of near-duplicate.ts. 3: pages by claim, and by domain. */
const version = 3;
const rowsAtOnce = 1_000;

/** For new stores: it finds copies with a tenth of the words edited, and SimHash nearly none. */
const methodDefault: NearMethod = 'minhash';

/** Returns the store's method. Throws DATA_FOLDER_FOREIGN if it was created with another one than `wished`. */
export async function openFormOf(store: StateStore, wished: NearMethod | undefined): Promise<NearMethod> {
  const found = (await store.get(formKey))?.toString();
  const before = found?.split(':')[0];
  const method = wished ?? (before === 'simhash' ? 'simhash' : methodDefault);
  const wanted = `${method}:${version}`;
  if (found === wanted) return method;
  if (before !== undefined && before !== method) {
    const remedy = `use ${before} again, or delete the folder dedup/ to rebuild it with ${method}`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', `this folder was created with method ${before}: ${remedy}`);
  }
  // The form is written last, so that an interrupted conversion is done again.
  if (found === `${method}:2`) await bringOver(store);
  else if (found !== undefined) await empty(store);
  await store.write([{ key: formKey, value: Buffer.from(wanted) }]);
  return method;
}

/** Positions go too, so that reading starts over. */
async function empty(store: StateStore): Promise<void> {
  for (;;) {
    const ops: StoreOp[] = [];
    for await (const [key] of store.scan({ gte: Buffer.from([0]), lt: Buffer.from([0xff]), limit: rowsAtOnce })) {
      if (!key.equals(formKey)) ops.push({ key, value: null });
    }
    if (ops.length === 0) return;
    await store.write(ops);
  }
}
