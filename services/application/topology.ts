/**
 * The topology: all processors, and the topics between them. Exactly the processors declared here or by an extra run;
 * the graph, the rights on the brokers, the commands and their settings are derived from it.
 *
 * Each processor is a separate consumer group that can be stopped, killed, scaled and replayed independently.
 */
import type { TopicName } from '../../topology/topics.ts';
import { topicNames, topics } from '../../topology/topics.ts';
import { installed } from '../extras/installed.ts';
import { fetcher, frontier } from './processor/declarations.ts';
import { drainOrder } from './processor/drain-order.ts';
import type { Declaration, Processor } from './processor/processor.ts';

export { fetcher, frontier } from './processor/declarations.ts';

/** Consumers in the order in which they drain: each may read the output of earlier ones. */
export const consumers: readonly Processor[] = drainOrder(installed.flatMap((extra) => extra.consumers ?? []));

export const processors: readonly Declaration[] = [
  frontier,
  fetcher,
  ...consumers,
  ...installed.flatMap((extra) => extra.roles ?? []),
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
