/**
 * The graph as data: processors, the topics between them, and the stores they keep.
 *
 * Each processor is a consumer group of its own that can be stopped, killed, scaled and replayed by itself. Services
 * wire these processors to the world; a test holds what they read and write against this declaration.
 */
import type { TopicName } from './topics.ts';
import { topicNames, topics } from './topics.ts';

export interface Processor {
  readonly name: string;
  readonly does: string;
  readonly reads: readonly TopicName[];
  readonly writes: readonly TopicName[];
  /** Stores, one per partition. */
  readonly stores: readonly string[];
}

export const processors: readonly Processor[] = [
  {
    name: 'frontier',
    does: 'admits URLs once, orders them, and leases hosts when they may be contacted',
    reads: ['control', 'results', 'discovered', 'tasks', 'frontier-changelog'],
    // Inputs too: what belongs to another partition is passed on to it.
    writes: ['frontier-changelog', 'tasks', 'control', 'results', 'discovered', 'dead-letters'],
    stores: ['seen test', 'host clock', 'back queues', 'leases', 'URL records'],
  },
  {
    name: 'fetcher',
    does: 'fetches leases politely, reads pages, publishes their links and what became of each URL',
    reads: ['tasks', 'control'],
    writes: ['pages', 'discovered', 'results', 'robots', 'responses', 'render', 'dead-letters'],
    stores: [],
  },
  {
    name: 'dedup',
    does: 'tells which pages are duplicates, and of which others; tells the frontier where they are many',
    reads: ['pages', 'results', 'control'],
    writes: ['duplicates', 'control', 'dead-letters'],
    stores: ['contents, clusters, verdicts'],
  },
  {
    name: 'indexer',
    does: 'makes pages searchable, and takes out what is gone, unwanted there, or a duplicate',
    reads: ['pages', 'results', 'duplicates', 'control'],
    writes: ['dead-letters'],
    stores: ['search index'],
  },
  {
    name: 'urlfrontier',
    does: 'a frontier whose leases clients pull by gRPC, in the place of tasks and fetchers',
    reads: ['control', 'discovered', 'frontier-changelog'],
    writes: ['frontier-changelog', 'control', 'dead-letters'],
    stores: ['seen test', 'host clock', 'back queues', 'leases', 'URLs done'],
  },
  {
    name: 'archive',
    does: 'writes raw responses into WARC files',
    reads: ['responses'],
    writes: ['dead-letters'],
    stores: ['payloads met, the open file'],
  },
  {
    name: 'render',
    does: 'opens pages that need it in a browser, and publishes what their scripts made of them',
    reads: ['render'],
    writes: ['pages', 'discovered', 'results', 'robots', 'dead-letters'],
    stores: [],
  },
  {
    name: 'graph',
    does: 'keeps the links between pages, for exports and ranks of hosts',
    reads: ['pages'],
    writes: ['dead-letters'],
    stores: ['links by page'],
  },
];

/** The graph in the Mermaid language: processors as boxes, topics as rounded ones. */
export function mermaid(): string {
  const lines = ['flowchart LR'];
  for (const name of topicNames) {
    if (used(name)) lines.push(`  ${id(name)}(["${name}<br/><small>by ${topics[name].key}</small>"])`);
  }
  for (const { name, reads, writes } of processors) {
    lines.push(`  ${id(name)}["${name.toUpperCase()}"]`);
    for (const topic of reads) if (!writes.includes(topic)) lines.push(`  ${id(topic)} --> ${id(name)}`);
    for (const topic of writes) lines.push(`  ${id(name)} ${reads.includes(topic) ? '<-->' : '-->'} ${id(topic)}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The graph in the language of Graphviz. */
export function dot(): string {
  const lines = ['digraph crawlstream {', '  rankdir=LR;'];
  for (const name of topicNames) if (used(name)) lines.push(`  ${id(name)} [label="${name}", shape=ellipse];`);
  for (const { name, reads, writes } of processors) {
    const node = `processor_${id(name)}`;
    lines.push(`  ${node} [label="${name.toUpperCase()}", shape=box];`);
    for (const topic of reads) lines.push(`  ${id(topic)} -> ${node};`);
    for (const topic of writes) lines.push(`  ${node} -> ${id(topic)};`);
  }
  return `${lines.join('\n')}\n}\n`;
}

function used(topic: TopicName): boolean {
  return processors.some(({ reads, writes }) => reads.includes(topic) || writes.includes(topic));
}

function id(name: string): string {
  return name.replaceAll('-', '_');
}
