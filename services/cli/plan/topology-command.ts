/** `crawlstream topology describe`: prints the declared graph, as text, for Graphviz, for Mermaid, or as data. */
import { type Command, Option } from 'commander';
import { topicNames, topics } from '../../../topology/topics.ts';
import { dot, mermaid, processors } from '../../application/topology.ts';
import { toStdout } from '../../runtime/logging/door.ts';

interface DescribeFlags {
  readonly format: 'text' | 'dot' | 'mermaid';
  readonly json?: boolean;
}

export function addTopologyCommand(program: Command): void {
  program
    .command('topology')
    .description('the graph of processors and topics')
    .command('describe', { isDefault: true })
    .description('print the processors and the topics between them')
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'dot', 'mermaid']).default('text'))
    .option('--json', 'processors and topics as one JSON object')
    .action(({ format, json }: DescribeFlags) => {
      const data = { processors, topics: topicNames.map((name) => topics[name]) };
      toStdout(json === true ? `${JSON.stringify(data)}\n` : { text, dot, mermaid }[format]());
    });
}

function text(): string {
  return processors
    .map(({ name, does, reads, writes, stores }) => {
      const kept = stores.length === 0 ? 'nothing' : stores.join(', ');
      return `${name}: ${does}\n  reads   ${reads.join(', ')}\n  writes  ${writes.join(', ')}\n  keeps   ${kept}\n`;
    })
    .join('\n');
}
