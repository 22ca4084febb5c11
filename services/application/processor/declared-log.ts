/** A log that lets a processor read and append the topics it declares, and no others: the graph is what runs. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Declaration } from './processor.ts';

export interface Edge {
  readonly processor: string;
  readonly topic: string;
  readonly way: 'reads' | 'writes';
}

/** `onEdge` is called for each reading (`seek`) and each append. */
export function declaredLog<T extends Log>(
  log: T,
  { name, reads, writes }: Declaration,
  crawl: string,
  onEdge?: (edge: Edge) => void,
): T {
  const readable = new Set(reads.map((topic) => `${crawl}.${topic}`));
  const writable = new Set(writes.map((topic) => `${crawl}.${topic}`));
  const check = (topic: string, way: Edge['way']) => {
    if (!(way === 'reads' ? readable : writable).has(topic)) {
      throw new CrawlstreamError('UNSUPPORTED', `${name} ${way} ${topic}, which is not in its declaration (a bug)`);
    }
    onEdge?.({ processor: name, topic: topic.slice(crawl.length + 1), way });
  };
  const own: Pick<Log, 'append' | 'reader'> = {
    async append(records, options) {
      let before = '';
      for (const { topic } of records) if (topic !== before) check((before = topic), 'writes');
      return log.append(records, options);
    },
    reader() {
      const reader = log.reader();
      const { seek } = reader;
      return Object.assign(reader, {
        seek(...position: Parameters<typeof seek>) {
          check(position[0], 'reads');
          seek.apply(reader, position);
        },
      });
    },
  };
  return new Proxy(log, {
    get(target, key) {
      if (key === 'append' || key === 'reader') return own[key];
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
