/**
 * Clusters of nodes that are alike, directly or through others: union-find, with each cluster's nodes in a ring.
 *
 * Which nodes share a cluster follows from the pairs that were joined, not from their order: so readers of the same pages
 * in any order arrive at the same clusters. Source: Tarjan & van Leeuwen (JACM 1984), union by size, path halving.
 */
export class Clusters {
  #parent = new Uint32Array(1024);
  /** The next node of the same cluster; the nodes form a ring. */
  #next = new Uint32Array(1024);
  /** For a root: the number of nodes in its cluster. */
  #nodes = new Uint32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds the node of the next number, alone in its cluster. */
  add(): number {
    const node = this.#size++;
    if (node === this.#parent.length) this.#grow();
    this.#parent[node] = node;
    this.#next[node] = node;
    this.#nodes[node] = 1;
    return node;
  }

  rootOf(node: number): number {
    const parent = this.#parent;
    while (parent[node] !== node) {
      parent[node] = parent[parent[node]!]!;
      node = parent[node]!;
    }
    return node;
  }

  /** Joins two clusters; the root of both from now on. */
  join(a: number, b: number): number {
    let large = this.rootOf(a);
    let small = this.rootOf(b);
    if (large === small) return large;
    // Equal sizes are ordered by number, so that the same joins give the same roots.
    const [l, s] = [this.#nodes[large]!, this.#nodes[small]!];
    if (l < s || (l === s && small < large)) [large, small] = [small, large];
    this.#parent[small] = large;
    this.#nodes[large]! += this.#nodes[small]!;
    const next = this.#next[large]!;
    this.#next[large] = this.#next[small]!;
    this.#next[small] = next;
    return large;
  }

  /** Every node of a node's cluster. */
  *of(node: number): Generator<number> {
    let at = node;
    do {
      yield at;
      at = this.#next[at]!;
    } while (at !== node);
  }

  #grow(): void {
    const enlarge = (old: Uint32Array) => {
      const larger = new Uint32Array(2 * old.length);
      larger.set(old);
      return larger;
    };
    this.#parent = enlarge(this.#parent);
    this.#next = enlarge(this.#next);
    this.#nodes = enlarge(this.#nodes);
  }
}
