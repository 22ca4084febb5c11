/** Content dedup. */
import { defineExtension } from '../../application/extension/extension.ts';
import { dedup } from './dedup-consumer.ts';

export const extension = defineExtension({
  name: 'dedup',
  about: 'finds pages with the same or nearly the same content',
  consumers: [dedup],
  examples: { dedup: ['--brokers localhost:9092 --crawl news --data dedup-a', '--data crawl-data/example.org'] },
});
