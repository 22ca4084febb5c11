/**
 * Converts a dedup's store from form 2 to form 3: each page gets the rows that now determine its cluster's best page,
 * and each cluster is marked as touched, so that the dedup publishes changed representatives again.
 *
 * Form 2 did not store when a page was first seen, so the time of its newest fetch is used. Every step may be
 * repeated, so a kill costs only time: the caller writes the new form when all rows are in the store.
 */

import { domainOf } from '../../../topology/url/domain-of.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { bestKey, claimKey, fromJson, jsonRow, type KnownPage, pageRange, touchedKey, urlOfPage } from './rows.ts';

const pagesAtOnce = 1_000;
const none = Buffer.alloc(0);

/** A page in form 2. */
type OldPage = Omit<KnownPage, 'domain' | 'sinceMs'> & Partial<KnownPage>;

/** The key of a page in its node, in form 2. */
function oldMemberKey(url: string, { node, authority, fetchedAtMs }: OldPage): Buffer {
  const key = Buffer.alloc(12 + Buffer.byteLength(url));
  key.write('M');
  key.writeUInt32BE(node, 1);
  key[5] = authority;
  key.writeUIntBE(fetchedAtMs, 6, 6);
  key.write(url, 12);
  return key;
}

export async function bringOver(store: StateStore): Promise<void> {
  let from: Buffer = pageRange.gte;
  for (;;) {
    const ops: StoreOp[] = [];
    let last: Buffer | undefined;
    for await (const [key, value] of store.scan({ ...pageRange, gte: from, limit: pagesAtOnce })) {
      last = Buffer.from(key);
      ops.push(...rowsOf(last, fromJson<OldPage>(value)!));
    }
    if (last === undefined) return;
    await store.write(ops);
    from = Buffer.concat([last, Buffer.from([0])]);
  }
}

function rowsOf(key: Buffer, old: OldPage): StoreOp[] {
  const url = urlOfPage(key);
  const page: KnownPage = { domain: domainOf(url), sinceMs: old.fetchedAtMs, ...old };
  const kept = jsonRow(key, page);
  // The page is gone, so no node has it.
  if (page.node < 0) return [kept];
  return [
    kept,
    { key: oldMemberKey(url, old), value: null },
    { key: claimKey(url, page), value: none },
    { key: bestKey(url, page), value: none },
    { key: touchedKey(page.node), value: none },
  ];
}
