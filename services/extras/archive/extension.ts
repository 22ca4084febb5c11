/** Raw responses as WARC files, and what reads them. */
import { defineExtension } from '../../application/extension/extension.ts';
import { archive } from './archive.ts';

export const extension = defineExtension({
  name: 'archive',
  about: 'keeps raw responses as WARC files; replays, converts and indexes them',
  consumers: [archive],
  files: ['WACZ', 'WAT', 'WET'],
  commands: [
    {
      names: ['replay'],
      group: 'Ask a crawl:',
      load: async () => (await import('./command/replay-command.ts')).addReplayCommand,
    },
    {
      names: ['warc'],
      group: 'Move and keep:',
      load: async () => (await import('./command/warc-command.ts')).addWarcCommand,
    },
  ],
  examples: {
    archive: ['--brokers localhost:9092 --crawl news --archive-to s3://bucket/news', '--data crawl-data/example.org'],
    replay: ['--data crawl-data/example.org', 'crawl-data/example.org/archive/*.warc.gz --http 9466'],
    'warc replay': ['crawl-data/example.org/archive/*.warc.gz'],
    'warc wat': ['crawl-data/example.org/archive/*.warc.gz --out derived'],
    'warc wet': ['crawl-data/example.org/archive/*.warc.gz --out derived'],
    'warc index': ['crawl-data/example.org/archive --out table --crawl example'],
    'warc wacz': ['crawl-data/example.org/archive --out example.wacz'],
  },
});
