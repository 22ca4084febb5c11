/**
 * The form of a dedup's store: how near pages are found in it. A store of another method is refused, since an operator
 * has to make that change. A store of the same method in the previous form is converted (its `pages` may be trimmed by
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

/** Throws DATA_FOLDER_FOREIGN if the store was created with another method. */
export async function openFormOf(store: StateStore, method: NearMethod): Promise<void> {
  const wanted = `${method}:${version}`;
  const found = (await store.get(formKey))?.toString();
  if (found === wanted) return;
  const before = found?.split(':')[0] ?? method;
  if (before !== method) {
    const remedy = `use ${before} again, or delete the folder dedup/ to rebuild it with ${method}`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', `this folder was created with method ${before}: ${remedy}`);
  }
  // The form is written last, so that an interrupted conversion is done again.
  if (found === `${method}:2`) await bringOver(store);
  else if (found !== undefined) await empty(store);
  await store.write([{ key: formKey, value: Buffer.from(wanted) }]);
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
