/**
 * Finds contents that are the same or nearly so: there is a node for each content, and nodes form clusters.
 *
 * A cluster is a first content and all contents that are nearly the same as that one (near-duplicate.ts). A content is
 * compared with the first of each cluster, never with later members, so that no chain of small differences leads from
 * one page to another. The index is in memory, the evidence on disk.
 */
import { Clusters } from '../../../topology/extras/dedup/clusters.ts';
import { ExactTable } from '../../../topology/extras/dedup/exact-table.ts';
import { minhash } from '../../../topology/extras/dedup/minhash.ts';
import { hash32, nearness, type PageEvidence, titleHashes } from '../../../topology/extras/dedup/near-duplicate.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { openFormOf } from './form.ts';
import { openHostCommons } from './host-commons.ts';
import { createLikeness, type NearMethod } from './likeness.ts';
import {
  contentRange,
  contentRow,
  evidenceIn,
  joinRange,
  joinRow,
  nodeKey,
  nodeRange,
  nodeRow,
  signatureIn,
} from './rows.ts';

export interface Content {
  /** First 64 bits of a hash of it, hexadecimal. */
  readonly hash: string;
  readonly text: string;
  readonly title: string;
  readonly hostKey: string;
}

export interface ContentNodes {
  readonly clusters: Clusters;
  readonly method: NearMethod;
  /** The node of a content, made if need be, in its cluster; its rows go to `ops`. */
  place(content: Content, ops: StoreOp[]): Promise<number>;
  /** Rows for the next write, which must also write what `ops` held so far. */
  settle(): StoreOp[];
  /** Deletes the common values of a host's pages. */
  forgetHost(hostKey: string, ops: StoreOp[]): void;
}

/**
 * `wished` undefined: the store's method, or MinHash for a new store. Throws DATA_FOLDER_FOREIGN if the store was
 * created with another method than wished.
 */
export async function openContentNodes(
  store: StateStore,
  wished: NearMethod | undefined,
  seed: number,
): Promise<ContentNodes> {
  const method = await openFormOf(store, wished);
  const likeness = createLikeness(method, seed);
  const commons = openHostCommons(store);
  const { clusters, exact } = await readNodes(store, likeness);
  /** Rows of nodes that are not in the store yet. */
  const unwritten = new Map<number, Buffer>();

  const evidenceOf = async (node: number): Promise<PageEvidence> =>
    evidenceIn(unwritten.get(node) ?? (await store.get(nodeKey(node)))!);

  /** The first content of this one's cluster; undefined: it is the first itself. */
  const nearest = async (evidence: PageEvidence, signature: unknown, hostKey: string) => {
    let best: { readonly node: number; readonly near: number } | undefined;
    const common = await commons.of(hostKey);
    for (const node of likeness.near(signature, common).sort((a, b) => a - b)) {
      const near = nearness(evidence, await evidenceOf(node), common);
      if (near > (best?.near ?? 0)) best = { node, near };
    }
    return best?.node;
  };

  return {
    clusters,
    method,
    async place({ hash, text, title, hostKey }, ops) {
      const hi = Number.parseInt(hash.slice(0, 8), 16);
      const lo = Number.parseInt(hash.slice(8, 16), 16);
      const known = exact.get(hi, lo);
      if (known !== undefined) return known;
      const made = minhash(text, seed);
      const evidence = made === null ? null : { minhash: made, title: titleHashes(title), host: hash32(hostKey) };
      const signature = evidence === null ? null : likeness.signature(text, evidence.minhash);
      const first = evidence && (await nearest(evidence, signature, hostKey));
      const node = clusters.add();
      exact.set(hi, lo, node);
      ops.push(contentRow(hash, node));
      if (evidence === null) {
        ops.push(nodeRow(node, null));
        return node;
      }
      const row = nodeRow(node, { evidence, signature: likeness.bytes(signature) });
      ops.push(row);
      unwritten.set(node, row.value as Buffer);
      await commons.learn(hostKey, evidence.minhash);
      if (first === undefined || first === null) likeness.add(signature, node);
      else {
        ops.push(joinRow(first, node));
        clusters.join(first, node);
      }
      return node;
    },
    settle() {
      unwritten.clear();
      return commons.settle();
    },
    forgetHost: (hostKey, ops) => commons.forget(hostKey, ops),
  };
}

/** Reads the stored contents and clusters; the first content of each cluster becomes known to `likeness`. */
async function readNodes(store: StateStore, likeness: ReturnType<typeof createLikeness>) {
  const clusters = new Clusters();
  const exact = new ExactTable();
  const joined = new Set<number>();
  for await (const [key] of store.scan(joinRange)) joined.add(key.readUInt32BE(5));
  for await (const [, row] of store.scan(nodeRange)) {
    const node = clusters.add();
    if (row.length > 0 && !joined.has(node))
      likeness.add(likeness.read(signatureIn(row), evidenceIn(row).minhash), node);
  }
  for await (const [key, value] of store.scan(contentRange)) {
    exact.set(key.readUInt32BE(1), key.readUInt32BE(5), value.readUInt32BE(0));
  }
  for await (const [key] of store.scan(joinRange)) clusters.join(key.readUInt32BE(1), key.readUInt32BE(5));
  return { clusters, exact };
}
