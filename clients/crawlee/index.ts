/** Crawlee on Crawlstream's frontier: `import { LeaseQueue } from 'crawlstream/crawlee'`. */
export { LeaseQueue, type LeaseQueueOptions } from './lease-queue.ts';
