/** Links between pages. */
import { defineExtension } from '../../application/extension/extension.ts';
import { graph } from './graph.ts';

export const extension = defineExtension({
  name: 'graph',
  about: 'keeps the links between pages, for exports and host ranks',
  consumers: [graph],
  crawlPart: async () => (await import('./host-links.ts')).hostLinksPart,
  examples: { graph: ['--data crawl-data/example.org'] },
});
