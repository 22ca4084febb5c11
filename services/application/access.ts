/**
 * The rights that each service needs on a broker with an authorizer: derived from the graph (topology.ts), so that they
 * always match it. Names of operations, resources and patterns are Kafka's.
 *
 * Idempotent producing needs no separate right since Kafka 3.0; trimming a topic is `Delete` on it.
 */

import { topicNames, topics } from '../../topology/topics.ts';
import type { Declaration } from './processor/processor.ts';
import { processors } from './topology.ts';

export type Operation = 'Create' | 'Delete' | 'Describe' | 'DescribeConfigs' | 'Read' | 'Write';

export interface Access {
  readonly resource: 'Topic' | 'Group';
  readonly name: string;
  /** Prefixed: the right covers all names with this beginning. */
  readonly pattern: 'Literal' | 'Prefixed';
  readonly operations: readonly Operation[];
}

export interface Service {
  readonly name: string;
  readonly does: string;
  /** Rights in a namespace of topics and groups: by the name of a crawl, or of a fleet. */
  access(crawl: string): readonly Access[];
}

/** The rights of these processors, and of people. */
export function servicesOf(declarations: readonly Declaration[]): readonly Service[] {
  return [...declarations.map(ofDeclaration), ...people];
}

/** A service that is not a processor. */
export const people: readonly Service[] = [
  {
    name: 'operator',
    does: 'makes the topics, sends seeds, policies and events, looks at everything, replays, dumps and loads',
    access: (crawl) => [
      prefixed('Topic', `${crawl}.`, ['Create', 'Delete', 'Describe', 'DescribeConfigs', 'Read', 'Write']),
      prefixed('Group', `${crawl}.`, ['Delete', 'Describe', 'Read']),
    ],
  },
  {
    name: 'reader',
    does: 'a custom consumer, in a group with the name of the crawl as prefix',
    access: (crawl) => [
      prefixed('Topic', `${crawl}.`, ['Describe']),
      ...['control', 'pages'].map((topic) => literal(`${crawl}.${topic}`, ['Read'])),
      literal(`${crawl}.dead-letters`, ['Write']),
      prefixed('Group', `${crawl}.`, ['Read']),
    ],
  },
];

export const services = servicesOf(processors);

function ofDeclaration(declaration: Declaration): Service {
  const { name, does } = declaration;
  return { name, does, access: (crawl) => ofProcessor(crawl, declaration) };
}

function ofProcessor(crawl: string, { name, reads, writes }: Declaration): Access[] {
  const access = [prefixed('Topic', `${crawl}.`, ['Describe', 'DescribeConfigs'])];
  for (const topic of topicNames) {
    const operations: Operation[] = [];
    // The manifest is on `control`.
    if (reads.includes(topic) || topic === 'control') operations.push('Read');
    if (writes.includes(topic)) operations.push('Write');
    if (name === 'frontier' && topics[topic].retention === 'state') operations.push('Delete');
    if (operations.length > 0) access.push(literal(`${crawl}.${topic}`, operations));
  }
  access.push(prefixed('Group', `${crawl}.${name}`, ['Read']));
  // A frontier needs to know how many share its work; a fetcher says in its log when there is no frontier.
  if (name === 'frontier') access.push(prefixed('Group', `${crawl}.`, ['Describe']));
  if (name === 'fetcher') access.push(prefixed('Group', `${crawl}.frontier`, ['Describe']));
  return access;
}

function prefixed(resource: Access['resource'], name: string, operations: readonly Operation[]): Access {
  return { resource, name, pattern: 'Prefixed', operations };
}

function literal(name: string, operations: readonly Operation[]): Access {
  return { resource: 'Topic', name, pattern: 'Literal', operations };
}
