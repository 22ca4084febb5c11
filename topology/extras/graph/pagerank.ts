/**
 * PageRank of hosts: the share of its time that a reader who follows links at random, and now and then starts over
 * anywhere, spends on each. Source: Brin & Page, "The anatomy of a large-scale hypertextual web search engine" (1998);
 * hosts without links lead anywhere, with the same chance.
 *
 * An edge counts once, however many links it is made of: a host can't vote twice.
 */
import type { HostGraph } from './host-graph.ts';

export interface PageRankOptions {
  /** Chance to follow a link rather than start over. */
  readonly damping?: number;
  /** The iteration ends once no more than this changes, summed over all hosts. */
  readonly tolerance?: number;
  readonly roundsMax?: number;
}

export interface PageRank {
  /** By host; they sum to 1. */
  readonly ranks: Float64Array;
  readonly rounds: number;
  readonly converged: boolean;
}

export function pageRank(graph: HostGraph, options: PageRankOptions = {}): PageRank {
  const { damping = 0.85, tolerance = 1e-9, roundsMax = 200 } = options;
  const size = graph.hosts.length;
  let ranks = new Float64Array(size).fill(1 / size);
  if (size === 0) return { ranks, rounds: 0, converged: true };
  let next = new Float64Array(size);
  const leadsOn = new Uint8Array(size);
  for (const source of graph.sources) leadsOn[source] = 1;

  for (let round = 1; round <= roundsMax; round++) {
    let dangling = 0;
    for (let host = 0; host < size; host++) if (leadsOn[host] === 0) dangling += ranks[host]!;
    next.fill((1 - damping + damping * dangling) / size);
    for (let i = 0; i < graph.sources.length; i++) {
      const start = graph.starts[i]!;
      const end = graph.starts[i + 1]!;
      const share = (damping * ranks[graph.sources[i]!]!) / (end - start);
      for (let edge = start; edge < end; edge++) next[graph.targets[edge]!]! += share;
    }
    let moved = 0;
    for (let host = 0; host < size; host++) moved += Math.abs(next[host]! - ranks[host]!);
    [ranks, next] = [next, ranks];
    if (moved <= tolerance) return { ranks, rounds: round, converged: true };
  }
  return { ranks, rounds: roundsMax, converged: false };
}
