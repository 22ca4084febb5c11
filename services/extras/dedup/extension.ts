/** Content dedup. */
import { defineExtension } from '../../application/extension/extension.ts';
import { dedup } from './dedup-consumer.ts';

export const extension = defineExtension({
  name: 'dedup',
  about: 'finds pages with the same or nearly the same content',
  consumers: [dedup],
  crawlPart: async () => ({
    duplicates: async (crawl, limit) =>
      (await import('./command/list-duplicates.ts')).listDuplicates(crawl, { hostKey: '', limit }),
  }),
  commands: [
    {
      names: ['duplicates'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/duplicates-command.ts')).addDuplicatesCommand,
    },
  ],
  examples: {
    duplicates: ['--data crawl-data/example.org', '--host example.org --limit 50 --data crawl-data/example.org'],
    dedup: ['--brokers localhost:9092 --crawl news --data dedup-a', '--data crawl-data/example.org'],
  },
});
