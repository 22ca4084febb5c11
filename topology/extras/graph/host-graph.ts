/**
 * The graph of hosts that follows from a graph of pages: an edge where any page of one host links to any page of
 * another, with the number of such links. Links within a host do not count.
 *
 * Built from pages in the order of their hosts, in numbers: about 12 bytes an edge, and the names.
 */
import type { PageEdges } from './edge-row.ts';

export interface HostGraph {
  /** By number. */
  readonly hosts: readonly string[];
  /** Hosts that link to others, and where their edges begin; one more start closes the last. */
  readonly sources: Int32Array;
  readonly starts: Int32Array;
  readonly targets: Int32Array;
  /** Links that make up an edge. */
  readonly links: Int32Array;
  /** Pages read, by host. */
  readonly pages: Int32Array;
}

export interface HostGraphBuilder {
  /** Pages of one host are adjacent. */
  add(page: PageEdges): void;
  finish(): HostGraph;
}

export function createHostGraph(hostKeyOf: (url: string) => string): HostGraphBuilder {
  const ids = new Map<string, number>();
  const hosts: string[] = [];
  const pages: number[] = [];
  const sources: number[] = [];
  const starts: number[] = [];
  const targets = growing();
  const links = growing();
  let host = '';
  let edges = new Map<number, number>();

  const idOf = (name: string): number => {
    let id = ids.get(name);
    if (id === undefined) {
      ids.set(name, (id = hosts.length));
      hosts.push(name);
      pages.push(0);
    }
    return id;
  };
  const endHost = () => {
    if (edges.size === 0) return;
    sources.push(idOf(host));
    starts.push(targets.size());
    for (const [target, count] of edges) {
      targets.push(target);
      links.push(count);
    }
    edges = new Map();
  };

  return {
    add(page) {
      if (page.host !== host) {
        endHost();
        host = page.host;
      }
      const id = idOf(host);
      pages[id]! += 1;
      for (const url of page.targets) {
        const name = hostKeyOf(url);
        if (name === host) continue;
        const target = idOf(name);
        edges.set(target, (edges.get(target) ?? 0) + 1);
      }
    },
    finish() {
      endHost();
      starts.push(targets.size());
      return {
        hosts,
        sources: Int32Array.from(sources),
        starts: Int32Array.from(starts),
        targets: targets.done(),
        links: links.done(),
        pages: Int32Array.from(pages),
      };
    },
  };
}

/** Distinct hosts that link to each. */
export function inDegrees(graph: HostGraph): Int32Array {
  const degrees = new Int32Array(graph.hosts.length);
  for (const target of graph.targets) degrees[target]! += 1;
  return degrees;
}

function growing() {
  let values = new Int32Array(1_024);
  let size = 0;
  return {
    push(value: number) {
      if (size === values.length) {
        const larger = new Int32Array(size * 2);
        larger.set(values);
        values = larger;
      }
      values[size++] = value;
    },
    size: () => size,
    done: () => values.slice(0, size),
  };
}
