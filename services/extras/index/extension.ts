/** Full-text search. */
import { defineExtension } from '../../application/extension/extension.ts';
import { searchIndex } from './search-index.ts';

export const extension = defineExtension({
  name: 'index',
  about: 'indexes pages for full-text search, in SQLite or OpenSearch',
  consumers: [searchIndex],
  crawlPart: async () => (await import('./page-search.ts')).searchPart,
  commands: [
    {
      names: ['search'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/search-command.ts')).addSearchCommand,
    },
  ],
  examples: {
    index: [
      '--brokers localhost:9092 --crawl news --opensearch http://localhost:9200',
      '--data crawl-data/example.org',
    ],
    search: ["'example -permission' --data crawl-data/example.org"],
  },
});
