/**
 * `export hosts`: facts about each host that a crawl contacted, from its results. With a link graph, also for each
 * host linked to: the number of distinct hosts that link to it, the number it links to, and its PageRank.
 */
import type { Result } from '../../../schemas/types.ts';
import type { HostGraph } from '../../../topology/extras/graph/host-graph.ts';
import { inDegrees } from '../../../topology/extras/graph/host-graph.ts';
import { pageRank } from '../../../topology/extras/graph/pagerank.ts';
import type { Column, Row, Table } from '../../runtime/table/table.ts';
import { type Source, topicRecords } from '../../runtime/table/topic-records.ts';

const facts: readonly Column[] = [
  { name: 'host', type: 'string' },
  { name: 'pages', type: 'int' },
  { name: 'notModified', type: 'int' },
  { name: 'redirects', type: 'int' },
  { name: 'denied', type: 'int' },
  { name: 'failed', type: 'int' },
  { name: 'requests', type: 'int' },
  { name: 'bytes', type: 'int' },
  { name: 'meanMs', type: 'double' },
  { name: 'firstContact', type: 'timestamp' },
  { name: 'lastContact', type: 'timestamp' },
  { name: 'robots', type: 'string' },
  { name: 'crawlDelayMs', type: 'int' },
];
const ranks: readonly Column[] = [
  { name: 'inDegree', type: 'int' },
  { name: 'outDegree', type: 'int' },
  { name: 'pageRank', type: 'double' },
];

interface Host {
  pages: number;
  notModified: number;
  redirects: number;
  denied: number;
  failed: number;
  requests: number;
  bytes: number;
  busyMs: number;
  firstMs: number;
  lastMs: number;
  robots: string;
  crawlDelayMs: number;
}

/** `graph`: null if none was stored. */
export function hostsTable(source: Source, graph: HostGraph | null, unreadable: () => void): Table {
  return { columns: graph === null ? facts : [...facts, ...ranks], rows: rowsOf(source, graph, unreadable) };
}

async function* rowsOf(source: Source, graph: HostGraph | null, unreadable: () => void): AsyncGenerator<Row> {
  const hosts = new Map<string, Host>();
  for await (const result of topicRecords(source, 'results', unreadable)) count(hosts, result);
  if (graph === null) {
    for (const name of [...hosts.keys()].sort()) yield factsOf(name, hosts.get(name));
    return;
  }
  const ranked = pageRank(graph).ranks;
  const links = inDegrees(graph);
  const outDegrees = new Map<number, number>();
  for (const [at, id] of graph.sources.entries()) outDegrees.set(id, graph.starts[at + 1]! - graph.starts[at]!);
  const ids = new Map(graph.hosts.map((name, id) => [name, id]));
  for (const name of [...new Set([...hosts.keys(), ...graph.hosts])].sort()) {
    const id = ids.get(name);
    const known = id === undefined ? [0, 0, null] : [links[id]!, outDegrees.get(id) ?? 0, ranked[id]!];
    yield [...factsOf(name, hosts.get(name)), ...known];
  }
}

function factsOf(name: string, host: Host | undefined): Row {
  if (host === undefined) return [name, 0, 0, 0, 0, 0, 0, 0, null, null, null, null, null];
  const { pages, notModified, redirects, denied, failed, requests, bytes } = host;
  return [
    name,
    pages,
    notModified,
    redirects,
    denied,
    failed,
    requests,
    bytes,
    requests === 0 ? null : Math.round((host.busyMs / requests) * 10) / 10,
    host.firstMs === Number.POSITIVE_INFINITY ? null : host.firstMs,
    host.lastMs === 0 ? null : host.lastMs,
    host.robots || null,
    host.crawlDelayMs < 0 ? null : host.crawlDelayMs,
  ];
}

function count(hosts: Map<string, Host>, { hostKey, outcomes, requests, host: learnt }: Result): void {
  let host = hosts.get(hostKey);
  if (host === undefined) hosts.set(hostKey, (host = unknownHost()));
  for (const { kind } of outcomes) {
    if (kind === 'fetched') host.pages += 1;
    else if (kind === 'notModified') host.notModified += 1;
    else if (kind === 'redirect') host.redirects += 1;
    else if (kind === 'robotsDenied') host.denied += 1;
    else if (kind !== 'returned') host.failed += 1;
  }
  for (const { startMs, endMs, bytes } of requests) {
    host.requests += 1;
    host.bytes += bytes;
    host.busyMs += endMs - startMs;
    host.firstMs = Math.min(host.firstMs, startMs);
    host.lastMs = Math.max(host.lastMs, endMs);
  }
  if (learnt.robotsStatus !== 'unknown') {
    host.robots = learnt.robotsStatus;
    host.crawlDelayMs = learnt.crawlDelayMs;
  }
}

function unknownHost(): Host {
  const zero = { pages: 0, notModified: 0, redirects: 0, denied: 0, failed: 0, requests: 0, bytes: 0, busyMs: 0 };
  return { ...zero, firstMs: Number.POSITIVE_INFINITY, lastMs: 0, robots: '', crawlDelayMs: -1 };
}
