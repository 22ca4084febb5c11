/** `crawlstream topology`: the graph as it is declared. */
import type { Command } from 'commander';
import { mermaid, processors } from '../../topology/topology.ts';

export function addTopologyCommand(program: Command): void {
  program
    .command('topology')
    .description('print the processors and the topics between them')
    .option('--mermaid', 'as a Mermaid flowchart')
    .action(({ mermaid: asChart }: { readonly mermaid?: boolean }) => {
      process.stdout.write(asChart ? mermaid() : text());
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
