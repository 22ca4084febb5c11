/**
 * Which contents are the same or nearly so, in memory: nodes, one for each signature (or content without one), and the
 * clusters they form. Read from the store at start; what it learns is handed out as rows.
 */
import { Clusters } from '../../topology/content/clusters.ts';
import { ExactTable } from '../../topology/content/exact-table.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { StateStore, StoreOp } from '../runtime/store/store.ts';
import { createLikeness, type NearMethod } from './likeness.ts';
import { contentRange, contentRow, formKey, joinRange, joinRow, nodeRange, nodeRow } from './rows.ts';

export interface Placed {
  readonly node: number;
  /** Roots of the clusters that this content joins together; more than one where it is news. */
  readonly joins: readonly number[];
}

export interface ContentNodes {
  readonly clusters: Clusters;
  readonly method: NearMethod;
  /** The node of a content, made if need be; its rows go to `ops`. Joined it is only by `join`. */
  place(content: string, text: string, ops: StoreOp[]): Placed;
}

/** Throws DATA_FOLDER_FOREIGN where the store was made with another method. */
export async function openContentNodes(store: StateStore, method: NearMethod, seed: number): Promise<ContentNodes> {
  await checkForm(store, method);
  const likeness = createLikeness(method, seed);
  const clusters = new Clusters();
  const exact = new ExactTable();
  for await (const [, signature] of store.scan(nodeRange)) {
    const node = clusters.add();
    if (signature.length > 0) likeness.add(signature, node);
  }
  for await (const [key, value] of store.scan(contentRange)) {
    exact.set(key.readUInt32BE(1), key.readUInt32BE(5), value.readUInt32BE(0));
  }
  for await (const [key] of store.scan(joinRange)) clusters.join(key.readUInt32BE(1), key.readUInt32BE(5));

  return {
    clusters,
    method,
    place(content, text, ops) {
      const hi = Number.parseInt(content.slice(0, 8), 16);
      const lo = Number.parseInt(content.slice(8, 16), 16);
      const known = exact.get(hi, lo);
      if (known !== undefined) return { node: known, joins: [clusters.rootOf(known)] };
      const signature = likeness.signature(text);
      const alike = signature === null ? [] : likeness.near(signature);
      const twin = alike.find(({ same }) => same)?.node;
      const node = twin ?? clusters.add();
      exact.set(hi, lo, node);
      ops.push(contentRow(content, node));
      if (twin !== undefined) return { node, joins: [clusters.rootOf(twin)] };
      ops.push(nodeRow(node, signature));
      if (signature !== null) likeness.add(signature, node);
      for (const one of alike) ops.push(joinRow(one.node, node));
      return { node, joins: [...new Set([node, ...alike.map((one) => clusters.rootOf(one.node))])] };
    },
  };
}

async function checkForm(store: StateStore, method: NearMethod): Promise<void> {
  const form = (await store.get(formKey))?.toString();
  if (form === undefined) return store.write([{ key: formKey, value: Buffer.from(method) }]);
  if (form === method) return;
  const remedy = `use it again, or delete the folder dedup/ to have it rebuilt by ${method}`;
  throw new CrawlstreamError('DATA_FOLDER_FOREIGN', `duplicates were found by ${form} so far: ${remedy}`);
}
