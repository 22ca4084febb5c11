/**
 * What URLFrontier's own server (2.6, on RocksDB) answers, as recorded, and what this one does where that is not the same.
 * `node --import tsx test/urlfrontier/record.ts HOST:PORT` asks a server anew.
 *
 * Each case is of a crawl id of its own, so that they may share a server that is used for other things, too.
 */
import { type ApiClient, found, known, type Message } from '../services/extras/urlfrontier/client.ts';

export interface Case {
  /** Also the row of docs/urlfrontier.md, where the answers differ. */
  readonly name: string;
  ask(client: ApiClient, crawlID: string): Promise<unknown>;
  /** As recorded. */
  readonly original: unknown;
  /** Absent: the same. */
  readonly ours?: unknown;
}

const statuses = (acks: readonly Message[]) => acks.map(({ status }) => status);
const urls = (infos: readonly Message[]) => infos.map(({ url }) => url);
const past = 1_000_000_000;
const later = 4_000_000_000;

export const cases: readonly Case[] = [
  {
    name: 'a URL put twice',
    ask: async (client, crawlID) =>
      statuses(await client.all('PutURLs', [found('http://a.com/', { crawlID }), found('http://a.com/', { crawlID })])),
    original: ['OK', 'SKIPPED'],
  },
  {
    name: 'a URL that is not http or https',
    ask: async (client, crawlID) => statuses(await client.all('PutURLs', [found('mailto:me@a.com', { crawlID })])),
    original: ['OK'],
    ours: ['SKIPPED'],
  },
  {
    name: 'no URL at all',
    ask: async (client, crawlID) => statuses(await client.all('PutURLs', [found('', { crawlID })])),
    original: ['SKIPPED'],
  },
  {
    name: 'a key of 300 characters',
    ask: async (client, crawlID) =>
      statuses(await client.all('PutURLs', [found('http://a.com/', { crawlID, key: 'k'.repeat(300) })])),
    original: ['SKIPPED'],
    ours: ['OK'],
  },
  {
    name: 'the queue of a URL without a key, with capitals and a port',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [found('HTTP://A.com:8080/', { crawlID })]);
      return (await client.unary('ListQueues', { crawlID })).values;
    },
    original: ['A.com'],
    ours: ['a.com'],
  },
  {
    name: 'what is due goes by date',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [
        known('http://a.com/later', past + 9, { crawlID }),
        known('http://a.com/sooner', past, { crawlID }),
        known('http://a.com/never', 0, { crawlID }),
        known('http://a.com/not-yet', later, { crawlID }),
      ]);
      return urls(await client.all('GetURLs', { crawlID }));
    },
    original: ['http://a.com/sooner', 'http://a.com/later'],
  },
  {
    name: 'the dates of URLs: done, scheduled',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [
        known('http://a.com/done', 0, { crawlID }),
        known('http://a.com/later', later, { crawlID }),
      ]);
      const date = async (url: string) =>
        (await client.unary('GetURLStatus', { url, key: 'a.com', crawlID })).known.refetchable_from_date;
      return [await date('http://a.com/done'), await date('http://a.com/later')];
    },
    original: [0, later],
  },
  {
    name: 'the date of a URL that is out',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [known('http://a.com/', past, { crawlID })]);
      await client.all('GetURLs', { crawlID });
      const url = 'http://a.com/';
      return (await client.unary('GetURLStatus', { url, key: 'a.com', crawlID })).known.refetchable_from_date;
    },
    original: past,
  },
  {
    name: 'a queue with fewer URLs out than wanted of each, and no delay',
    ask: async (client, crawlID) => {
      const all = [1, 2, 3, 4].map((n) => known(`http://a.com/${n}`, past + n, { crawlID }));
      await client.all('PutURLs', all);
      await client.unary('SetDelay', { key: 'a.com', crawlID, delay_requestable: 0 });
      const get = async (max_urls_per_queue: number) => {
        // The original goes by whole seconds: a queue gives in the second after that in which it gave.
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        return (await client.all('GetURLs', { crawlID, max_urls_per_queue, delay_requestable: 600 })).length;
      };
      return [await get(1), await get(1), await get(2), await get(3)];
    },
    original: [1, 0, 2, 0],
  },
  {
    name: 'a URL that is done, reported again',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [known('http://a.com/', 0, { crawlID })]);
      await client.all('PutURLs', [known('http://a.com/', 0, { crawlID })]);
      const { size, counts } = await client.exact('GetStats', { key: 'a.com', crawlID });
      return [size, counts.completed];
    },
    original: ['18446744073709551615', '2'],
    ours: ['0', '1'],
  },
  {
    name: 'a block of a queue that has no URL yet',
    ask: async (client, crawlID) => {
      await client.unary('BlockQueueUntil', { key: 'a.com', crawlID, time: later });
      await client.all('PutURLs', [found('http://a.com/', { crawlID })]);
      return urls(await client.all('GetURLs', { crawlID }));
    },
    original: ['http://a.com/'],
    ours: [],
  },
  {
    name: 'a limit of a queue that has no URL yet',
    ask: async (client, crawlID) => {
      const set = client.unary('SetCrawlLimit', { key: 'a.com', crawlID, limit: 1 });
      return set.then(
        () => 'set',
        ({ code }: { code: number }) => code,
      );
    },
    original: 2,
    ours: 'set',
  },
  {
    name: 'a queue at its limit',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [known('http://a.com/1', 0, { crawlID }), found('http://a.com/2', { crawlID })]);
      await client.unary('SetCrawlLimit', { key: 'a.com', crawlID, limit: 1 });
      const { values } = await client.unary('ListQueues', { crawlID });
      return [values, urls(await client.all('GetURLs', { crawlID }))];
    },
    original: [['a.com'], []],
  },
  {
    name: 'what DeleteQueue leaves of a queue: its block, its limit',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [known('http://a.com/1', 0, { crawlID }), found('http://a.com/2', { crawlID })]);
      await client.unary('SetCrawlLimit', { key: 'a.com', crawlID, limit: 1 });
      await client.unary('BlockQueueUntil', { key: 'a.com', crawlID, time: later });
      const { value } = await client.unary('DeleteQueue', { key: 'a.com', crawlID });
      await client.all('PutURLs', [known('http://a.com/1', 0, { crawlID }), found('http://a.com/2', { crawlID })]);
      return [value, urls(await client.all('GetURLs', { crawlID }))];
    },
    original: [2, ['http://a.com/2']],
  },
  {
    name: 'DeleteQueue and BlockQueueUntil without a key',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [found('http://a.com/', { crawlID })]);
      await client.unary('BlockQueueUntil', { crawlID, time: later });
      const { value } = await client.unary('DeleteQueue', { crawlID });
      return [value, urls(await client.all('GetURLs', { crawlID }))];
    },
    original: [0, ['http://a.com/']],
  },
  {
    name: 'DeleteCrawl counts',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [known('http://a.com/1', 0, { crawlID }), found('http://b.com/2', { crawlID })]);
      const { value } = await client.unary('DeleteCrawl', { value: crawlID });
      const { size, numberOfQueues } = await client.unary('GetStats', { crawlID });
      return [value, size, numberOfQueues];
    },
    original: [2, 0, 0],
  },
  {
    name: 'the status of a URL that nobody has put',
    ask: async (client, crawlID) => {
      const asked = client.unary('GetURLStatus', { url: 'http://a.com/', key: 'a.com', crawlID });
      return asked.catch(({ code }: { code: number }) => code);
    },
    original: 5,
  },
  {
    name: '`total` of ListQueues',
    ask: async (client, crawlID) => {
      await client.all('PutURLs', [found('http://a.com/', { crawlID }), found('http://b.com/', { crawlID })]);
      return (await client.unary('ListQueues', { crawlID })).total;
    },
    original: 0,
    ours: 2,
  },
  {
    name: 'a URL of a queue, without a crawl',
    ask: async (client, crawlID) => {
      const key = `queue-of-${crawlID}`;
      await client.all('PutURLs', [found('http://a.com/', { crawlID, key })]);
      return urls(await client.all('GetURLs', { key }));
    },
    original: [],
    ours: ['http://a.com/'],
  },
  {
    name: 'keys and crawl ids with an underscore',
    ask: async (client, crawlID) => {
      const id = `${crawlID}_x`;
      await client.all('PutURLs', [found('http://a.com/', { crawlID: id, key: 'k_y' })]);
      return (await client.all('GetURLs', { crawlID: id })).map(({ key, url }) => [key, url]);
    },
    original: [],
    ours: [['k_y', 'http://a.com/']],
  },
  {
    name: 'metadata',
    ask: async (client, crawlID) => {
      const metadata = { 'a key': { values: ['v1', '', 'vü'] }, empty: { values: [] } };
      await client.all('PutURLs', [found('http://a.com/', { crawlID, metadata })]);
      return (await client.all('GetURLs', { crawlID })).map((info) => info.metadata);
    },
    original: [{ 'a key': { values: ['v1', '', 'vü'] }, empty: { values: [] } }],
  },
];
