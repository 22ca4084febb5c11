/**
 * What URLFrontier's own test suite asks of a server (`tests` of crawler-commons/url-frontier 2.6), each case in our words.
 * The suite itself runs by `node --import tsx test/urlfrontier/suite.ts CHECKOUT`: it is on no registry.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { found, known, type Message } from './client.ts';
import { startRig, until } from './rig.ts';

const urls = (infos: readonly Message[]) => infos.map(({ url }) => url);
const ofKey = { key: 'key1.com', max_urls_per_queue: 1, delay_requestable: 2, crawlID: 'DEFAULT' };
const nowSec = () => Math.floor(Date.now() / 1_000);

test('NeverRefetched: a known URL without a date is never returned', async () => {
  const rig = await startRig();
  assert.equal((await rig.client.all('PutURLs', [known('http://key1.com/', 0, { key: 'key1.com' })])).length, 1);
  assert.deepEqual(await rig.client.all('GetURLs', ofKey), []);
  await rig.close();
});

test('RightOrder: URLs that are due for longer go first', async () => {
  const rig = await startRig();
  const later = known('http://key1.com/later', nowSec(), { key: 'key1.com' });
  const sooner = known('http://key1.com/sooner', nowSec() - 10_000, { key: 'key1.com' });
  assert.equal((await rig.client.all('PutURLs', [later, sooner])).length, 2);
  const [first] = await rig.client.all('GetURLs', { ...ofKey, max_urls_per_queue: 2 });
  assert.equal(first.url, 'http://key1.com/sooner');
  await rig.close();
});

test('testUpdates: a URL that is out is in process until its time is over; DeleteQueue counts it', async () => {
  const rig = await startRig();
  const put = found('http://key1.com/', { key: 'key1.com' });
  assert.equal((await rig.client.all('PutURLs', [put, put])).length, 2);
  assert.deepEqual((await rig.client.unary('ListQueues')).values, ['key1.com']);
  assert.deepEqual(urls(await rig.client.all('GetURLs', ofKey)), ['http://key1.com/']);
  const stats = () => rig.client.unary('GetStats', { key: 'key1.com' });
  const { numberOfQueues, inProcess } = await stats();
  assert.deepEqual([numberOfQueues, inProcess], [1, 1]);
  assert.deepEqual(await rig.client.all('GetURLs', ofKey), []);
  const after = await until(stats, ({ inProcess }) => inProcess === 0);
  assert.deepEqual([after.numberOfQueues, after.inProcess], [1, 0]);
  assert.equal((await rig.client.unary('DeleteQueue', { key: 'key1.com' })).value, 1);
  assert.equal((await stats()).numberOfQueues, 0);
  await rig.close();
});

test('testQueueNames: a queue without a key has the name of the host, also before a query', async () => {
  const rig = await startRig();
  await rig.client.all('PutURLs', [found('http://gac.icann.org?language_id=9')]);
  assert.equal((await rig.client.unary('GetStats', { key: 'gac.icann.org' })).size, 1);
  assert.equal((await rig.client.unary('DeleteQueue', { key: 'gac.icann.org' })).value, 1);
  await rig.close();
});

test('testCrawlIDs: no crawl means DEFAULT, and crawls are separate', async () => {
  const rig = await startRig();
  const url = 'http://urlfrontier.net/';
  for (const info of [{ crawlID: 'BESPOKE' }, {}, { crawlID: 'DEFAULT' }])
    await rig.client.all('PutURLs', [found(url, info)]);
  const stats = async (crawlID?: string) => {
    const { size, numberOfQueues, crawlID: of } = await rig.client.unary('GetStats', crawlID ? { crawlID } : {});
    return [size, numberOfQueues, of];
  };
  assert.deepEqual(await stats(), [1, 1, 'DEFAULT']);
  assert.deepEqual(await stats('BESPOKE'), [1, 1, 'BESPOKE']);
  await rig.client.unary('DeleteCrawl', { value: 'BESPOKE' });
  assert.deepEqual(await stats('BESPOKE'), [0, 0, 'BESPOKE']);
  await rig.client.unary('DeleteCrawl');
  assert.equal((await stats())[0], 0);
  await rig.close();
});

test('DumpURLsTest: ListURLs of all crawls and queues can be put again without loss', async () => {
  const rig = await startRig();
  const inAnHour = nowSec() + 3_600;
  const key = 'example.com';
  const metadata = { source: { values: ['seed'] } };
  await rig.client.all('PutURLs', [
    found('http://example.com/discovered', { key, metadata }),
    known('http://example.com/done', 0, { key }),
    known('http://example.com/later', inAnHour, { key }),
    found('http://bespoke.com/', { key: 'bespoke.com', crawlID: 'BESPOKE' }),
  ]);
  const dump: Message[] = [];
  const crawls = (await rig.client.unary('ListCrawls')).values;
  for (const crawlID of crawls)
    for (const queue of (await rig.client.unary('ListQueues', { crawlID, include_inactive: true })).values)
      dump.push(...(await rig.client.all('ListURLs', { key: queue, crawlID })));
  assert.equal(dump.length, 4);
  assert.ok(dump.every(({ known }) => known !== undefined));
  for (const value of crawls) await rig.client.unary('DeleteCrawl', { value });
  assert.deepEqual((await rig.client.unary('ListCrawls')).values, []);
  const acks = await rig.client.all('PutURLs', dump);
  assert.deepEqual(
    acks.map(({ status }) => status),
    dump.map(() => 'OK'),
  );
  const status = async (path: string) =>
    (await rig.client.unary('GetURLStatus', { url: `http://example.com/${path}`, key, crawlID: 'DEFAULT' })).known;
  assert.equal((await status('done')).refetchable_from_date, 0);
  assert.equal((await status('later')).refetchable_from_date, inAnHour);
  assert.deepEqual((await status('discovered')).info.metadata.source.values, ['seed']);
  assert.equal((await rig.client.unary('CountURLs', { crawlID: 'BESPOKE' })).value, 1);
  await rig.close();
});
